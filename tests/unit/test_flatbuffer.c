/* test_flatbuffer.c: flatbuffers written, read, verified and printed; semantic checks of
 * programs; system descriptors. */
#include "flatbuffer/json.h"
#include "support/file.h"
#include "ttcore/system/sysdesc.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a small program by hand -------------------------------------------------------- */

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

typedef struct bend { /* one deliberate error */
    bool undefined_input, deallocated_input, twice_described, unknown_program, circular;
    bool negative_dim, short_constant, no_debug_info;
} bend;

static fb_ref make_tensor(fb_builder *b, uint32_t id, int32_t rows)
{
    fb_row row;
    int64_t shape[] = {rows, 4}, mesh[] = {1, 1};
    fb_start(&row, FB_TABLE_ttnn_MemoryDesc);
    fb_put_dim2d(&row, FB_ttnn_MemoryDesc_tile_shape, 32, 32);
    fb_put_int(&row, FB_ttnn_MemoryDesc_storage_type, FB_ttnn_StorageType_Device);
    fb_put_int(&row, FB_ttnn_MemoryDesc_data_type, FB_DataType_BFloat16);
    fb_ref memory = fb_end(b, &row);
    fb_start(&row, FB_TABLE_ttnn_LayoutDesc);
    fb_put_ref(&row, FB_ttnn_LayoutDesc_memory_desc, memory);
    fb_ref layout = fb_end(b, &row);
    fb_start(&row, FB_TABLE_ttnn_TensorDesc);
    fb_put_ref(&row, FB_ttnn_TensorDesc_shape, fb_make_ints(b, FB_I32, shape, 2));
    fb_put_ref(&row, FB_ttnn_TensorDesc_mesh_shape, fb_make_ints(b, FB_I32, mesh, 2));
    fb_put_ref(&row, FB_ttnn_TensorDesc_layout, layout);
    fb_ref desc = fb_end(b, &row);
    fb_start(&row, FB_TABLE_ttnn_TensorRef);
    fb_put_int(&row, FB_ttnn_TensorRef_global_id, id);
    fb_put_ref(&row, FB_ttnn_TensorRef_desc, desc);
    return fb_end(b, &row);
}

static fb_ref make_op(fb_builder *b, unsigned kind, fb_ref table, bool with_debug_info)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_Operation);
    fb_put_union(&row, FB_ttnn_Operation_type, kind, table);
    if (with_debug_info)
        fb_put_ref(&row, FB_ttnn_Operation_debug_info, fb_make_string(b, TW_STR("text")));
    fb_put_ref(&row, FB_ttnn_Operation_loc_info,
               fb_make_string(b, TW_STR("loc(\"here\")")));
    return fb_end(b, &row);
}

static fb_ref make_program(fb_builder *b, const bend *bend)
{
    fb_ref in = make_tensor(b, 1, bend->negative_dim ? -3 : 3);
    fb_ref out = make_tensor(b, 2, 3), constant = make_tensor(b, 3, 3), ops[4];
    fb_ref other = bend->undefined_input   ? make_tensor(b, 9, 3)
                   : bend->twice_described ? make_tensor(b, 1, 5)
                                           : in;
    size_t n = 0;
    fb_row row;
    if (bend->deallocated_input) {
        fb_start(&row, FB_TABLE_ttnn_DeallocateOp);
        fb_put_ref(&row, FB_ttnn_DeallocateOp_in, in);
        ops[n++] = make_op(b, FB_ttnn_OpType_DeallocateOp, fb_end(b, &row), true);
    }
    uint8_t data[24] = {0};
    fb_start(&row, FB_TABLE_ttnn_ConstantOp);
    fb_put_ref(&row, FB_ttnn_ConstantOp_input,
               fb_make_bytes(b, data, bend->short_constant ? 20 : 24));
    fb_put_int(&row, FB_ttnn_ConstantOp_input_dtype, FB_DataType_BFloat16);
    fb_put_ref(&row, FB_ttnn_ConstantOp_out, constant);
    ops[n++] = make_op(b, FB_ttnn_OpType_ConstantOp, fb_end(b, &row), true);
    fb_start(&row, FB_TABLE_ttnn_EltwiseBinaryOp);
    fb_put_int(&row, FB_ttnn_EltwiseBinaryOp_type, FB_ttnn_EltwiseBinaryOpType_Subtract);
    fb_put_ref(&row, FB_ttnn_EltwiseBinaryOp_lhs, other);
    fb_put_ref(&row, FB_ttnn_EltwiseBinaryOp_rhs, constant);
    fb_put_int(&row, FB_ttnn_EltwiseBinaryOp_output_dtype, FB_DataType_Float32);
    fb_put_ref(&row, FB_ttnn_EltwiseBinaryOp_out, out);
    ops[n++] =
        make_op(b, FB_ttnn_OpType_EltwiseBinaryOp, fb_end(b, &row), !bend->no_debug_info);
    if (bend->unknown_program || bend->circular) {
        fb_start(&row, FB_TABLE_ttnn_FuncCallOp);
        fb_put_int(&row, FB_ttnn_FuncCallOp_program_id, bend->circular ? 0 : 7);
        fb_put_ref(&row, FB_ttnn_FuncCallOp_inputs, fb_make_refs(b, &in, 1));
        fb_put_ref(&row, FB_ttnn_FuncCallOp_outputs, fb_make_refs(b, NULL, 0));
        fb_put_ref(&row, FB_ttnn_FuncCallOp_semaphore_inputs, fb_make_refs(b, NULL, 0));
        ops[n++] = make_op(b, FB_ttnn_OpType_FuncCallOp, fb_end(b, &row), true);
    }
    fb_start(&row, FB_TABLE_DebugInfo);
    fb_ref debug = fb_end(b, &row);
    fb_start(&row, FB_TABLE_ttnn_Program);
    fb_put_ref(&row, FB_ttnn_Program_name, fb_make_string(b, TW_STR("main")));
    fb_put_ref(&row, FB_ttnn_Program_inputs, fb_make_refs(b, &in, 1));
    fb_put_ref(&row, FB_ttnn_Program_outputs, fb_make_refs(b, &out, 1));
    fb_put_ref(&row, FB_ttnn_Program_operations, fb_make_refs(b, ops, n));
    fb_put_ref(&row, FB_ttnn_Program_debug_info, debug);
    return fb_end(b, &row);
}

static bytes make_file(const bend *bend)
{
    fb_builder b = {0};
    fb_row row, mlir;
    fb_system *system;
    assert_null(fb_system_preset("n150", 0, &system));
    fb_ref program = make_program(&b, bend);
    fb_start(&mlir, FB_TABLE_MLIR);
    fb_put_ref(&mlir, FB_MLIR_name, fb_make_string(&b, TW_STR("ttnn")));
    fb_put_ref(&mlir, FB_MLIR_source, fb_make_string(&b, TW_STR("module {}")));
    fb_start(&row, FB_TABLE_ttnn_TTNNBinary);
    fb_put_stamp(&b, &row, FB_FILE_TTNN,
                 (struct fb_stamp){FB_ttnn_TTNNBinary_version,
                                   FB_ttnn_TTNNBinary_schema_hash,
                                   FB_ttnn_TTNNBinary_ttmlir_git_hash});
    fb_put_ref(&row, FB_ttnn_TTNNBinary_system_desc, fb_make_system_desc(&b, system));
    fb_put_ref(&row, FB_ttnn_TTNNBinary_mlir, fb_end(&b, &mlir));
    fb_put_ref(&row, FB_ttnn_TTNNBinary_programs, fb_make_refs(&b, &program, 1));
    fb_ref root = fb_end(&b, &row);
    void *data;
    bytes out;
    assert_null(fb_finish(&b, FB_FILE_TTNN, root, &data, &out.size));
    out.data = data;
    free(system);
    return out;
}

/* The message must contain `expected`; frees the file. */
static void expect_error(tw_status status, const char *expected)
{
    assert_non_null(status);
    if (!strstr(tw_status_message(status), expected))
        fail_msg("'%s' does not hold '%s'", tw_status_message(status), expected);
    tw_status_free(status);
}

/* ---- tests -------------------------------------------------------------------------- */

static void schema_rows_are_whole(void **state)
{
    (void)state;
    for (int t = 0; t < FB_TABLE_COUNT; t++)
        for (int slot = 0; slot < fb_tables[t].n_fields; slot++) {
            const fb_field *field = &fb_tables[t].fields[slot];
            assert_non_null(field->name);
            /* a union's discriminator precedes it */
            if (field->kind == FB_KIND_UNION) {
                assert_true(slot > 0);
                assert_int_equal(field[-1].kind, FB_KIND_UTYPE);
                assert_int_equal(field[-1].of, field->of);
                assert_int_equal(field[-1].vector, field->vector);
            }
        }
    for (int u = 0; u < FB_UNION_COUNT; u++)
        for (int i = 0; i < fb_unions[u].n_alternatives; i++)
            assert_non_null(fb_unions[u].alternatives[i].name);
}

static void programs_come_back(void **state)
{
    (void)state;
    bytes file = make_file(&(bend){0});
    fb_ttnn ttnn;
    assert_int_equal(file.size % 8, 0);
    assert_null(fb_ttnn_open(file.data, file.size, &ttnn));
    assert_int_equal(fb_ttnn_program_count(&ttnn), 1);
    assert_int_equal(fb_ttnn_find(&ttnn, TW_STR("main")), 0);
    assert_int_equal(fb_ttnn_find(&ttnn, TW_STR("mai")), -1);
    fb_program program = fb_ttnn_program(&ttnn, 0);
    assert_int_equal(program.n_operations, 2);
    assert_false(program.is_private);
    fb_op op = fb_program_op(&program, 1);
    assert_int_equal(op.kind, FB_ttnn_OpType_EltwiseBinaryOp);
    assert_string_equal(fb_op_kind_name(op.kind), "EltwiseBinaryOp");
    assert_string_equal(fb_op_subtype_name(&op), "Subtract");
    assert_true(tw_str_is(op.loc, "loc(\"here\")"));
    fb_tensor out;
    assert_true(fb_get_tensor(op.table, FB_ttnn_EltwiseBinaryOp_out, &out));
    assert_int_equal(out.id, 2);
    assert_int_equal(out.rank, 2);
    assert_int_equal(out.dims[0], 3);
    assert_int_equal(out.dims[1], 4);
    assert_int_equal(out.dtype, TW_BF16);
    assert_true(out.tiled && out.on_device && !out.has_memory);
    /* optional scalars: set to the default value, yet written */
    assert_true(fb_has(op.table, FB_ttnn_EltwiseBinaryOp_output_dtype));
    assert_int_equal(fb_get_int(op.table, FB_ttnn_EltwiseBinaryOp_output_dtype),
                     FB_DataType_Float32);
    fb_op constant = fb_program_op(&program, 0);
    assert_false(fb_has(constant.table, FB_ttnn_ConstantOp_dtype));
    assert_int_equal(fb_get_vec(constant.table, FB_ttnn_ConstantOp_input).count, 24);
    free(file.data);
}

static void meaning_is_checked(void **state)
{
    (void)state;
    static const struct {
        bend bend;
        const char *message;
    } cases[] = {
        {{.undefined_input = true}, "tensor 9 is used before it is defined"},
        {{.deallocated_input = true},
         "operation 2 (EltwiseBinaryOp): tensor 1 is used after it was "
         "deallocated"},
        {{.twice_described = true}, "tensor 1 is described in two ways"},
        {{.unknown_program = true}, "calls a program that the file does not have"},
        {{.circular = true}, "program 'main' calls itself"},
        {{.negative_dim = true}, "tensor 1 has a negative dimension"},
        {{.short_constant = true},
         "(ConstantOp): the constant's data does not have the size"},
        {{.no_debug_info = true}, "programs[0].operations[1].debug_info: missing"},
    };
    for (size_t i = 0; i < TW_COUNT(cases); i++) {
        bytes file = make_file(&cases[i].bend);
        fb_ttnn ttnn;
        expect_error(fb_ttnn_open(file.data, file.size, &ttnn), cases[i].message);
        free(file.data);
    }
}

/* Opens a copy of exactly its size, so that sanitizers detect every overrun. */
static tw_status open_copy(const uint8_t *data, size_t size, bool *out_printed)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    fb_ttnn ttnn;
    tw_status status = fb_ttnn_open(copy, size, &ttnn);
    if (!status) {
        tw_strbuf text = {0};
        tw_status_free(fb_to_json(ttnn.root, 0, 1 << 20, &text));
        *out_printed = text.size > 0;
        tw_strbuf_free(&text);
    }
    free(copy);
    return status;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    bytes file = make_file(&(bend){0});
    bool printed;
    for (size_t size = 0; size < file.size; size++) {
        tw_status status = open_copy(file.data, size, &printed);
        assert_non_null(status);
        tw_status_free(status);
        /* truncated, with a matching size prefix */
        uint8_t *copy = malloc(size + 4);
        memcpy(copy, file.data, size);
        uint32_t rest = (uint32_t)size - 4;
        if (size >= 4)
            memcpy(copy, &rest, 4);
        status = open_copy(copy, size, &printed);
        tw_status_free(status);
        free(copy);
    }
    free(file.data);
}

static void flipped_bits_do_no_harm(void **state)
{
    (void)state;
    bytes file = make_file(&(bend){0});
    size_t refused = 0;
    bool printed;
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        tw_status status = open_copy(file.data, file.size, &printed);
        refused += status != NULL;
        if (status)
            assert_true(tw_status_message(status)[0] != 0);
        tw_status_free(status);
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(refused > file.size); /* structure is most of this file */
    free(file.data);
}

static void messages_name_place_and_field(void **state)
{
    (void)state;
    bytes file = make_file(&(bend){0});
    fb_view root;
    assert_null(fb_open(file.data, file.size, FB_FILE_TTNN, &root));
    fb_view program = fb_vec_table(fb_get_vec(root, FB_ttnn_TTNNBinary_programs), 0);
    tw_str name = fb_get_str(program, FB_ttnn_Program_name);
    uint8_t *length = (uint8_t *)name.data - 4;
    char expected[64];
    snprintf(expected, sizeof expected, "byte %zu, programs[0].name: string of ",
             (size_t)(length - file.data));
    length[2] = 0xFF;
    expect_error(fb_open(file.data, file.size, FB_FILE_TTNN, &root), expected);
    length[2] = 0;
    expect_error(fb_open(file.data, file.size, FB_FILE_TTSYS, &root), "identifier TTSY");
    file.data[0]++;
    expect_error(fb_open(file.data, file.size, FB_FILE_TTNN, &root), "size prefix");
    file.data[8] = 'X';
    fb_file_id kind;
    expect_error(fb_detect(file.data, file.size, &kind), "Unsupported binary format");
    free(file.data);
}

static void json_is_as_flatc_prints(void **state)
{
    (void)state;
    fb_builder b = {0};
    fb_row row, param;
    double params[] = {0.5, 1e-7, 3};
    uint64_t range[4] = {0, 1, 7, 7};
    fb_start(&param, FB_TABLE_ttnn_UnaryWithParam);
    fb_put_int(&param, FB_ttnn_UnaryWithParam_op_type, FB_ttnn_UnaryOpType_Relu);
    fb_put_ref(&param, FB_ttnn_UnaryWithParam_params, fb_make_reals(&b, FB_F64, params, 3));
    fb_ref set;
    fb_start(&row, FB_TABLE_ttnn_CoreRangeSet);
    fb_put_ref(&row, FB_ttnn_CoreRangeSet_core_ranges,
               fb_make_structs(&b, FB_STRUCT_ttnn_CoreRange, range, 1));
    set = fb_end(&b, &row);
    fb_start(&row, FB_TABLE_ttnn_Conv2dConfig);
    fb_put_ref(&row, FB_ttnn_Conv2dConfig_activation, fb_end(&b, &param));
    fb_put_ref(&row, FB_ttnn_Conv2dConfig_core_grid, set);
    fb_put_int(&row, FB_ttnn_Conv2dConfig_reallocate_halo_output, 0);
    fb_put_int(&row, FB_ttnn_Conv2dConfig_act_block_w_div, 4000000000);
    fb_ref ref = fb_end(&b, &row);
    fb_view view = {b.data + b.capacity - ref, &fb_tables[FB_TABLE_ttnn_Conv2dConfig]};
    assert_int_equal(
        (uintptr_t)fb_get_vec(fb_get_table(view, FB_ttnn_Conv2dConfig_core_grid),
                              FB_ttnn_CoreRangeSet_core_ranges)
                .at %
            8,
        (uintptr_t)(b.data + b.capacity) % 8);
    tw_strbuf text = {0};
    assert_null(fb_to_json(view, 0, 0, &text));
    assert_string_equal(text.data, "{\n"
                                   "  \"weights_dtype\": null,\n"
                                   "  \"activation\": {\n"
                                   "    \"op_type\": \"Relu\",\n"
                                   "    \"params\": [\n"
                                   "      0.5,\n"
                                   "      1e-07,\n"
                                   "      3.0\n"
                                   "    ]\n"
                                   "  },\n"
                                   "  \"deallocate_activation\": null,\n"
                                   "  \"reallocate_halo_output\": false,\n"
                                   "  \"act_block_h_override\": null,\n"
                                   "  \"act_block_w_div\": 4000000000,\n"
                                   "  \"reshard_if_not_optimal\": null,\n"
                                   "  \"override_sharding_config\": null,\n"
                                   "  \"shard_layout\": null,\n"
                                   "  \"core_grid\": {\n"
                                   "    \"core_ranges\": [\n"
                                   "      {\n"
                                   "        \"start_coord\": {\n"
                                   "          \"x\": 0,\n"
                                   "          \"y\": 1\n"
                                   "        },\n"
                                   "        \"end_coord\": {\n"
                                   "          \"x\": 7,\n"
                                   "          \"y\": 7\n"
                                   "        }\n"
                                   "      }\n"
                                   "    ]\n"
                                   "  },\n"
                                   "  \"transpose_shards\": null,\n"
                                   "  \"output_layout\": null,\n"
                                   "  \"enable_act_double_buffer\": null,\n"
                                   "  \"enable_weights_double_buffer\": null,\n"
                                   "  \"enable_kernel_stride_folding\": null,\n"
                                   "  \"config_tensors_in_dram\": null\n"
                                   "}");
    tw_strbuf_free(&text);
    expect_error(fb_to_json(view, 0, 50, &text), "exceed 50 bytes");
    tw_strbuf_free(&text);
    fb_builder_free(&b);
    tw_json_string(&text, TW_STR("a\"\\\n\x01\x7f\xc3\xa9\xf0\x9f\x98\x80\xff/"));
    assert_string_equal(text.data,
                        "\"a\\\"\\\\\\n\\u0001\\u007F\\u00E9\\uD83D\\uDE00\\uFFFD/\"");
    tw_strbuf_free(&text);
}

static void defaults_and_vtables_are_shared(void **state)
{
    (void)state;
    fb_builder b = {0};
    fb_row row;
    fb_ref refs[3];
    for (int i = 0; i < 3; i++) {
        fb_start(&row, FB_TABLE_DeviceRef);
        fb_put_int(&row, FB_DeviceRef_global_id, i); /* 0 is the default: not written */
        refs[i] = fb_end(&b, &row);
    }
    fb_view views[3];
    for (int i = 0; i < 3; i++)
        views[i] = (fb_view){b.data + b.capacity - refs[i], &fb_tables[FB_TABLE_DeviceRef]};
    assert_false(fb_has(views[0], FB_DeviceRef_global_id));
    assert_int_equal(fb_get_int(views[0], FB_DeviceRef_global_id), 0);
    assert_int_equal(fb_get_int(views[2], FB_DeviceRef_global_id), 2);
    assert_int_equal(b.n_vtables, 2);
    fb_builder_free(&b);
    /* a default that is not zero */
    fb_start(&row, FB_TABLE_ttnn_Pool2dOp);
    fb_put_int(&row, FB_ttnn_Pool2dOp_reallocate_halo_output, 1);
    assert_false(row.set[FB_ttnn_Pool2dOp_reallocate_halo_output]);
    fb_put_int(&row, FB_ttnn_Pool2dOp_reallocate_halo_output, 0);
    assert_true(row.set[FB_ttnn_Pool2dOp_reallocate_halo_output]);
}

static void systems_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; fb_system_preset_name(i); i++) {
        fb_system *system, *again;
        void *data;
        size_t size;
        fb_view root;
        assert_null(fb_system_preset(fb_system_preset_name(i), i == 0 ? 8 : 0, &system));
        assert_null(fb_sysdesc_write(system, &data, &size));
        assert_null(fb_open(data, size, FB_FILE_TTSYS, &root));
        assert_null(
            fb_system_read(fb_get_table(root, FB_SystemDescRoot_system_desc), &again));
        assert_memory_equal(system, again, sizeof *system);
        free(system);
        free(again);
        free(data);
    }
    fb_system *none;
    expect_error(fb_system_preset("n151", 0, &none), "there is no system 'n151'");
    expect_error(fb_system_preset("n150", 1000, &none), "at most 256");
}

static void foreign_descriptors_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/tw_sysdesc_XXXXXX";
    fb_system *system, *again;
    close(mkstemp(path));
    expect_error(fb_sysdesc_load("", &again), "system desc path must not be empty");
    expect_error(fb_sysdesc_load("/nonexistent/a.ttsys", &again),
                 "system desc does not exist: /nonexistent/a.ttsys");
    expect_error(fb_sysdesc_load(path, &again), "too short");
    assert_null(fb_system_preset("p150", 0, &system));
    assert_null(fb_sysdesc_store(system, path));
    assert_null(fb_sysdesc_load(path, &again));
    assert_memory_equal(system, again, sizeof *system);
    free(again);
    /* another schema's file: its hash differs */
    tw_strbuf text = {0};
    assert_null(tw_file_read(path, &text));
    char *hash = memmem(text.data, text.size, "92f6a8a8", 8);
    assert_non_null(hash);
    hash[0] = '0';
    assert_null(tw_file_write(path, text.data, text.size));
    expect_error(fb_sysdesc_load(path, &again), "system desc schema mismatch");
    tw_strbuf_free(&text);
    free(system);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_rows_are_whole),
        cmocka_unit_test(programs_come_back),
        cmocka_unit_test(meaning_is_checked),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(messages_name_place_and_field),
        cmocka_unit_test(json_is_as_flatc_prints),
        cmocka_unit_test(defaults_and_vtables_are_shared),
        cmocka_unit_test(systems_come_back),
        cmocka_unit_test(foreign_descriptors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
