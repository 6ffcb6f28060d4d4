/* buffer.c: arrays on the device: dense, row-major, in memory of ours. */
#include "pjrt.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ------------------------------------------------------------------------ */

static void count_bytes(pj_client *client, int64_t bytes)
{
    pthread_mutex_lock(&client->lock);
    client->in_use += bytes;
    if (bytes > 0)
        client->allocations++;
    if (bytes > client->largest)
        client->largest = bytes;
    if (client->in_use > client->peak)
        client->peak = client->in_use;
    pthread_mutex_unlock(&client->lock);
}

static pj_bytes *bytes_create(pj_client *client, size_t size)
{
    enum { LINE = 64 };
    pj_bytes *bytes = malloc(sizeof *bytes);
    void *data = bytes ? aligned_alloc(LINE, (size + LINE) / LINE * LINE) : NULL;
    if (!data) {
        free(bytes);
        return NULL;
    }
    bytes->refs = 1;
    bytes->client = pj_client_keep(client);
    bytes->size = size;
    bytes->data = data;
    count_bytes(client, (int64_t)size);
    return bytes;
}

void pj_bytes_release(pj_bytes *bytes)
{
    if (!bytes || atomic_fetch_sub(&bytes->refs, 1) != 1)
        return;
    count_bytes(bytes->client, -(int64_t)bytes->size);
    pj_client_release(bytes->client);
    free(bytes->data);
    free(bytes);
}

pj_bytes *pj_buffer_hold(pj_buffer *buffer)
{
    pthread_mutex_lock(&buffer->client->lock);
    pj_bytes *bytes = buffer->bytes;
    if (bytes)
        atomic_fetch_add(&bytes->refs, 1);
    pthread_mutex_unlock(&buffer->client->lock);
    return bytes;
}

/* ---- buffers ---------------------------------------------------------------------- */

static pj_buffer *make_buffer(pj_device *device, pj_type type, const int64_t *dims,
                              size_t rank, pj_bytes *bytes)
{
    pj_buffer *buffer = bytes ? malloc(sizeof *buffer + 2 * rank * sizeof *dims) : NULL;
    if (!buffer) {
        pj_bytes_release(bytes);
        return NULL;
    }
    buffer->client = pj_client_keep(device->client);
    buffer->device = device;
    buffer->bytes = bytes;
    buffer->type = type;
    buffer->rank = rank;
    buffer->size = bytes->size;
    buffer->minor_to_major = buffer->dims + rank;
    for (size_t i = 0; i < rank; i++) {
        buffer->dims[i] = dims[i];
        buffer->minor_to_major[i] = (int64_t)(rank - 1 - i);
    }
    return buffer;
}

pj_buffer *pj_buffer_create(pj_device *device, pj_type type, const int64_t *dims,
                            size_t rank)
{
    size_t size = pj_type_size(type);
    for (size_t i = 0; i < rank; i++)
        if (__builtin_mul_overflow(size, (size_t)dims[i], &size) || size > INT64_MAX / 2)
            return NULL;
    return make_buffer(device, type, dims, rank, bytes_create(device->client, size));
}

void pj_buffer_drop(pj_buffer *buffer)
{
    pthread_mutex_lock(&buffer->client->lock);
    pj_bytes *bytes = buffer->bytes;
    buffer->bytes = NULL;
    pthread_mutex_unlock(&buffer->client->lock);
    pj_bytes_release(bytes);
}

void pj_buffer_free(pj_buffer *buffer)
{
    pj_buffer_drop(buffer);
    pj_client_release(buffer->client);
    free(buffer);
}

static pj_error *deleted(const char *what)
{
    return pj_fail(PJ_INVALID_ARGUMENT, "%s: the array has been deleted or donated", what);
}

pj_error *pj_client_buffer_from_host_buffer(pj_from_host_args *args)
{
    int64_t dense[PJ_MAX_RANK];
    pj_device *device = args->memory ? args->memory->device : args->device;
    size_t size = pj_type_size(args->type);

    if (!device)
        device = args->client->device_list[0];
    if (device->client != args->client)
        return pj_fail(PJ_INVALID_ARGUMENT, "the device belongs to another client");
    if (!size)
        return pj_fail(PJ_UNIMPLEMENTED, "arrays cannot have element type %d",
                       (int)args->type);
    if (args->rank > PJ_MAX_RANK)
        return pj_fail(PJ_UNIMPLEMENTED, "expected at most %d dimensions, found %zu",
                       PJ_MAX_RANK, args->rank);
    if (args->n_strides && args->n_strides != args->rank)
        return pj_fail(PJ_INVALID_ARGUMENT, "expected %zu strides, found %zu", args->rank,
                       args->n_strides);
    for (size_t i = 0; i < args->rank; i++)
        if (args->dims[i] < 0)
            return pj_fail(PJ_INVALID_ARGUMENT, "dimension %zu has size %lld", i,
                           (long long)args->dims[i]);
    pj_buffer *buffer = pj_buffer_create(device, args->type, args->dims, args->rank);
    if (!buffer)
        return pj_fail(PJ_RESOURCE_EXHAUSTED, "no memory for an array of %s",
                       pj_type_name(args->type));
    pj_dense_strides(args->dims, args->rank, size, dense);
    pj_copy_strided(buffer->bytes->data, dense, args->data,
                    args->n_strides ? args->byte_strides : dense, args->dims, args->rank,
                    size);
    args->done = pj_event_done();
    args->buffer = buffer;
    return NULL;
}

/* Byte strides of the caller's memory. */
static pj_error *strides_of(const pj_buffer *buffer, const pj_layout *layout,
                            int64_t *strides)
{
    size_t size = pj_type_size(buffer->type);
    pj_dense_strides(buffer->dims, buffer->rank, size, strides);
    if (!layout)
        return NULL;
    bool strided = layout->type == PJ_STRIDES;
    size_t rank = strided ? layout->strided.rank : layout->tiled.rank;
    if (rank != buffer->rank || (!strided && layout->tiled.n_tiles))
        return pj_fail(PJ_UNIMPLEMENTED,
                       "expected a layout without tiles of %zu dimensions, found %zu",
                       buffer->rank, rank);
    if (strided) {
        memcpy(strides, layout->strided.byte_strides, rank * sizeof *strides);
        return NULL;
    }
    int64_t stride = (int64_t)size;
    for (size_t i = 0; i < rank; i++) {
        int64_t at = layout->tiled.minor_to_major[i];
        if (at < 0 || (size_t)at >= rank)
            return pj_fail(PJ_INVALID_ARGUMENT, "the layout has a dimension %lld",
                           (long long)at);
        strides[at] = stride;
        stride *= buffer->dims[at];
    }
    return NULL;
}

pj_error *pj_buffer_to_host_buffer(pj_to_host_args *args)
{
    int64_t dense[PJ_MAX_RANK], strides[PJ_MAX_RANK];
    pj_buffer *buffer = args->buffer;

    if (!args->data) {
        args->size = buffer->size;
        return NULL;
    }
    if (args->size < buffer->size)
        return pj_fail(PJ_INVALID_ARGUMENT, "expected memory of %zu bytes, found %zu",
                       buffer->size, args->size);
    pj_error *error = strides_of(buffer, args->layout, strides);
    if (error)
        return error;
    pj_bytes *bytes = pj_buffer_hold(buffer);
    if (!bytes)
        return deleted("fetching");
    size_t size = pj_type_size(buffer->type);
    pj_dense_strides(buffer->dims, buffer->rank, size, dense);
    pj_copy_strided(args->data, strides, bytes->data, dense, buffer->dims, buffer->rank,
                    size);
    pj_bytes_release(bytes);
    args->event = pj_event_done();
    return NULL;
}

pj_error *pj_buffer_copy_raw_to_host(pj_raw_to_host_args *args)
{
    size_t whole = args->buffer->size;
    if (args->offset < 0 || args->size < 0 || (size_t)args->offset > whole ||
        (size_t)args->size > whole - (size_t)args->offset)
        return pj_fail(PJ_INVALID_ARGUMENT, "bytes %lld to %lld are not in the array's %zu",
                       (long long)args->offset, (long long)(args->offset + args->size),
                       whole);
    pj_bytes *bytes = pj_buffer_hold(args->buffer);
    if (!bytes)
        return deleted("fetching");
    memcpy(args->data, (char *)bytes->data + args->offset, (size_t)args->size);
    pj_bytes_release(bytes);
    args->event = pj_event_done();
    return NULL;
}

/* Buffers are never written once they exist, so copies share their bytes. */
static pj_error *copy_to(pj_copy_args *args, pj_device *device)
{
    pj_buffer *from = args->buffer;
    if (device->client != from->client)
        return pj_fail(PJ_INVALID_ARGUMENT, "the target belongs to another client");
    pj_bytes *bytes = pj_buffer_hold(from);
    if (!bytes)
        return deleted("copying");
    args->copy = make_buffer(device, from->type, from->dims, from->rank, bytes);
    return args->copy ? NULL : pj_no_memory(sizeof *from);
}

pj_error *pj_buffer_copy_to_device(pj_copy_args *args)
{
    return copy_to(args, args->target);
}

pj_error *pj_buffer_copy_to_memory(pj_copy_args *args)
{
    return copy_to(args, ((pj_memory *)args->target)->device);
}

pj_error *pj_buffer_destroy(pj_of_args *args)
{
    pj_buffer_free(args->object);
    return NULL;
}

pj_error *pj_buffer_delete(pj_of_args *args)
{
    pj_buffer_drop(args->object);
    return NULL;
}

pj_error *pj_buffer_is_deleted(pj_bool_args *args)
{
    pj_bytes *bytes = pj_buffer_hold(args->object);
    args->value = !bytes;
    pj_bytes_release(bytes);
    return NULL;
}

pj_error *pj_buffer_element_type(pj_int_args *args)
{
    args->value = (int)((pj_buffer *)args->object)->type;
    return NULL;
}

pj_error *pj_buffer_dimensions(pj_list_args *args)
{
    pj_buffer *buffer = args->object;
    args->items = buffer->dims;
    args->count = buffer->rank;
    return NULL;
}

pj_error *pj_buffer_unpadded_dimensions(pj_list_args *args)
{
    return pj_buffer_dimensions(args);
}

pj_error *pj_buffer_dynamic_dimension_indices(pj_list_args *args)
{
    args->items = NULL;
    args->count = 0;
    return NULL;
}

pj_error *pj_buffer_get_memory_layout(pj_layout_args *args)
{
    args->layout = (pj_layout){
        .struct_size = sizeof args->layout,
        .tiled = {.struct_size = sizeof args->layout.tiled,
                  .minor_to_major = args->buffer->minor_to_major,
                  .rank = args->buffer->rank},
        .type = PJ_TILED,
    };
    return NULL;
}

pj_error *pj_buffer_on_device_size_in_bytes(pj_size_args *args)
{
    args->value = ((pj_buffer *)args->object)->size;
    return NULL;
}

pj_error *pj_buffer_device(pj_to_args *args)
{
    args->other = ((pj_buffer *)args->object)->device;
    return NULL;
}

pj_error *pj_buffer_memory(pj_to_args *args)
{
    args->other = ((pj_buffer *)args->object)->device->memory;
    return NULL;
}

pj_error *pj_buffer_is_on_cpu(pj_bool_args *args)
{
    args->value = false;
    return NULL;
}

pj_error *pj_buffer_ready_event(pj_to_args *args)
{
    args->other = pj_event_done();
    return NULL;
}

pj_error *pj_buffer_unsafe_pointer(pj_size_args *args)
{
    pj_bytes *bytes = pj_buffer_hold(args->object);
    if (!bytes)
        return deleted("taking the address");
    args->value = (size_t)bytes->data;
    pj_bytes_release(bytes);
    return NULL;
}
