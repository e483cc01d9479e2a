"""Random values of records and ports."""


def values(record, random):
    """Of a record: corners of its fields among random ones."""
    return {
        field.name: int(random.choice([*field.range, int(random.integers(*field.range, endpoint=True))]))
        for field in record.fields
    }


def noise(codec, random):
    """Of a port: any bits."""
    bits = int.from_bytes(random.bytes((codec.width + 7) // 8))
    return codec.unpack(bits & (1 << codec.width) - 1)
