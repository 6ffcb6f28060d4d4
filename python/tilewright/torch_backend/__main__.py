"""python -m tilewright.torch_backend: prints the ATen operators that have a row, one per line."""

from . import emit  # noqa: F401  (fills the table)
from .rows import ROWS


def main():
    names = sorted(
        op._schema.name + (f".{op._overloadname}" if op._overloadname != "default" else "")
        for op in ROWS
    )
    print("\n".join(names))
    print(f"{len(names)} operators")


main()
