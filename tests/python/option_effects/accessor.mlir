// A kernel that reads the tensor with number 1.
func.func @main() attributes {ttkernel.thread = #ttkernel.thread<noc>, ttl.crta_indices = [1 : i32]} {
  %c0 = arith.constant 0 : index
  %page = arith.constant 3 : i32
  %to = arith.constant 64 : i32
  %w0 = arith.constant 0 : i32
  %base = ttkernel.get_common_arg_val(%c0) : (index) -> i32
  %args = ttkernel.TensorAccessorArgs(%w0, %w0)
  %acc = ttkernel.TensorAccessor(%args, %base) : (!ttkernel.TensorAccessorArgs, i32) -> !ttkernel.TensorAccessor
  ttkernel.noc_async_read_page(%page, %acc, %to) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  return
}
