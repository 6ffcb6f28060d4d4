"""The functions of blocks, element by element: each is the operation d2m.tile_NAME on every tile.

Blocks have them as methods too; `SIGNS` are those of operators. The device and the simulator read these rows."""

UNARY = """abs acos asin atan bitwise_not ceil cos eqz erf erfc exp exp2 expm1 floor frac gelu gez gtz hardsigmoid lez log log1p
    logical_not ltz negative nez recip relu rsqrt selu sigmoid sign signbit silu sin softsign sqrt square tan tanh trunc
    tile_transpose""".split()
BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor div eq ge gt le logical_left_shift logical_right_shift lt maximum minimum mul ne
    pow right_shift sub""".split()
TERNARY = {"where": ("cond", "true_value", "false_value")}

OPERANDS = {**dict.fromkeys(UNARY, ("input",)), **dict.fromkeys(BINARY, ("lhs", "rhs")), **TERNARY}

# Attributes of operations that have them: numbers that the functions' definitions fix.
ATTRIBUTES = {"selu": (1.0507009873554805, 1.6732632423543772)}

SIGNS = {"__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__pow__": "pow", "__neg__": "negative",
         "__invert__": "bitwise_not", "__matmul__": "matmul"}

# Functions of blocks with an algorithm of their own; both backends define them.
OTHERS = "tile_bcast tile_bcast_row tile_bcast_col tile_bcast_2d clamp_scalar typecast matmul reduce_sum reduce_max reduce_mean".split()

BCASTS = {"none": "none", "no_bcast": "none", "col": "col", "column": "col", "row": "row", "2d": "scalar", "scalar": "scalar"}


def tile_operation(name):
    """The operation of d2m on one tile."""
    return name if name.startswith("tile_") else "tile_" + name


def broadcast_of(value):
    """The case of d2m's tile_bcast_type that a name, a number or a member of the enum means."""
    if hasattr(value, "name"):
        value = value.name.rstrip("_")
    cases = ("none", "col", "row", "scalar")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(cases):
        return cases[value]
    if isinstance(value, str) and value.lower() in BCASTS:
        return BCASTS[value.lower()]
    raise ValueError(f"tile broadcast type must be one of 'row', 'col', '2d', 'none', or a d2m.TileBcastType, got {value!r}")


def reduced_axis(dim, rank=2):
    """The axis of a block that `dim` of a reduction means."""
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"expected integer literal for the reduced dim, got {dim!r}")
    if dim not in (0, 1, -2, -1):
        raise ValueError(f"reduce dim must be 0/1 or -2/-1, got {dim}")
    axis = dim + rank if dim < 0 else dim
    if axis not in (0, 1):
        raise ValueError(f"reduce dim must be 0/1 or -2/-1 of a block with two dimensions, got {dim} of {rank}")
    return axis
