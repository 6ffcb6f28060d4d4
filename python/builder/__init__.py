"""Programs from Python functions: built, compiled, run and checked against references.

    from builder.base.builder_apis import *
    module, builder = build_module(function_of_a_builder, "ttir")
    compile_and_execute_ttir(function_of_a_builder, device=device)
"""
