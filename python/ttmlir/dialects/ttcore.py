"""ttcore: devices, layouts and enums; its attributes and types are in `ir`."""

from ttmlir.dialects._ttcore_items import SPACE

globals().update({name: value for name, value in SPACE.items() if not name.startswith("__") or name == "__getattr__"})
del SPACE
