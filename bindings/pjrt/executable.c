/* executable.c: what is known about a compiled program. */
#include "pjrt.h"

#include <stdlib.h>
#include <string.h>

pj_error *pj_executable_destroy(pj_of_args *args)
{
    pj_executable_release(args->object);
    return NULL;
}

pj_error *pj_executable_name(pj_text_args *args)
{
    args->text = ((pj_executable *)args->object)->signature.name;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_executable_num_replicas(pj_size_args *args)
{
    args->value = 1;
    return NULL;
}

pj_error *pj_executable_num_partitions(pj_size_args *args)
{
    args->value = 1;
    return NULL;
}

pj_error *pj_executable_num_outputs(pj_size_args *args)
{
    args->value = ((pj_executable *)args->object)->signature.n_results;
    return NULL;
}

pj_error *pj_executable_size_of_generated_code_in_bytes(pj_size_args *args)
{
    args->value = 0; /* plans hold pointers to kernels of the library: no code */
    return NULL;
}

pj_error *pj_executable_output_element_types(pj_list_args *args)
{
    const pj_signature *s = &((pj_executable *)args->object)->signature;
    args->items = s->types;
    args->count = s->n_results;
    return NULL;
}

pj_error *pj_executable_output_dimensions(pj_rows_args *args)
{
    const pj_signature *s = &((pj_executable *)args->object)->signature;
    args->count = s->n_results;
    args->items = s->dims;
    args->sizes = s->ranks;
    return NULL;
}

pj_error *pj_executable_output_memory_kinds(pj_rows_args *args)
{
    const pj_executable *e = args->object;
    args->count = e->signature.n_results;
    args->items = e->memory_kinds;
    args->sizes = e->memory_kind_sizes;
    return NULL;
}

pj_error *pj_executable_parameter_memory_kinds(pj_rows_args *args)
{
    const pj_executable *e = args->object;
    args->count = e->signature.n_arguments;
    args->items = e->memory_kinds;
    args->sizes = e->memory_kind_sizes;
    return NULL;
}

/* The caller asks for the size first, then for the program, in memory of its own. */
pj_error *pj_executable_optimized_program(pj_program_args *args)
{
    const pj_executable *e = args->executable;
    pj_program *p = args->program;
    p->format = "hlo_with_config";
    p->format_size = strlen(p->format);
    if (p->code && p->code_size >= e->hlo_size)
        memcpy(p->code, e->hlo, e->hlo_size);
    else if (p->code)
        return pj_fail(PJ_INVALID_ARGUMENT, "expected memory of %zu bytes, found %zu",
                       e->hlo_size, p->code_size);
    p->code_size = e->hlo_size;
    return NULL;
}

pj_error *pj_executable_fingerprint(pj_text_args *args)
{
    args->text = ((pj_executable *)args->object)->fingerprint;
    args->size = strlen(args->text);
    return NULL;
}

static void own_nothing(void *owner)
{
    (void)owner;
}

pj_error *pj_executable_get_compile_options(pj_bytes_args *args)
{
    const pj_executable *e = args->object;
    args->bytes = e->options;
    args->size = e->options_size;
    args->owner = NULL;
    args->destroy = own_nothing;
    return NULL;
}

static int64_t bytes_of(const pj_value *values, size_t n)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += (int64_t)values[i].bytes;
    return bytes;
}

static void set_cost(pj_named_value *value, const char *name, float cost)
{
    *value = (pj_named_value){.struct_size = sizeof *value,
                              .name = name,
                              .name_size = strlen(name),
                              .type = PJ_FLOAT_VALUE,
                              .real = cost,
                              .size = 1};
}

pj_error *pj_executable_get_cost_analysis(pj_counted_args *args)
{
    pj_executable *e = args->object;
    const pj_signature *s = &e->signature;
    size_t on_host = 0;
    for (size_t i = 0; i < tw_program_host_op_count(e->program); i++)
        on_host += tw_program_host_op(e->program, i)->count;
    pthread_mutex_lock(&e->running);
    set_cost(&e->cost[0], "bytes of arguments and results",
             (float)(bytes_of(s->arguments, s->n_arguments) +
                     bytes_of(s->results, s->n_results)));
    set_cost(&e->cost[1], "operations on the device",
             (float)tw_program_step_count(e->program));
    set_cost(&e->cost[2], "operations on the host", (float)on_host);
    pthread_mutex_unlock(&e->running);
    args->items = e->cost;
    args->count = TW_COUNT(e->cost);
    return NULL;
}

/* Older callers have fewer of the totals: those behind the peak are newer than it. */
pj_error *pj_executable_get_compiled_memory_stats(pj_compiled_memory_args *args)
{
    pj_executable *e = args->executable;
    const pj_signature *s = &e->signature;
    pj_compiled_memory_args found = {0};
    pthread_mutex_lock(&e->running);
    tw_memory_use use = tw_program_memory(e->program);
    pthread_mutex_unlock(&e->running);
    found.use[PJ_ON_DEVICE].arguments = bytes_of(s->arguments, s->n_arguments);
    found.use[PJ_ON_DEVICE].results = bytes_of(s->results, s->n_results);
    found.use[PJ_ON_DEVICE].temporaries =
        (int64_t)(use.l1_banks * use.l1_bank_peak + use.dram_banks * use.dram_bank_peak);
    found.use[PJ_ON_HOST].temporaries = (int64_t)use.host_bytes;
    found.peak = found.total = found.allocated = found.unpadded_peak =
        found.use[PJ_ON_DEVICE].arguments + found.use[PJ_ON_DEVICE].results +
        found.use[PJ_ON_DEVICE].temporaries;
    size_t begin = offsetof(pj_compiled_memory_args, use);
    memcpy((char *)args + begin, (char *)&found + begin,
           TW_MIN(args->struct_size, sizeof found) - begin);
    return NULL;
}

/* ---- loaded ------------------------------------------------------------------------ */

pj_error *pj_loaded_executable_destroy(pj_of_args *args)
{
    pj_loaded *loaded = args->object;
    pj_executable_release(loaded->executable);
    free(loaded);
    return NULL;
}

/* The caller destroys it. */
pj_error *pj_loaded_executable_get_executable(pj_to_args *args)
{
    pj_executable *e = ((pj_loaded *)args->object)->executable;
    atomic_fetch_add(&e->refs, 1);
    args->other = e;
    return NULL;
}

pj_error *pj_loaded_executable_addressable_devices(pj_list_args *args)
{
    args->items = ((pj_loaded *)args->object)->executable->client->device_list;
    args->count = 1;
    return NULL;
}

pj_error *pj_loaded_executable_addressable_device_logical_ids(pj_list_args *args)
{
    static const pj_logical_id first = {0, 0};
    args->items = &first;
    args->count = 1;
    return NULL;
}

/* A serialised DeviceAssignmentProto: one replica, one partition, on device 0. */
pj_error *pj_loaded_executable_get_device_assignment(pj_bytes_args *args)
{
    static const char proto[] = {0x08, 1, 0x10, 1, 0x1A, 3, 0x0A, 1, 0};
    args->bytes = proto;
    args->size = sizeof proto;
    args->owner = NULL;
    args->destroy = own_nothing;
    return NULL;
}

pj_error *pj_loaded_executable_delete(pj_of_args *args)
{
    ((pj_loaded *)args->object)->deleted = true;
    return NULL;
}

pj_error *pj_loaded_executable_is_deleted(pj_bool_args *args)
{
    args->value = ((pj_loaded *)args->object)->deleted;
    return NULL;
}

pj_error *pj_loaded_executable_fingerprint(pj_text_args *args)
{
    args->text = ((pj_loaded *)args->object)->executable->fingerprint;
    args->size = strlen(args->text);
    return NULL;
}
