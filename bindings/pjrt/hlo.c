/* hlo.c: what XLA's client gets of a program: a serialised
 * HloModuleProtoWithConfig of one custom call, from the arguments to the results. The
 * client reads only shapes from it, and reads it after each compilation: the program
 * itself, as MLIR, costs it a context of its own and ten milliseconds. */
#include "pjrt.h"

#include "support/strbuf.h"

#include <stdio.h>
#include <string.h>

/* Fields of the messages, named for what they hold. */
enum {
    VARINT = 0,
    BYTES = 2,
    WHOLE_MODULE = 1,
    WHOLE_CONFIG = 2,
    CONFIG_SHAPE = 1,
    CONFIG_REPLICAS = 4,
    CONFIG_PARTITIONS = 5,
    MODULE_NAME = 1,
    MODULE_ENTRY_NAME = 2,
    MODULE_COMPUTATION = 3,
    MODULE_SHAPE = 4,
    MODULE_ENTRY = 6,
    COMPUTATION_NAME = 1,
    COMPUTATION_INSTRUCTION = 2,
    COMPUTATION_SHAPE = 4,
    COMPUTATION_ID = 5,
    COMPUTATION_ROOT = 6,
    INSTRUCTION_NAME = 1,
    INSTRUCTION_OPCODE = 2,
    INSTRUCTION_SHAPE = 3,
    INSTRUCTION_PARAMETER = 9,
    INSTRUCTION_TARGET = 28,
    INSTRUCTION_ID = 35,
    INSTRUCTION_OPERAND = 36,
    PROGRAM_ARGUMENT = 1,
    PROGRAM_RESULT = 2,
    PROGRAM_ARGUMENT_NAME = 3,
    SHAPE_TYPE = 2,
    SHAPE_DIMENSION = 3,
    SHAPE_PART = 4,
    SHAPE_LAYOUT = 5,
    SHAPE_IS_DYNAMIC = 6,
    LAYOUT_ORDER = 1,
};

enum { TUPLE_TYPE = 13 };

static void put_varint(tw_strbuf *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        tw_strbuf_putc(out, (char)(value | 128));
    tw_strbuf_putc(out, (char)value);
}

static void put_number(tw_strbuf *out, int field, uint64_t value)
{
    put_varint(out, (uint64_t)field << 3 | VARINT);
    put_varint(out, value);
}

static void put_text(tw_strbuf *out, int field, const char *text)
{
    put_varint(out, (uint64_t)field << 3 | BYTES);
    put_varint(out, strlen(text));
    tw_strbuf_puts(out, text);
}

/* Appends the message as a field, and empties it. */
static void put_message(tw_strbuf *out, int field, tw_strbuf *message)
{
    put_varint(out, (uint64_t)field << 3 | BYTES);
    put_varint(out, message->size);
    tw_strbuf_append(out, message->data, message->size);
    tw_strbuf_free(message);
}

static tw_strbuf shape_of(const pj_value *v)
{
    tw_strbuf shape = {0}, layout = {0};
    put_number(&shape, SHAPE_TYPE, (uint64_t)pj_type_xla(v->type));
    if (v->type == PJ_TOKEN)
        return shape;
    for (size_t i = 0; i < v->rank; i++) {
        put_number(&shape, SHAPE_DIMENSION, (uint64_t)v->dims[i]);
        put_number(&layout, LAYOUT_ORDER, v->rank - 1 - i);
    }
    put_message(&shape, SHAPE_LAYOUT, &layout);
    for (size_t i = 0; i < v->rank; i++)
        put_number(&shape, SHAPE_IS_DYNAMIC, false);
    return shape;
}

/* One result is itself; any other number of them is a tuple. */
static tw_strbuf shape_of_results(const pj_signature *s)
{
    tw_strbuf shape = {0};
    if (s->n_results == 1)
        return shape_of(&s->results[0]);
    put_number(&shape, SHAPE_TYPE, TUPLE_TYPE);
    for (size_t i = 0; i < s->n_results; i++) {
        tw_strbuf part = shape_of(&s->results[i]);
        put_message(&shape, SHAPE_PART, &part);
    }
    return shape;
}

static void name_argument(size_t i, char name[32])
{
    snprintf(name, 32, "argument.%zu", i);
}

static tw_strbuf shape_of_program(const pj_signature *s)
{
    tw_strbuf shape = {0};
    char name[32];
    for (size_t i = 0; i < s->n_arguments; i++) {
        tw_strbuf argument = shape_of(&s->arguments[i]);
        put_message(&shape, PROGRAM_ARGUMENT, &argument);
    }
    tw_strbuf results = shape_of_results(s);
    put_message(&shape, PROGRAM_RESULT, &results);
    for (size_t i = 0; i < s->n_arguments; i++) {
        name_argument(i, name);
        put_text(&shape, PROGRAM_ARGUMENT_NAME, name);
    }
    return shape;
}

static tw_strbuf argument_of(const pj_signature *s, size_t i)
{
    tw_strbuf instruction = {0}, shape = shape_of(&s->arguments[i]);
    char name[32];
    name_argument(i, name);
    put_text(&instruction, INSTRUCTION_NAME, name);
    put_text(&instruction, INSTRUCTION_OPCODE, "parameter");
    put_message(&instruction, INSTRUCTION_SHAPE, &shape);
    put_number(&instruction, INSTRUCTION_PARAMETER, i);
    put_number(&instruction, INSTRUCTION_ID, i + 1);
    return instruction;
}

static tw_strbuf call_of(const pj_signature *s)
{
    tw_strbuf instruction = {0}, shape = shape_of_results(s);
    put_text(&instruction, INSTRUCTION_NAME, "run");
    put_text(&instruction, INSTRUCTION_OPCODE, "custom-call");
    put_message(&instruction, INSTRUCTION_SHAPE, &shape);
    put_text(&instruction, INSTRUCTION_TARGET, "tt.program");
    put_number(&instruction, INSTRUCTION_ID, s->n_arguments + 1);
    for (size_t i = 0; i < s->n_arguments; i++)
        put_number(&instruction, INSTRUCTION_OPERAND, i + 1);
    return instruction;
}

static tw_strbuf computation_of(const pj_signature *s)
{
    tw_strbuf computation = {0}, part;
    put_text(&computation, COMPUTATION_NAME, "main");
    for (size_t i = 0; i < s->n_arguments; i++) {
        part = argument_of(s, i);
        put_message(&computation, COMPUTATION_INSTRUCTION, &part);
    }
    part = call_of(s);
    put_message(&computation, COMPUTATION_INSTRUCTION, &part);
    part = shape_of_program(s);
    put_message(&computation, COMPUTATION_SHAPE, &part);
    put_number(&computation, COMPUTATION_ID, 1);
    put_number(&computation, COMPUTATION_ROOT, s->n_arguments + 1);
    return computation;
}

static tw_strbuf module_of(const pj_signature *s)
{
    tw_strbuf module = {0}, part;
    put_text(&module, MODULE_NAME, s->name);
    put_text(&module, MODULE_ENTRY_NAME, "main");
    part = computation_of(s);
    put_message(&module, MODULE_COMPUTATION, &part);
    part = shape_of_program(s);
    put_message(&module, MODULE_SHAPE, &part);
    put_number(&module, MODULE_ENTRY, 1);
    return module;
}

char *pj_hlo_write(const pj_signature *s, size_t *out_size)
{
    tw_strbuf whole = {0}, config = {0}, module = module_of(s), shape = shape_of_program(s);
    put_message(&config, CONFIG_SHAPE, &shape);
    put_number(&config, CONFIG_REPLICAS, 1);
    put_number(&config, CONFIG_PARTITIONS, 1);
    put_message(&whole, WHOLE_MODULE, &module);
    put_message(&whole, WHOLE_CONFIG, &config);
    *out_size = whole.size;
    return tw_strbuf_take(&whole);
}
