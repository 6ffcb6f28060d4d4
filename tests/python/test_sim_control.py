"""Control flow, values, local memory, addresses and NoC calls of kernels, seen through dprint and memory."""

import numpy as np
import pytest

pytest.importorskip("torch")
from grid_kernels import cb_type, constants  # noqa: E402
from tilewright import sim  # noqa: E402


@pytest.fixture(scope="module")
def grid():
    return sim.Grid("n150")


def show(*values):
    """Prints i32 or index values with their types."""
    names, types = zip(*values)
    text = " ".join("{}" for _ in names)
    return f'    "ttkernel.dprint"({", ".join("%" + n for n in names)}) <{{fmt = "{text}"}}> : ({", ".join(types)}) -> ()\n'


def kernel(body, functions="", thread="noc"):
    return (f"module {{\n{functions}\n  func.func private @k() attributes {{ttkernel.thread = #ttkernel.thread<{thread}>}} {{\n"
            f"{constants()}\n{body}    return\n  }}\n}}\n")


def printed(grid, body, functions="", **run):
    launch = grid.load(kernel(body, functions)).launch(
        [sim.Run("k", **{k: v for k, v in run.items() if k not in ("cbs", "tensors", "semaphores")})],
        **{k: v for k, v in run.items() if k in ("cbs", "tensors", "semaphores")})
    launch.run()
    return [line.split(": ", 3)[-1] for line in launch.log.splitlines() if "remark: core" in line]


def test_calls_are_unfolded(grid):
    functions = """
  func.func private @twice(%x: i32) -> i32 {
    %y = arith.addi %x, %x : i32
    return %y : i32
  }
  func.func private @four(%x: i32) -> (i32, i32) {
    %y = func.call @twice(%x) : (i32) -> i32
    %z = func.call @twice(%y) : (i32) -> i32
    return %z, %x : i32, i32
  }"""
    body = "    %r:2 = func.call @four(%w3) : (i32) -> (i32, i32)\n" + show(("r#0", "i32"), ("r#1", "i32"))
    assert printed(grid, body, functions) == ["12 3"]
    endless = "  func.func private @f() {\n    func.call @f() : () -> ()\n    return\n  }"
    with pytest.raises(RuntimeError, match="calls are nested deeper than 32: kernels cannot recurse"):
        printed(grid, "    func.call @f() : () -> ()\n", endless)


def test_what_a_called_function_leaves_behind(grid):
    """It belongs to the kernel: found at its end, and reported under its name."""
    functions = f"""
  func.func private @take(%cb: {cb_type(2, "f32")}, %n: i32) {{
    "ttkernel.cb_reserve_back"(%cb, %n) : ({cb_type(2, "f32")}, i32) -> ()
    return
  }}"""
    body = f"""
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {cb_type(2, "f32")}
    func.call @take(%cb, %w1) : ({cb_type(2, "f32")}, i32) -> ()
"""
    with pytest.raises(sim.KernelError, match="has 1 reserved page that the kernel never pushes") as error:
        printed(grid, body, functions, compile_args=[sim.cb(0)], cbs=[sim.Buffer(0, "f32", 2)])
    assert error.value.reports[0]["kernel"] == "k"


@pytest.mark.parametrize("op", ["shli", "shrsi", "shrui", "divsi", "remui", "ceildivsi"])
@pytest.mark.parametrize("kind", ["index", "i32"])
def test_arithmetic_that_has_no_result(grid, op, kind):
    """At its own line, also where an operation would be hoisted out of the loop; the grid continues to work."""
    bad, name = {"s": ("128" if kind == "index" else "32", "is shifted by"), "d": ("0", "division of"),
                 "r": ("0", "division of"), "c": ("0", "division of")}[op[0]]
    body = f"""
    %bad = arith.constant {bad} : {kind}
    %n = arith.constant 5 : {kind}
    %one = arith.constant 1 : {kind}
    scf.for %i = %c0 to %c2 step %c1 {{
      %r = arith.{op} %n, %bad : {kind}
    }}
"""
    with pytest.raises(sim.KernelError, match=name) as error:
        printed(grid, body)
    assert "arith." + op in str(error.value) and error.value.reports[0]["note"]
    assert not grid.load(kernel(body.replace("%n, %bad", "%n, %one"))).launch([sim.Run("k")]).run().reports
    guarded = "    %no = arith.constant false\n    scf.if %no {\n" + body + "    }\n"
    assert not grid.load(kernel(guarded)).launch([sim.Run("k")]).run().reports


@pytest.mark.parametrize("width", [8, 32, 64])
def test_long_arithmetic_in_a_loop(grid, width):
    """Sums, products and conversions that follow one another wrap to their width, and each takes its cycle."""
    kind, lines, last = f"i{width}", [f"      %v0 = arith.index_cast %i : index to i{width}"], "v0"
    for n in range(11):
        lines += [f"      %m{n} = arith.muli %{last}, %three : {kind}", f"      %v{n + 1} = arith.addi %m{n}, %odd : {kind}"]
        last = f"v{n + 1}"
    shown = [("i", "index"), (last, kind)]

    def looped(*body):
        return "\n".join([f"    %three = arith.constant 3 : {kind}", f"    %odd = arith.constant 77 : {kind}",
                          "    scf.for %i = %c1 to %c4 step %c1 {", *body, "    }\n"])

    expected = []
    for i in range(1, 4):
        value = i
        for _ in range(11):
            value = value * 3 + 77
        value %= 1 << width
        expected.append(f"{i} {value - (value >> width - 1 << width)}")
    assert printed(grid, looped(*lines, show(*shown))) == expected
    cycles = [grid.load(kernel(looped(*part))).launch([sim.Run("k")]).run().cycles for part in (lines, [])]
    assert cycles[0] - cycles[1] == 3 * 22


def test_local_memory(grid):
    body = """
    %m = memref.alloca() : memref<1xi32>
    %a = memref.alloca() : memref<2x3xindex>
    memref.store %w5, %m[%c0] : memref<1xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %m[%c0] : memref<1xi32>
      %n = arith.addi %v, %w2 : i32
      memref.store %n, %m[%c0] : memref<1xi32>
    }
    memref.store %c7, %a[%c1, %c2] : memref<2x3xindex>
    %v = memref.load %m[%c0] : memref<1xi32>
    %x = memref.load %a[%c1, %c2] : memref<2x3xindex>
    %z = memref.load %a[%c1, %c1] : memref<2x3xindex>
"""
    assert printed(grid, body + show(("v", "i32"), ("x", "index"), ("z", "index"))) == ["13 7 0"]
    with pytest.raises(sim.KernelError, match="index 3 of a dimension of 3"):
        printed(grid, "    %a = memref.alloca() : memref<3xi32>\n    %v = memref.load %a[%c3] : memref<3xi32>\n")


@pytest.mark.parametrize("op,a,b,want", [
    ("cmpf ogt", 1.5, 1.0, 1), ("cmpf olt", 1.5, 1.0, 0), ("cmpf oeq", float("nan"), 1.0, 0),
    ("cmpf une", float("nan"), 1.0, 1), ("cmpf uno", float("nan"), 1.0, 1), ("cmpf ord", 1.0, 2.0, 1),
    ("cmpf ule", 2.0, 1.0, 0), ("cmpf one", 2.0, 1.0, 1)])
def test_float_comparisons(grid, op, a, b, want):
    name, predicate = op.split()

    def constant(x):
        return "0x7FC00000" if x != x else f"{x:.6e}"

    body = f"    %a = arith.constant {constant(a)} : f32\n    %b = arith.constant {constant(b)} : f32\n"
    body += f"    %r = arith.{name} {predicate}, %a, %b : f32\n    %e = arith.extui %r : i1 to i32\n"
    assert printed(grid, body + show(("e", "i32"))) == [str(want)]


def test_float_arithmetic(grid):
    body = """
    %x = arith.sitofp %w7 : i32 to f32
    %h = arith.constant 5.000000e-01 : f32
    %n = arith.negf %x : f32
    %m = arith.maximumf %n, %h : f32
    %l = arith.minimumf %n, %h : f32
    %p = arith.mulf %l, %h : f32
    %r = arith.fptosi %p : f32 to i32
    %s = arith.addf %m, %h : f32
    %t = arith.fptosi %s : f32 to i32
"""
    assert printed(grid, body + show(("r", "i32"), ("t", "i32"))) == ["-3 1"]


def test_bits_compared_as_floats(grid):
    body = """
    %a = arith.constant 0x3F80 : i16
    %b = arith.constant -16512 : i16
    %g = "ttkernel.bfloat16_greater"(%a, %b) : (i16, i16) -> i1
    %c = arith.constant 1065353216 : i32
    %f = "ttkernel.float32_greater"(%w0, %c) : (i32, i32) -> i1
    %x = arith.extui %g : i1 to i32
    %y = arith.extui %f : i1 to i32
"""
    assert printed(grid, body + show(("x", "i32"), ("y", "i32"))) == ["1 0"]


def test_arguments_of_every_kind(grid):
    body = """
    %a = "ttkernel.get_arg_val"(%c0) : (index) -> i32
    %b = "ttkernel.get_arg_val"(%c1) : (index) -> i32
    %c = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %d = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> i32
"""
    values = [(n, "i32") for n in "abcd"]
    got = printed(grid, body + show(*values), cores=(0, 0, 1, 2), args=[[1, 2], [3, 4]], common_args=[5],
                  compile_args=[6, 7])
    assert sorted(got) == ["1 2 5 7", "3 4 5 7"]
    launch = grid.load(kernel(body + show(*values))).launch(
        [sim.Run("k", args=[[1, 2]], common_args=[5], compile_args=[6, 7])])
    launch.set_arg(0, 0, 50)
    launch.set_arg(0, 1, 20, core=0)
    assert "1 20 50 7" in launch.run().log
    with pytest.raises(sim.KernelError, match="there is no runtime argument 0: the launch gives 0"):
        printed(grid, body)


ACCESSOR = """
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w0, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 4096 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
"""
A = "!ttkernel.TensorAccessor"


def test_questions_about_accessors(grid):
    t = grid.tensor((64, 128), "f32", memory=sim.L1_SHARDED, shards=(2, 2))
    body = ACCESSOR + f"""
    %y = "ttkernel.my_y"() : () -> index
    %x = "ttkernel.my_x"() : () -> index
    %xi = arith.index_cast %x : index to i32
    %yi = arith.index_cast %y : index to i32
    %a = "ttkernel.tensor_accessor.is_local_shard"(%acc, %w3) : ({A}, i32) -> i1
    %b = "ttkernel.tensor_accessor.is_local_page"(%acc, %w7) : ({A}, i32) -> i1
    %c = "ttkernel.tensor_accessor.is_local_addr"(%acc, %xi, %yi) : ({A}, i32, i32) -> i1
    %d = "ttkernel.tensor_accessor.is_local_bank"(%acc, %w0, %w0) : ({A}, i32, i32) -> i1
    %i = arith.extui %a : i1 to i32
    %j = arith.extui %b : i1 to i32
    %k = arith.extui %c : i1 to i32
    %l = arith.extui %d : i1 to i32
""" + show(*((n, "i32") for n in "ijkl"))
    run = dict(common_args=[sim.address(0)], compile_args=[sim.accessor(0)], tensors=[t])
    assert printed(grid, body, cores=(1, 1, 1, 1), **run) == ["1 1 1 0"]
    assert printed(grid, body, cores=(0, 0, 1, 1), **run) == ["0 0 1 1"]


def test_transaction_ids(grid):
    """Two writes; the barrier of one id does not wait for the other."""
    out = grid.tensor((32, 64), "f32", data=np.zeros((32, 64), np.float32))
    c = cb_type(2, "f32")
    body = ACCESSOR + f"""
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 1 : i32}}> : () -> {c}
    "ttkernel.cb_reserve_back"(%cb, %w2) : ({c}, i32) -> ()
    %p = "ttkernel.get_write_ptr"(%cb) : ({c}) -> i32
    "ttkernel.experimental.fill_arange_tile"(%cb) : ({c}) -> ()
    %id = arith.constant 1 : i32
    %one = "ttkernel.tensor_accessor.get_noc_addr"(%acc, %w0, %w0) : ({A}, i32, i32) -> !ttkernel.noc_addr
    %bytes = arith.constant 4096 : i32
    "ttkernel.noc_async_write_one_packet_with_trid"(%p, %w0, %base, %bytes, %w3) <{{operandSegmentSizes = array<i32: 1, 0, 1, 1, 1, 1, 0>}}> : (i32, i32, i32, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier_with_trid"(%w3) : (i32) -> ()
    "ttkernel.cb_push_back"(%cb, %w2) : ({c}, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %w2) : ({c}, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w2) : ({c}, i32) -> ()
"""
    run = dict(common_args=[sim.address(0)], compile_args=[sim.accessor(0), sim.cb(0)],
               cbs=[sim.Buffer(0, "f32", 2)], tensors=[out])
    printed(grid, body, **run)
    got = out.read(np.zeros((32, 64), np.float32))
    assert np.array_equal(got[:, :32], np.arange(1024).reshape(32, 32)) and not got[:, 32:].any()
    with pytest.raises(sim.KernelError, match="the kernel ends with NoC transfers under way"):
        printed(grid, body.replace("barrier_with_trid\"(%w3)", "barrier_with_trid\"(%w4)"), **run)
    with pytest.raises(sim.KernelError, match="there is no transaction id 16"):
        sum16 = "    %sum = arith.addi %w8, %w8 : i32\n"  # unknown to the verifier
        printed(grid, sum16 + body.replace("%w3", "%sum"), **run)


def test_other_operations(grid):
    assert printed(grid, """
    %b = "ttkernel.mem_zeros_base"() : () -> i32
    %n = "ttkernel.mem_zeros_size"() : () -> i32
    %p = "ttkernel.reinterpret_cast"(%b) : (i32) -> !ttkernel.l1_addr_ptr<32>
    %v = "ttkernel.load_from_l1"(%p, %w4) : (!ttkernel.l1_addr_ptr<32>, i32) -> i32
""" + show(("n", "i32"), ("v", "i32"))) == ["512 0"]


def test_a_mesh_of_one_chip(grid):
    manager = '    %f = "ttkernel.experimental.create_fabric_connection_manager"() : () -> !ttkernel.fabric_connection_manager\n'
    body = manager + """
    %y = "ttkernel.experimental.get_my_logical_mesh_position"(%f) <{dim = 1 : i64}> : (!ttkernel.fabric_connection_manager) -> index
    %d = "ttkernel.experimental.get_device_id_from_logical_mesh_position"(%f, %c0, %y) : (!ttkernel.fabric_connection_manager, index, index) -> i16
"""
    body += show(("y", "index"), ("d", "i16"))
    assert printed(grid, body) == ["0 0"]
    with pytest.raises(sim.KernelError, match="there is no chip at position 1 of dimension 0"):
        printed(grid, body.replace("%f, %c0", "%f, %c1"))
    refused = "setup_fabric_connections' op is not executed by the simulated device: it has one chip"
    with pytest.raises(NotImplementedError, match=refused):
        printed(grid, manager + '    "ttkernel.experimental.setup_fabric_connections"(%f) : (!ttkernel.fabric_connection_manager) -> ()\n')


@pytest.mark.parametrize("wait", ["experimental.semaphore_wait", "noc_semaphore_wait"])
def test_the_noc_by_a_core_to_itself(grid, wait):
    """Words and increments between two semaphores of one core; `make check-cpp` runs them as C++, too."""
    pointer, address, semaphore = "!ttkernel.l1_addr_ptr<32>", "!ttkernel.noc_addr", "!ttkernel.local_semaphore"
    body = f"""
    %x = "ttkernel.my_x"() : () -> index
    %y = "ttkernel.my_y"() : () -> index
    %lx = "ttkernel.my_logical_x_"() : () -> index
    %tx = "ttkernel.experimental.convert_logical_x_to_translated"(%lx) : (index) -> index
    %ly = "ttkernel.my_logical_y_"() : () -> index
    %ty = "ttkernel.experimental.convert_logical_y_to_translated"(%ly) : (index) -> index
    %noc = arith.constant 0 : i8
    %s0 = "ttkernel.get_semaphore"(%c0) : (index) -> {semaphore}
    %s1 = "ttkernel.get_semaphore"(%c1) : (index) -> {semaphore}
    %p0 = "ttkernel.reinterpret_cast"(%s0) : ({semaphore}) -> {pointer}
    %p1 = "ttkernel.reinterpret_cast"(%s1) : ({semaphore}) -> {pointer}
    %n0 = "ttkernel.get_noc_addr"(%x, %y, %s0, %noc) : (index, index, {semaphore}, i8) -> {address}
    %n1 = "ttkernel.get_noc_addr"(%x, %y, %s1, %noc) : (index, index, {semaphore}, i8) -> {address}
    "ttkernel.noc_semaphore_set"(%p0, %c5) : ({pointer}, index) -> ()
    "ttkernel.noc_semaphore_inc"(%n0, %c2, %noc) : ({address}, index, i8) -> ()
    "ttkernel.noc_async_atomic_barrier"(%noc) : (i8) -> ()
    "ttkernel.{wait}"(%p0, %w7) : ({pointer}, i32) -> ()
    "ttkernel.remote_sram_write_u32"(%s0, %n1) : ({semaphore}, {address}) -> ()
    "ttkernel.noc_async_write_barrier"(%noc) : (i8) -> ()
    "ttkernel.{wait}_min"(%p1, %w6) : ({pointer}, i32) -> ()
    %seven = "ttkernel.load_from_l1"(%p1, %w0) : ({pointer}, i32) -> i32
    "ttkernel.store_to_l1"(%w9, %p0, %w0) : (i32, {pointer}, i32) -> ()
    %nine = "ttkernel.load_from_l1"(%p0, %w0) : ({pointer}, i32) -> i32
""" + show(("seven", "i32"), ("nine", "i32")) + """
    %same_x = arith.cmpi eq, %x, %tx : index
    %same_y = arith.cmpi eq, %y, %ty : index
    %both = arith.andi %same_x, %same_y : i1
    %yes = arith.extui %both : i1 to i32
""" + show(("yes", "i32"))
    assert printed(grid, body, semaphores=[0, 0]) == ["7 9", "1"]


def test_endless_loops_end():
    small = sim.Grid("n150", budget=10_000)
    body = """
    %t = arith.constant true
    scf.while : () -> () {
      scf.condition(%t)
    } do {
      scf.yield
    }
"""
    with pytest.raises(sim.KernelError, match="budget: the thread has run its 10000 operations"):
        printed(small, body)
