"""The names of the peers' runtime tool in Python: `ttrt.runtime`."""
