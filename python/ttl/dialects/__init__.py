"""The TTL dialect in Python, under tt-lang's module name."""
