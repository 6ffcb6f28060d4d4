"""Short names for types, and decorators that fill regions."""
