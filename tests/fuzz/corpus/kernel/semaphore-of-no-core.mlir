func.func @connected() {
  ttl.kernel attributes {grid = #ttl.grid<[2, 4]>} {
    %far = ttl.create_semaphore 9223372036854775807 : !ttl.semaphore
    ttl.datamovement_thread {
      %m = ttl.get_remote_multicast_semaphore %far
      ttl.semaphore_set %m, 3
    }
  }
  return
}
