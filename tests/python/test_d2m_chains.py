"""Random chains of element-wise operations, fused: values between their loops go through scratch memory (d2m-insert-spill-and-scratch);
every element beside NumPy's."""

import random
import subprocess

import numpy as np
import pytest
from test_d2m_run import BUILD, run

UNARY = {"abs": np.abs, "neg": np.negative, "sin": np.sin, "cos": np.cos}
BINARY = {"add": np.add, "multiply": np.multiply, "subtract": np.subtract, "maximum": np.maximum}
SHAPES = [(64, 64), (256, 256), (128, 384), (96, 160), (512, 256)]


def chain(choose, n_args, ty):
    """Lines, names of values, functions of the arguments that compute them."""
    lines, names, values = [], [f"%a{i}" for i in range(n_args)], [lambda a, i=i: a[i] for i in range(n_args)]
    for k in range(choose.randrange(4, 11)):
        op = choose.choice([*UNARY, *BINARY])
        last, other = len(values) - 1, choose.randrange(len(values))
        inputs = [last] if op in UNARY else [last, other]
        fn = UNARY.get(op) or BINARY[op]
        lines.append(f'%v{k} = "ttir.{op}"({", ".join(names[i] for i in inputs)}) : ({", ".join([ty] * len(inputs))}) -> {ty}')
        values.append(lambda a, fn=fn, of=[values[i] for i in inputs]: fn(*(v(a) for v in of)))
        names.append(f"%v{k}")
    return lines, names[-1], values[-1]


@pytest.mark.parametrize("seed", range(8))
def test_chain(tmp_path, seed):
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    shape, n_args = choose.choice(SHAPES), choose.randrange(2, 4)
    ty = f"tensor<{shape[0]}x{shape[1]}xf32>"
    lines, result, value = chain(choose, n_args, ty)
    args = [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(n_args)]
    wanted = value(args)
    if choose.random() < 0.3:
        lines.append(f'%s = "ttir.sum"({result}) {{dim_arg = [1 : i32], keep_dim = true}} : ({ty}) -> tensor<{shape[0]}x1xf32>')
        result, ty_out, wanted = "%s", f"tensor<{shape[0]}x1xf32>", wanted.sum(1, keepdims=True)
    else:
        ty_out = ty
    text = f"func.func @f({', '.join(f'%a{i}: {ty}' for i in range(n_args))}) -> {ty_out} {{\n" + "\n".join(lines) + f"\nreturn {result} : {ty_out}\n}}\n"
    got = run(tmp_path, text, args, "enable-elementwise-fusion=true")
    np.testing.assert_allclose(got, wanted, rtol=2e-2, atol=2e-2 * max(1, np.abs(wanted).max()))


def test_they_use_scratch(tmp_path):
    ty = "tensor<64x64xf32>"
    text = f"""func.func @f(%a: {ty}, %b: {ty}) -> {ty} {{
%0 = "ttir.sin"(%a) : ({ty}) -> {ty}
%1 = "ttir.cos"(%b) : ({ty}) -> {ty}
%2 = "ttir.add"(%0, %1) : ({ty}, {ty}) -> {ty}
return %2 : {ty}
}}"""
    a, b = (np.linspace(-1, 1, 4096, dtype=np.float32).reshape(64, 64) * s for s in (1, 2))
    got = run(tmp_path, text, [a, b], "enable-elementwise-fusion=true")
    program = (tmp_path / "p.mlir").read_text().splitlines()
    np.testing.assert_allclose(got, np.sin(a) + np.cos(b), atol=2e-2)
    # Without the wait for the packer, pages that nobody has reserved are an error.
    kept = [line for line in program if "unpack_stall_on_pack" not in line]
    assert len(kept) < len(program)
    (tmp_path / "p.mlir").write_text("\n".join(kept))
    ran = subprocess.run([BUILD / "bin/tilewright", "sim", "p.mlir", "--inputs=in.npz"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode != 0 and "of which 0 are reserved" in ran.stderr
