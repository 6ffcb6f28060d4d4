"""Kernels as the C++ that users get: what a person would write, and the bytes of the IR."""

import re

import pytest
import torch

ttl, ttnn = pytest.importorskip("ttl"), pytest.importorskip("ttnn")


@ttl.kernel(grid=(1, 1))
def product(a, b, c):
    a_cb = ttl.make_circular_buffer_like(a, shape=(2, 4))
    b_cb = ttl.make_circular_buffer_like(b, shape=(4, 2))
    c_cb = ttl.make_circular_buffer_like(c, shape=(2, 2))

    @ttl.compute()
    def compute():
        for _ in range(3):
            with c_cb.reserve() as o:
                for _ in range(2):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o.store(x @ y, acc=True)

    @ttl.datamovement()
    def read():
        for j in range(3):
            for p in range(2):
                with a_cb.reserve() as x, b_cb.reserve() as y:
                    ttl.copy(a[0:2, p * 4:(p + 1) * 4], x).wait()
                    ttl.copy(b[p * 4:(p + 1) * 4, j * 2:(j + 1) * 2], y).wait()

    @ttl.datamovement()
    def write():
        for j in range(3):
            with c_cb.wait() as o:
                ttl.copy(o, c[0:2, j * 2:(j + 1) * 2]).wait()


@ttl.kernel(grid=(1, 1))
def chain(new, int, out):  # a keyword and a type of C++
    double = ttl.make_circular_buffer_like(new, shape=(1, 5))
    k = ttl.make_circular_buffer_like(int, shape=(1, 5))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 5))

    @ttl.compute()
    def compute():
        for i in range(3):
            with double.wait() as x, k.wait() as y, out_cb.reserve() as o:
                if i % 2 == 1:
                    o.store(ttl.math.where(ttl.math.gt(x, y), x * -0.75 + y, ttl.math.exp(y)))
                else:
                    o.store(ttl.math.max(x, y) - 3.0)

    @ttl.datamovement()
    def read():
        for i in range(3):
            with double.reserve() as x, k.reserve() as y:
                ttl.copy(new[i, 0:5], x).wait()
                ttl.copy(int[i, 0:5], y).wait()

    @ttl.datamovement()
    def write():
        for i in range(3):
            with out_cb.wait() as o:
                ttl.copy(o, out[i, 0:5]).wait()


CASES = {"product": (product, ((64, 256), (256, 192), (64, 192)), ((2, 4), (4, 2), (2, 2))),
         "chain": (chain, ((96, 160), (96, 160), (96, 160)), ((1, 5), (1, 5), (1, 5)))}


def sources(kernel, tensors):
    text = kernel.ir(*tensors, level="cpp")
    return {part[3:].splitlines()[0]: part for part in re.split(r"(?m)^(?=// \w+\n)", text)[1:]}


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=("f32", "bf16"))
@pytest.mark.parametrize("case", CASES)
def test_cpp_leaves_the_bytes_of_the_kernel(case, dtype, tmp_path):
    from ttl.kernel_runner import KernelSpec, run_kernel_on_device

    kernel, shapes, blocks = CASES[case]
    torch.manual_seed(0)
    device = ttnn.open_device(device_id=0)
    element = ttnn.float32 if dtype == torch.float32 else ttnn.bfloat16
    values = [torch.randn(shape).to(dtype) for shape in shapes[:-1]] + [torch.zeros(shapes[-1], dtype=dtype)]
    tensors = [ttnn.from_torch(v, dtype=element, layout=ttnn.TILE_LAYOUT, device=device) for v in values]
    kernel(*tensors)
    wanted = ttnn.to_torch(tensors[-1]).clone()
    for name, text in sources(kernel, tensors).items():
        (tmp_path / f"{name}.cpp").write_text(text)
    out = ttnn.from_torch(values[-1], dtype=element, layout=ttnn.TILE_LAYOUT, device=device)
    lists = re.findall(r"func\.func @(\w+).*ttl\.crta_indices = \[(.*?)\]", kernel.ir(*tensors, level="ttkernel"))
    used = {name: [int(n) for n in re.findall(r"(\d+) : i32", numbers)] for name, numbers in lists}
    wide = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=dtype == torch.float32)
    specs = [KernelSpec(str(tmp_path / "compute.cpp"), "compute", [], wide),
             KernelSpec(str(tmp_path / "read.cpp"), "noc", used["read"], ttnn.ReaderConfigDescriptor()),
             KernelSpec(str(tmp_path / "write.cpp"), "noc", used["write"], ttnn.WriterConfigDescriptor())]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    every = [*tensors[:-1], out]
    run_kernel_on_device(specs, every, [ttl.CircularBuffer(t, shape=s) for t, s in zip(every, blocks)], cores)
    assert torch.equal(ttnn.to_torch(out), wanted)


def test_a_matmul_reads_as_written_by_a_person():
    """Named buffers and tensors, constants in place, one block of DST, settings outside of loops, the user's lines."""
    tensors = [torch.zeros(shape) for shape in CASES["product"][1]]
    compute, read = (sources(product, tensors)[name] for name in ("compute", "read"))
    body = compute[compute.index("void kernel_main"):]
    assert "constexpr uint32_t a_cb = get_compile_time_arg_val(0);" in body
    assert body.index("mm_block_init(a_cb, b_cb, c_cb, 0, 2, 2, 4);") < body.index("for (")
    assert "for (uint32_t k = 0; k < 4; ++k) {\n        matmul_block(a_cb, b_cb, k, k * 2, 0, 0, 2, 2, 4);\n      }" in body
    assert body.count("pack_reconfig_l1_acc(j != 0);") == body.count("pack_reconfig_l1_acc(0);") == 1
    assert re.search(r"// test_ttl_cpp\.py:\d+: o\.store\(x @ y, acc=True\)\n", body)
    assert "size_t" not in compute + read and "INFINITY" not in compute
    assert "const auto b = TensorAccessor(b_args, get_common_arg_val<uint32_t>(1), 4096);" in read
    assert re.search(r"noc_async_read_tile\(.*, a, write_ptr \+ \(.*\) \* 4096\);", read)


def test_names_that_cpp_does_not_allow():
    tensors = [torch.zeros(shape) for shape in CASES["chain"][1]]
    text = sources(chain, tensors)
    assert "double_cb" in text["compute"] and " k_cb = " in text["compute"]
    assert "const auto new2 = TensorAccessor(" in text["read"] and "const auto int2 = TensorAccessor(" in text["read"]
