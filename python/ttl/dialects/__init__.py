"""The TTL dialect in Python, where kernels' authors look for it."""
