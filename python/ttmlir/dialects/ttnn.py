"""ttnn: operations of the runtime's level; layouts and configurations are in `ir`."""

from ttmlir.dialects._ttnn_items import SPACE

globals().update({name: value for name, value in SPACE.items() if not name.startswith("__") or name == "__getattr__"})
del SPACE
