"""Random values of records."""


def values(record, random):
    """Of a record: corners of its fields among random ones."""
    return {
        field.name: int(random.choice([*field.range, int(random.integers(*field.range, endpoint=True))]))
        for field in record.fields
    }
