func.func @f() {
  %a = ttl.create_pipe [0, 0] to [1, 0] semaphores 9223372036854775807 : !ttl.pipe
  %b = ttl.create_semaphore 9223372036854775807 : !ttl.semaphore
  %c = ttl.create_pipe [0, 0] to [1, 0] : !ttl.pipe
  return
}
