"""ttl: the dialect's operations, attributes and types, as in `ttmlir.dialects.ttl`."""

from ttmlir.dialects import ttl as _ttl
from ttmlir.dialects.ttl import *  # noqa: F403

globals().update({name: value for name, value in vars(_ttl).items() if not name.startswith("_")})
ir = _ttl


def ensure_dialects_registered(ctx):
    """Contexts have every dialect from the start; this loads ttl's."""
    ctx.dialects["ttl"]
