"""Random values of records."""


def values(record, random):
    """Values of a record's fields: corners among random ones."""
    return {
        field.name: int(random.choice([*field.range, int(random.integers(*field.range, endpoint=True))]))
        for field in record.fields
    }
