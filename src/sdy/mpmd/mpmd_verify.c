/* mpmd_verify.c: verifies mpmd's operations: tensors are on meshes of the function's
 * topology, and the types at calls, loops and fragments match. */
#include "mlir/func/func.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"

/* Reports at the operation, without its name. */
#define FAIL(op, ...) ir_error((op)->ctx, (op)->loc, __VA_ARGS__)

static ir_op *enclosing_function(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}

ir_attr mpmd_mesh_named(ir_op *op, tw_str name)
{
    ir_op *function = enclosing_function(op);
    ir_attr topology = function ? ir_op_attr(function, "topology") : NULL;
    if (!ir_attr_is(topology, IR_ATTR_DIALECT) || topology->def != MPMD_ATTR(topology)) {
        tw_str symbol = function ? ir_symbol_name(function) : TW_STR("");
        FAIL(op, "Function does not have a topology attribute: %.*s", (int)symbol.size,
             symbol.data);
        return NULL;
    }
    ir_attr meshes = topology->params[0];
    for (uint32_t i = 0; i < sdy_length(meshes); i++)
        if (tw_str_equal(ir_attr_str(meshes->items[i]->params[0]), name))
            return meshes->items[i]->params[1];
    FAIL(op, "Topology doesn't have a mesh with name: %.*s", (int)name.size, name.data);
    return NULL;
}

/* ---- tensors on a mesh -------------------------------------------------------------- */

static bool check_on_mesh(ir_op *op, ir_attr mesh, ir_type type)
{
    ir_attr sharding = type->params[MPMD_TYPE_SHARDING];
    ir_type tensor = type->params[MPMD_TYPE_TENSOR]->type;
    if (!sharding)
        return true;
    if (!sdy_check_sharding_on(&(sdy_location){op, ""}, mesh, sharding, tensor))
        return false;
    for (uint32_t d = 0; d < sdy_sharding_rank(sharding); d++) {
        ir_attr axes = sharding->params[1]->items[d]->params[0];
        int64_t shards = 1;
        for (uint32_t i = 0; i < sdy_length(axes); i++)
            shards *= sdy_axis_size(mesh, axes->items[i]);
        if (shards > 0 && tensor->dims[d] % shards != 0)
            return ir_op_error(op,
                               "dim %u with size %lld is not divisible by its sharded size "
                               "%lld",
                               d, (long long)tensor->dims[d], (long long)shards);
    }
    return true;
}

static bool check_mesh_tensor(ir_op *op, ir_type type)
{
    ir_attr mesh = mpmd_mesh_named(op, ir_attr_str(type->params[MPMD_TYPE_MESH]));
    return mesh && check_on_mesh(op, mesh, type);
}

static bool check_memory_kind(ir_op *op, ir_type type)
{
    ir_attr kind = type->params[MPMD_TYPE_MEMORY_KIND];
    if (!kind || tw_str_is(ir_attr_str(kind), "pinned_host") ||
        tw_str_is(ir_attr_str(kind), "device"))
        return true;
    return FAIL(op, "memory kind must be either 'pinned_host' or 'device'. Found '%s'.",
                kind->ident->text);
}

/* True if an attribute of the value pins it to host memory. */
static bool is_pinned_by_attr(ir_value *value)
{
    static const char name[] = "mhlo.memory_kind";
    ir_op *producer = ir_value_def(value), *owner = producer;
    ir_block *block = producer ? NULL : ir_value_block(value);
    if (!producer)
        owner = block && block->region ? block->region->owner : NULL;
    ir_attr list = owner ? ir_op_attr(owner, producer ? "res_attrs" : "arg_attrs") : NULL;
    ir_attr kind = ir_op_is(producer, MPMD_OP(transfer)) ? ir_op_attr(producer, name)
                   : ir_attr_is(list, IR_ATTR_ARRAY) && value->index < list->count &&
                           ir_attr_is(list->items[value->index], IR_ATTR_DICT)
                       ? ir_dict_get(list->items[value->index], tw_str_from(name))
                       : NULL;
    return ir_attr_is(kind, IR_ATTR_STRING) && tw_str_is(ir_attr_str(kind), "pinned_host");
}

bool mpmd_verify_transfer(ir_op *op)
{
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    if (!mpmd_is_mesh_tensor(in) || !mpmd_is_mesh_tensor(out) ||
        !check_mesh_tensor(op, in) || !check_mesh_tensor(op, out))
        return false;
    if (in->params[MPMD_TYPE_TENSOR] != out->params[MPMD_TYPE_TENSOR])
        return FAIL(
            op,
            "cannot perform transfer between given types '%s' and '%s': global tensor "
            "types are different",
            ir_type_text(op->ctx, in), ir_type_text(op->ctx, out));
    if (!check_memory_kind(op, in) || !check_memory_kind(op, out))
        return false;
    if (is_pinned_by_attr(op->operands[0].value))
        return FAIL(op,
                    "Transfers from host with attributes are not supported. Memory kinds "
                    "must be expressed in the type.");
    return !is_pinned_by_attr(&op->results[0]) ||
           FAIL(op,
                "Transfers to host with attributes are not supported. Memory kinds must "
                "expressed be in the type.");
}

static bool is_replicated(ir_attr sharding)
{
    for (uint32_t i = 0; sharding && i < sdy_sharding_rank(sharding); i++)
        if (sdy_length(sharding->params[1]->items[i]->params[0]))
            return false;
    return true;
}

bool mpmd_verify_assign(ir_op *op)
{
    ir_type a = op->operands[0].value->type, b = op->results[0].type;
    ir_type on_mesh = mpmd_is_mesh_tensor(a) ? a : b,
            local = mpmd_is_mesh_tensor(a) ? b : a;
    if (!check_mesh_tensor(op, on_mesh))
        return false;
    if (!is_replicated(on_mesh->params[MPMD_TYPE_SHARDING]))
        return FAIL(op, "MeshTensorType should be fully replicated: '%s'",
                    ir_type_text(op->ctx, on_mesh));
    return on_mesh->params[MPMD_TYPE_TENSOR]->type == local ||
           FAIL(op,
                "mismatch between the given local type '%s' and mesh_type ranked tensor "
                "type: "
                "'%s'",
                ir_type_text(op->ctx, local),
                ir_type_text(op->ctx, on_mesh->params[MPMD_TYPE_TENSOR]->type));
}

bool mpmd_verify_reduce(ir_op *op)
{
    ir_attr reduction = ir_op_attr(op, "reduction");
    const ir_enum_case *none = ir_enum_by_text(&mpmd_enum_ReductionType, TW_STR("none"));
    int64_t kind = reduction ? ir_attr_int(reduction->params[0], 0) : none->value;
    return kind != none->value || op->n_operands == 1 ||
           FAIL(op, "ReduceOp must have exactly one operand if the reduction type is none");
}

/* ---- types inside and outside ------------------------------------------------------- */

/* Values of a region or function, or the outer values that they correspond to. */
typedef struct side {
    const char *name;
    uint32_t n;
    ir_type (*at)(const void *of, uint32_t i);
    const void *of;
} side;

static ir_type operand_at(const void *op, uint32_t i)
{
    return ((const ir_op *)op)->operands[i].value->type;
}

static ir_type result_at(const void *op, uint32_t i)
{
    return ((const ir_op *)op)->results[i].type;
}

static ir_type argument_at(const void *block, uint32_t i)
{
    return ((const ir_block *)block)->args[i]->type;
}

static ir_type type_at(const void *types, uint32_t i)
{
    return ((const ir_type *)types)[i];
}

static side operands_of(const ir_op *op, const char *name)
{
    return (side){name, op->n_operands, operand_at, op};
}

static side results_of(const ir_op *op)
{
    return (side){"result", op->n_results, result_at, op};
}

static bool check_counts(ir_op *op, side in, side out)
{
    return in.n == out.n ||
           FAIL(op, "number of %ss must match the number of %ss respectively: %u != %u",
                in.name, out.name, in.n, out.n);
}

static bool check_same_types(ir_op *op, side in, side out)
{
    if (!check_counts(op, in, out))
        return false;
    for (uint32_t i = 0; i < in.n; i++)
        if (in.at(in.of, i) != out.at(out.of, i))
            return FAIL(op,
                        "expected the type of the %s to match the type of %s: '%s', got: "
                        "'%s'",
                        in.name, out.name, ir_type_text(op->ctx, in.at(in.of, i)),
                        ir_type_text(op->ctx, out.at(out.of, i)));
    return true;
}

bool mpmd_verify_named_computation(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    if (!body || !body->last)
        return true;
    side args = {"block argument", body->n_args, argument_at, body};
    return check_same_types(op, args, operands_of(op, "operand")) &&
           check_same_types(op, operands_of(body->last, "returned value"), results_of(op));
}

/* Inside a fragment a tensor on its mesh has its global tensor type. */
static bool check_fragment_type(ir_op *op, ir_attr mesh, side in, side out, uint32_t i)
{
    ir_type inner = in.at(in.of, i), outer = out.at(out.of, i);
    tw_str name = ir_attr_str(ir_op_attr(op, "mesh_name"));
    if (!mpmd_is_mesh_tensor(outer))
        return inner == outer ||
               FAIL(op, "expected the type of the %s to match the %s: '%s', got: '%s'",
                    in.name, out.name, ir_type_text(op->ctx, outer),
                    ir_type_text(op->ctx, inner));
    tw_str at = ir_attr_str(outer->params[MPMD_TYPE_MESH]);
    if (!tw_str_equal(at, name))
        return FAIL(
            op,
            "expected the mesh name of the %s to match that of the fragment op: %.*s "
            "!= %.*s",
            out.name, (int)at.size, at.data, (int)name.size, name.data);
    ir_type whole = outer->params[MPMD_TYPE_TENSOR]->type;
    return check_on_mesh(op, mesh, outer) &&
           (inner == whole ||
            FAIL(op,
                 "expected the type of the %s to be global tensor type %s: '%s', got: '%s'",
                 in.name, out.name, ir_type_text(op->ctx, whole),
                 ir_type_text(op->ctx, inner)));
}

static bool check_fragment_types(ir_op *op, ir_attr mesh, side in, side out)
{
    if (!check_counts(op, in, out))
        return false;
    for (uint32_t i = 0; i < in.n; i++)
        if (!check_fragment_type(op, mesh, in, out, i))
            return false;
    return true;
}

bool mpmd_verify_fragment(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    if (!body || !body->last || !enclosing_function(op))
        return true; /* no enclosing function: a portable artifact */
    ir_attr mesh = op->n_operands + op->n_results + body->n_args
                       ? mpmd_mesh_named(op, ir_attr_str(ir_op_attr(op, "mesh_name")))
                       : NULL;
    side args = {"block argument", body->n_args, argument_at, body};
    return !(op->n_operands + op->n_results + body->n_args) ||
           (mesh && check_fragment_types(op, mesh, args, operands_of(op, "operand")) &&
            check_fragment_types(op, mesh, operands_of(body->last, "returned value"),
                                 results_of(op)));
}

/* The function's type, or NULL: the function may not be verified yet. */
static ir_type declared_type(const ir_op *function)
{
    ir_attr attr = ir_op_attr(function, "function_type");
    ir_type type = ir_attr_is(attr, IR_ATTR_TYPE) ? attr->type : NULL;
    return type && type->kind == IR_TYPE_FUNCTION ? type : NULL;
}

bool mpmd_verify_fragment_call(ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "callee");
    ir_op *function = ir_symbol_resolve(op, callee);
    tw_str name = ir_symbol_leaf(callee);
    if (!enclosing_function(op))
        return true;
    if (!ir_op_is(function, FUNC_OP(func)))
        return FAIL(op, "'%.*s' does not reference a valid function", (int)name.size,
                    name.data);
    ir_type type = declared_type(function);
    if (!type)
        return true;
    ir_attr mesh = mpmd_mesh_named(op, ir_attr_str(ir_op_attr(op, "mesh_name")));
    side args = {"block argument", type->count, type_at, type->types};
    side results = {"returned value", type->results, type_at, ir_function_results(type)};
    if (!mesh || !check_fragment_types(op, mesh, args, operands_of(op, "operand")) ||
        !check_fragment_types(op, mesh, results, results_of(op)))
        return false;
    ir_attr own = ir_op_attr(function, "mesh_shape");
    if (!ir_attr_is(own, IR_ATTR_DIALECT) || own->def != SDY_ATTR(mesh))
        return FAIL(function, "Function does not have a mesh_shape attribute: %.*s",
                    (int)name.size, name.data);
    return own == mesh ||
           FAIL(op, "Expected mesh of fragment call and callee function to match: %s vs %s",
                ir_attr_text(op->ctx, mesh), ir_attr_text(op->ctx, own));
}

/* ---- calls and loops ---------------------------------------------------------------- */

static bool check_call_types(ir_op *op, const char *what, const ir_type *wanted, uint32_t n,
                             side found)
{
    for (uint32_t i = 0; i < TW_MIN(n, found.n); i++)
        if (wanted[i] != found.at(found.of, i))
            return FAIL(op,
                        "Type mismatch. Expected call %s to have type '%s' but got '%s'",
                        what, ir_type_text(op->ctx, wanted[i]),
                        ir_type_text(op->ctx, found.at(found.of, i)));
    return true;
}

static bool check_caller(ir_op *op, tw_str name)
{
    ir_op *parent = ir_op_parent(op), *caller = enclosing_function(op);
    if (parent->def != FUNC_OP(func) && parent->def != MPMD_OP(for))
        return FAIL(
            op,
            "Mpmd CallOp on \"%.*s\" can only be used in a function or for_op block "
            "but was called from inside op %s",
            (int)name.size, name.data, parent->def->name);
    if (!ir_op_attr(caller, "topology") || ir_symbol_is_public(caller))
        return true;
    tw_str by = ir_symbol_name(caller);
    return FAIL(
        op,
        "Mpmd CallOp on \"%.*s\" in an Mpmd function can only be used directly by the "
        "entrypoint function, i.e. the main function, but was called from \"%.*s\".",
        (int)name.size, name.data, (int)by.size, by.data);
}

bool mpmd_verify_call(ir_op *op)
{
    ir_attr counter = ir_op_attr(op, "call_counter"), callee = ir_op_attr(op, "callee");
    ir_op *function = ir_symbol_resolve(op, callee);
    if (ir_attr_is(counter, IR_ATTR_INTEGER) && counter->type &&
        !(counter->type->kind == IR_TYPE_INTEGER && counter->type->width == 32 &&
          counter->type->sign == IR_UNSIGNED))
        return FAIL(op, "call_counter must be an uint32, got '%s'",
                    ir_type_text(op->ctx, counter->type));
    if (!enclosing_function(op))
        return true;
    if (!check_caller(op, ir_symbol_leaf(callee)))
        return false;
    if (!ir_op_is(function, FUNC_OP(func)))
        return true; /* a portable artifact */
    ir_type type = declared_type(function);
    if (!type)
        return true;
    if (!check_call_types(op, "operand", type->types, type->count,
                          operands_of(op, "operand")) ||
        !check_call_types(op, "result", ir_function_results(type), type->results,
                          results_of(op)))
        return false;
    return !ir_op_attr(function, "topology") || !ir_symbol_is_public(function) ||
           FAIL(op, "MPMD CallOp callee with topology must also have visibility set to "
                    "private, as public functions with topologies are assumed to be entry "
                    "point functions.");
}

static bool check_index(ir_op *op, ir_type index)
{
    return index->kind != IR_TYPE_TENSOR ||
           (index->count == 0 && index->element->kind == IR_TYPE_INTEGER &&
            index->element->width == 32) ||
           FAIL(op, "index must have a 32-bit integer rank-0 tensor type");
}

bool mpmd_verify_for(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    int64_t iterations = ir_op_int(op, "iterations", 0);
    int64_t factor = ir_op_int(op, "unroll_factor", 1);
    if (!body || !body->last)
        return true;
    if (op->n_operands != op->n_results)
        return FAIL(op, "requires the same number of operands and results");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type != op->results[i].type)
            return FAIL(op, "requires the same type for operand and result at index %u", i);
    if (body->n_args != op->n_operands + 1)
        return FAIL(op, "wrong number of arguments for region");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type != body->args[i]->type)
            return FAIL(op, "wrong argument type at argument no. %u", i);
    if (!check_index(op, body->args[op->n_operands]->type))
        return false;
    bool same = body->last->n_operands == op->n_results;
    for (uint32_t i = 0; same && i < op->n_results; i++)
        same = body->last->operands[i].value->type == op->results[i].type;
    if (!same)
        return FAIL(op, "type mismatch for result of region");
    for (uint32_t i = 1; i < op->n_operands; i++)
        if (op->operands[i].value->type->kind != op->operands[0].value->type->kind)
            return FAIL(op, "type ids in operands/results are not identical");
    if (iterations <= 0)
        return FAIL(op, "number of iterations must be greater than zero");
    return (factor != 0 && iterations % factor == 0) ||
           FAIL(op, "number of iterations %lld isn't divisible by unroll factor %lld",
                (long long)iterations, (long long)factor);
}
