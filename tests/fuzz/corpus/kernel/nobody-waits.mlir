module {
  func.func @main() {
    "ttmetal.enqueue_program"() <{
      cb_ports = array<i64>,
      kernelConfigs = [
        #ttmetal.noc_config<@k, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
    return
  }
  func.func private @k() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    return
  }
}
