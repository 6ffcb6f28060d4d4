/* parse_op.c: reading operations, regions and blocks.
 *
 * Value names live in one hash table with chained entries.  A region pushes names on an
 * undo log and pops them at its end; inside, the names outside are seen, also where the
 * region is isolated (the verifier objects), but for regions whose arguments may take names
 * anew: they raise `isolation`, which every look-up compares.  A name used before its
 * definition gets a placeholder value whose uses move over when the definition comes. */
#include "ir/bytecode.h"
#include "ir/text/format.h"
#include "ir/text/text_impl.h"
#include "support/hash.h"

#include <stdlib.h>

/* ---- state -------------------------------------------------------------------------- */

typedef struct name_entry {
    struct name_entry *next; /* in the bucket */
    tw_str name;
    uint32_t hash;
    uint32_t isolation;
    uint32_t count; /* values under the name; 1 uses `single` */
    ir_value *single;
    ir_value **many;
    const char *at;
} name_entry;

typedef struct forward_ref {
    ir_value *placeholder;
    const char *at;
    struct forward_ref *next;
} forward_ref;

typedef struct block_name {
    tw_str name;
    ir_block *block;
    const char *used_at; /* first reference */
    bool defined;
} block_name;

typedef struct block_scope {
    block_name *blocks;
    size_t count, capacity;
} block_scope;

typedef struct late_loc { /* loc(#alias) before the alias is defined */
    ir_loc *slot;
    tw_str alias;
    const char *at;
} late_loc;

typedef struct scratch_chunk {
    struct scratch_chunk *older;
    size_t size, used;
    _Alignas(16) char data[];
} scratch_chunk;

typedef struct known_types { /* how the type behind an operation read the last time */
    const ir_op_def *def;
    tw_str text;
    ir_type *types;
    uint32_t n_inputs, n_results, capacity;
} known_types;

enum { KNOWN_TYPES = 64 };

struct ir_op_scopes {
    name_entry **buckets;
    size_t mask, count;
    name_entry **log; /* definitions in order */
    size_t log_count, log_capacity;
    uint32_t isolation, isolations;
    forward_ref *forward;
    block_scope *blocks;
    const char *default_dialect;
    late_loc *late;
    size_t n_late, late_capacity;
    scratch_chunk *scratch;
    name_entry *free_entries;
    known_types known[KNOWN_TYPES];
};

typedef struct ir_op_scopes scopes;

/* ---- scratch memory ----------------------------------------------------------------- */

void *ir_scratch(ir_parser *p, size_t size)
{
    scopes *s = p->scopes;
    size = (size + 15) & ~(size_t)15;
    if (!s->scratch || s->scratch->size - s->scratch->used < size) {
        size_t want = TW_MAX(size, (size_t)32768);
        scratch_chunk *chunk = tw_xmalloc(sizeof *chunk + want);
        *chunk = (scratch_chunk){.older = s->scratch, .size = want};
        s->scratch = chunk;
    }
    void *memory = s->scratch->data + s->scratch->used;
    s->scratch->used += size;
    return memset(memory, 0, size);
}

typedef struct scratch_mark {
    scratch_chunk *chunk;
    size_t used;
} scratch_mark;

static scratch_mark mark_scratch(scopes *s)
{
    return (scratch_mark){s->scratch, s->scratch ? s->scratch->used : 0};
}

static void release_scratch(scopes *s, scratch_mark mark)
{
    while (s->scratch != mark.chunk && (mark.chunk || s->scratch->older)) {
        scratch_chunk *older = s->scratch->older;
        free(s->scratch);
        s->scratch = older;
    }
    if (s->scratch)
        s->scratch->used = mark.chunk ? mark.used : 0;
}

static void *grow_scratch(ir_parser *p, void *old, uint32_t *capacity, size_t element)
{
    uint32_t bigger = *capacity ? *capacity * 2 : 4;
    void *memory = ir_scratch(p, bigger * element);
    if (*capacity)
        memcpy(memory, old, *capacity * element);
    *capacity = bigger;
    return memory;
}

#define PUSH_SCRATCH(p, list, count, capacity, value)                                      \
    do {                                                                                   \
        if ((count) == (capacity))                                                         \
            (list) = grow_scratch((p), (list), &(capacity), sizeof *(list));               \
        (list)[(count)++] = (value);                                                       \
    } while (0)

/* ---- value names -------------------------------------------------------------------- */

static name_entry *find_name(scopes *s, tw_str name, uint32_t hash)
{
    if (!s->buckets)
        return NULL;
    for (name_entry *e = s->buckets[hash & s->mask]; e; e = e->next)
        if (e->hash == hash && e->isolation == s->isolation && e->name.size == name.size &&
            memcmp(e->name.data, name.data, name.size) == 0)
            return e;
    return NULL;
}

static void link_name(scopes *s, name_entry *e)
{
    name_entry **bucket = &s->buckets[e->hash & s->mask];
    e->next = *bucket;
    *bucket = e;
}

static name_entry *add_name(ir_parser *p, tw_str name, uint32_t hash)
{
    scopes *s = p->scopes;
    if (!s->buckets || s->count > s->mask) {
        free(s->buckets);
        s->mask = s->mask ? s->mask * 2 + 1 : 1023;
        s->buckets = tw_xcalloc(s->mask + 1, sizeof *s->buckets);
        /* Re-linking in definition order keeps the newest at each chain's head. */
        for (size_t i = 0; i < s->log_count; i++)
            link_name(s, s->log[i]);
    }
    name_entry *e = s->free_entries;
    if (e)
        s->free_entries = e->next;
    else
        e = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *e);
    *e = (name_entry){.name = name, .hash = hash, .isolation = s->isolation};
    link_name(s, e);
    s->count++;
    TW_PUSH(s->log, s->log_count, s->log_capacity, e);
    return e;
}

static void pop_names(scopes *s, size_t to)
{
    while (s->log_count > to) {
        name_entry *e = s->log[--s->log_count];
        s->buckets[e->hash & s->mask] = e->next;
        s->count--;
        e->next = s->free_entries;
        s->free_entries = e;
    }
}

/* Names that differ in the number at their end get neighbouring buckets: %0, %1, %2 are
 * mostly met in that order, and memory is too. */
static uint32_t hash_name(tw_str name)
{
    uint32_t number = 0;
    size_t n = 0;
    while (n < name.size && name.data[n] > '9')
        n++;
    for (size_t i = n; i < name.size; i++)
        number = number * 10 + (uint32_t)(name.data[i] - '0');
    return n ? tw_hash_end(tw_hash_bytes(2, name.data, n)) + number : number;
}

static ir_value **value_slot(ir_parser *p, name_entry *e, uint32_t number)
{
    if (number == 0 && !e->many) {
        e->count = TW_MAX(e->count, 1u);
        return &e->single;
    }
    if (number >= e->count || !e->many) {
        uint32_t count = TW_MAX(number + 1, e->count);
        ir_value **many = tw_arena_alloc(ir_context_arena(p->ctx), count * sizeof *many);
        if (e->many)
            memcpy(many, e->many, e->count * sizeof *many);
        else
            many[0] = e->single;
        e->many = many;
        e->count = count;
    }
    return &e->many[number];
}

static bool is_placeholder(const ir_value *v)
{
    return v->is_argument && !v->owner;
}

ir_value *ir_resolve(ir_parser *p, ir_ssa_use use, ir_type type)
{
    enum { MOST_RESULTS = 1 << 16 };
    scopes *s = p->scopes;
    uint32_t hash = hash_name(use.name);
    name_entry *e = find_name(s, use.name, hash);
    if (e && use.number < e->count) {
        ir_value *v = e->many ? e->many[use.number] : e->single;
        if (v) {
            if (TW_LIKELY(v->type == type))
                return v;
            ir_fail(
                p, use.at,
                "use of value '%%%.*s' expects different type than prior uses: %s vs %s",
                (int)use.name.size, use.name.data,
                tw_arena_printf(ir_context_arena(p->ctx), "'%s'",
                                ir_type_text(p->ctx, type)),
                tw_arena_printf(ir_context_arena(p->ctx), "'%s'",
                                ir_type_text(p->ctx, v->type)));
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "prior use here");
            return NULL;
        }
    }
    const ir_value *first = e && e->count ? e->many ? e->many[0] : e->single : NULL;
    if (first && !is_placeholder(first) && use.number >= e->count) {
        ir_fail(p, use.at, "reference to invalid result number");
        return NULL;
    }
    if (use.number >= MOST_RESULTS) {
        ir_fail(p, use.at, "reference to invalid result number");
        return NULL;
    }
    if (!e) {
        e = add_name(p, use.name, hash);
        e->at = use.at;
    }
    ir_value *v = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *v);
    *v = (ir_value){.type = type, .is_argument = true, .index = use.number};
    *value_slot(p, e, use.number) = v;
    forward_ref *f = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *f);
    *f = (forward_ref){v, use.at, s->forward};
    s->forward = f;
    return v;
}

/* Binds %name to `count` values starting at `values` (contiguous results), or to one
 * argument. */
static bool define(ir_parser *p, tw_str name, const char *at, ir_value *values,
                   uint32_t count)
{
    uint32_t hash = hash_name(name);
    name_entry *e = find_name(p->scopes, name, hash);
    if (!e) {
        e = add_name(p, name, hash);
        e->at = at;
        e->count = count;
        if (count == 1) {
            e->single = values;
            return true;
        }
        e->many = tw_arena_alloc(ir_context_arena(p->ctx), count * sizeof *e->many);
        for (uint32_t i = 0; i < count; i++)
            e->many[i] = &values[i];
        return true;
    }
    uint32_t known = e->count;
    for (uint32_t i = 0; i < TW_MAX(known, count); i++) {
        ir_value *old = i < known ? (e->many ? e->many[i] : e->single) : NULL;
        if (old && !is_placeholder(old)) {
            ir_fail(p, at, "redefinition of SSA value '%%%.*s'", (int)name.size, name.data);
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "previously defined here");
            return false;
        }
        if (i >= count) {
            if (old)
                return ir_fail(p, e->at, "reference to invalid result number");
            continue;
        }
        if (old && old->type != values[i].type) {
            ir_fail(p, at, "definition of SSA value '%%%.*s#%u' has type '%s'",
                    (int)name.size, name.data, i, ir_type_text(p->ctx, values[i].type));
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "previously used here with type '%s'",
                        ir_type_text(p->ctx, old->type));
            return false;
        }
        if (old) {
            ir_value_replace_uses(old, &values[i]);
            old->owner = old; /* resolved */
        }
        *value_slot(p, e, i) = &values[i];
    }
    e->at = at;
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x < y ? -1 : x > y;
}

/* Placeholders that nothing defined. */
static bool check_forward(ir_parser *p)
{
    const char **places = NULL;
    size_t n = 0, capacity = 0;
    for (forward_ref *f = p->scopes->forward; f; f = f->next)
        if (!f->placeholder->owner)
            TW_PUSH(places, n, capacity, f->at);
    if (n && !p->failed) {
        qsort(places, n, sizeof *places, compare_places);
        for (size_t i = 0; i < n; i++) {
            p->failed = false;
            ir_fail(p, places[i], "use of undeclared SSA value name");
        }
    }
    free(places);
    return !n;
}

/* ---- small pieces ------------------------------------------------------------------- */

bool ir_parse_ssa(ir_parser *p, ir_ssa_use *out)
{
    if (p->tok.kind != IR_TOK_VALUE)
        return ir_fail_here(p, "expected SSA operand");
    *out = (ir_ssa_use){{p->tok.at + 1, p->tok.size - 1}, 0, p->tok.at};
    ir_next(p);
    /* `%a#1`: the lexer sees a # identifier */
    if (p->tok.kind == IR_TOK_HASH && p->tok.size > 1 && p->tok.at[1] >= '0' &&
        p->tok.at[1] <= '9' && p->tok.at == out->name.data + out->name.size) {
        uint64_t number = 0;
        for (uint32_t i = 1; i < p->tok.size; i++) {
            if (p->tok.at[i] < '0' || p->tok.at[i] > '9' || number > UINT32_MAX / 16)
                return ir_fail_here(p, "invalid SSA value result number");
            number = number * 10 + (uint64_t)(p->tok.at[i] - '0');
        }
        out->number = (uint32_t)number;
        ir_next(p);
    }
    return true;
}

bool ir_accept_ssa(ir_parser *p, ir_ssa_use *out)
{
    return p->tok.kind == IR_TOK_VALUE && ir_parse_ssa(p, out);
}

void ir_ssa_list_add(ir_parser *p, ir_ssa_list *list, ir_ssa_use use)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, use);
}

bool ir_parse_ssa_list(ir_parser *p, ir_ssa_list *out)
{
    if (p->tok.kind != IR_TOK_VALUE)
        return !p->failed;
    do {
        ir_ssa_use use;
        if (!ir_parse_ssa(p, &use))
            return false;
        ir_ssa_list_add(p, out, use);
    } while (ir_accept_punct(p, ','));
    return true;
}

void ir_type_list_add(ir_parser *p, ir_type_list *list, ir_type type)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, type);
}

bool ir_parse_type_list(ir_parser *p, ir_type_list *out)
{
    do {
        ir_type type = ir_parse_a_type(p);
        if (!type)
            return false;
        ir_type_list_add(p, out, type);
    } while (ir_accept_punct(p, ','));
    return true;
}

static bool parse_types_or_parens(ir_parser *p, ir_type_list *out)
{
    if (ir_accept_punct(p, '(')) {
        if (ir_accept_punct(p, ')'))
            return true;
        return ir_parse_type_list(p, out) && ir_expect_punct(p, ')');
    }
    ir_type type = ir_parse_a_type(p);
    if (type)
        ir_type_list_add(p, out, type);
    return type != NULL;
}

bool ir_parse_arrow_types(ir_parser *p, ir_type_list *out)
{
    return ir_expect_arrow(p) && parse_types_or_parens(p, out);
}

bool ir_accept_arrow_types(ir_parser *p, ir_type_list *out)
{
    return !ir_accept_arrow(p) ? !p->failed : parse_types_or_parens(p, out);
}

bool ir_parse_fn_type(ir_parser *p, ir_type_list *inputs, ir_type_list *results)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (!ir_accept_punct(p, ')') &&
        (!ir_parse_type_list(p, inputs) || !ir_expect_punct(p, ')')))
        return false;
    return ir_parse_arrow_types(p, results);
}

void ir_add_result(ir_parser *p, ir_parsed_op *op, ir_type type)
{
    PUSH_SCRATCH(p, op->results, op->n_results, op->results_capacity, type);
}

void ir_add_attr(ir_parser *p, ir_parsed_op *op, const char *name, ir_attr value)
{
    ir_attr_list_add(p, &op->attrs, ir_ident_from(p->ctx, name), value);
}

ir_value *ir_find_value(ir_parser *p, ir_ssa_use use)
{
    const name_entry *e = find_name(p->scopes, use.name, hash_name(use.name));
    ir_value *v = !e || use.number >= e->count ? NULL
                  : e->many                    ? e->many[use.number]
                                               : e->single;
    return v && !is_placeholder(v) ? v : NULL;
}

bool ir_add_operand(ir_parser *p, ir_parsed_op *op, ir_ssa_use use, ir_type type)
{
    ir_value *value = ir_resolve(p, use, type);
    if (value)
        PUSH_SCRATCH(p, op->operands, op->n_operands, op->operands_capacity, value);
    return value != NULL;
}

bool ir_add_operands(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses,
                     const ir_type *types, size_t n_types, const char *at)
{
    if (uses->count != n_types)
        return ir_fail(
            p, at,
            "number of operands and types do not match: got %u operands and %zu types",
            uses->count, n_types);
    for (uint32_t i = 0; i < uses->count; i++)
        if (!ir_add_operand(p, op, uses->at[i], types[i]))
            return false;
    return true;
}

/* Inherent attributes of a dictionary are complained of where it begins: it may be lines
 * below the operation's name. */
static bool check_dict(ir_parser *p, const ir_parsed_op *op, uint32_t from, const char *at)
{
    for (uint32_t i = from; i < op->attrs.count; i++)
        for (uint32_t k = 0; k < op->def->attrs.count; k++) {
            const ir_attr_use *use = &op->def->attrs.at[k];
            const ir_named_attr *a = &op->attrs.at[i];
            const char *how = strcmp(use->name, a->name->text) == 0
                                  ? ir_attr_use_breaks(use, a->value)
                                  : NULL;
            if (how)
                return ir_fail(p, at,
                               "'%s' op attribute '%s' failed to satisfy constraint: %s%s",
                               op->def->name, use->name,
                               use->type->text ? use->type->text : use->type->name, how);
        }
    return true;
}

bool ir_parse_op_attr_dict(ir_parser *p, ir_parsed_op *op)
{
    const char *at = p->tok.at;
    uint32_t from = op->attrs.count;
    if (!ir_at_punct(p, '{'))
        return true;
    return ir_parse_attr_dict(p, &op->attrs) &&
           (!op->def->attrs.count || check_dict(p, op, from, at));
}

bool ir_parse_op_attr_dict_keyword(ir_parser *p, ir_parsed_op *op)
{
    return !ir_accept_keyword(p, "attributes") ? !p->failed
                                               : ir_parse_attr_dict(p, &op->attrs);
}

/* ---- locations ---------------------------------------------------------------------- */

/* " loc(...)" behind an operation or argument; loc(#name) may come before its
 * definition, and is filled in at the end. */
static bool parse_trailing_loc(ir_parser *p, ir_loc *slot, bool slot_stays)
{
    if (!ir_at_keyword(p, "loc"))
        return true;
    ir_token saved = p->tok;
    const char *cursor = p->cursor;
    ir_next(p);
    if (ir_accept_punct(p, '(') && p->tok.kind == IR_TOK_HASH && slot_stays) {
        tw_str alias = {p->tok.at + 1, p->tok.size - 1};
        if (!memchr(alias.data, '.', alias.size) && !ir_alias_attr(p, alias)) {
            late_loc late = {slot, alias, p->tok.at};
            TW_PUSH(p->scopes->late, p->scopes->n_late, p->scopes->late_capacity, late);
            ir_next(p);
            return ir_expect_punct(p, ')');
        }
    }
    p->tok = saved;
    p->cursor = cursor;
    return ir_parse_loc(p, slot);
}

static bool resolve_late_locs(ir_parser *p)
{
    for (size_t i = 0; i < p->scopes->n_late; i++) {
        late_loc *late = &p->scopes->late[i];
        ir_attr loc = ir_alias_attr(p, late->alias);
        if (!loc)
            return ir_fail(p, late->at, "operation location alias was never defined");
        if (!ir_attr_is_loc(loc))
            return ir_fail(p, late->at, "expected location, but found %s",
                           ir_attr_text(p->ctx, loc));
        *late->slot = ir_loc_from_attr(loc);
    }
    return true;
}

/* ---- blocks and regions ------------------------------------------------------------- */

static block_name *find_block(block_scope *scope, tw_str name)
{
    for (size_t i = 0; i < scope->count; i++)
        if (tw_str_equal(scope->blocks[i].name, name))
            return &scope->blocks[i];
    return NULL;
}

static block_name *get_block(ir_parser *p, tw_str name, const char *at)
{
    block_scope *scope = p->scopes->blocks;
    block_name *known = find_block(scope, name);
    if (known)
        return known;
    block_name fresh = {name, ir_block_create(p->ctx), at, false};
    TW_PUSH(scope->blocks, scope->count, scope->capacity, fresh);
    return &scope->blocks[scope->count - 1];
}

bool ir_parse_successor(ir_parser *p, ir_block **out)
{
    if (p->tok.kind != IR_TOK_CARET)
        return ir_fail_here(p, "expected block name");
    if (!p->scopes->blocks)
        return ir_fail_here(p, "block reference outside of a region");
    *out = get_block(p, (tw_str){p->tok.at + 1, p->tok.size - 1}, p->tok.at)->block;
    ir_next(p);
    return true;
}

/* %name : type {attrs} loc(...) */
static bool parse_arg(ir_parser *p, ir_parsed_arg *out)
{
    *out = (ir_parsed_arg){.loc = ir_loc_at(p, p->tok.at)};
    if (!ir_parse_ssa(p, &out->name))
        return false;
    if (out->name.number)
        return ir_fail(p, out->name.at, "result number not allowed in argument list");
    out->type = ir_parse_colon_type(p);
    return out->type != NULL;
}

/* Argument locations live in the value, which exists only later: resolve at once or
 * remember the value. */
static bool parse_arg_tail(ir_parser *p, ir_parsed_arg *arg)
{
    ir_attr_list attrs = {0};
    if (!ir_accept_attr_dict(p, &attrs) && p->failed)
        return false;
    if (attrs.count)
        arg->attrs = ir_dict_attr(p->ctx, attrs.at, attrs.count);
    return parse_trailing_loc(p, &arg->loc, false);
}

void ir_arg_list_add(ir_parser *p, ir_arg_list *list, ir_parsed_arg arg)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, arg);
}

bool ir_parse_arg_list(ir_parser *p, ir_arg_list *out)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_parsed_arg arg;
        if (!parse_arg(p, &arg) || !parse_arg_tail(p, &arg))
            return false;
        ir_arg_list_add(p, out, arg);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static bool parse_block_args(ir_parser *p, ir_block *block)
{
    if (!ir_accept_punct(p, '('))
        return true;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_parsed_arg arg;
        if (!parse_arg(p, &arg))
            return false;
        ir_value *v = ir_block_add_arg(p->ctx, block, arg.type, arg.loc);
        if (!define(p, arg.name.name, arg.name.at, v, 1) ||
            !parse_trailing_loc(p, &v->loc, true))
            return false;
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static ir_op *parse_operation(ir_parser *p, ir_block *into);

static bool parse_block_body(ir_parser *p, ir_block *block)
{
    while (!ir_at_punct(p, '}') && p->tok.kind != IR_TOK_CARET) {
        if (p->tok.kind == IR_TOK_EOF)
            return ir_fail_here(p, "expected '}' to end a region");
        if (!parse_operation(p, block))
            return false;
    }
    return true;
}

static bool parse_label(ir_parser *p, ir_region *region, ir_block **out)
{
    tw_str name = {p->tok.at + 1, p->tok.size - 1};
    const char *at = p->tok.at;
    ir_next(p);
    block_name *named = get_block(p, name, at);
    if (named->defined)
        return ir_fail(p, at, "redefinition of block '^%.*s'", (int)name.size, name.data);
    named->defined = true;
    *out = named->block;
    ir_region_append(region, *out);
    return parse_block_args(p, *out) && ir_expect_punct(p, ':');
}

static bool parse_region_blocks(ir_parser *p, ir_region *region, const ir_parsed_arg *args,
                                size_t n_args)
{
    ir_block *block = NULL;
    if (n_args || (!ir_at_punct(p, '}') && p->tok.kind != IR_TOK_CARET)) {
        if (n_args && p->tok.kind == IR_TOK_CARET)
            return ir_fail_here(p, "invalid block name in region with named arguments");
        block = ir_block_create(p->ctx);
        ir_region_append(region, block);
        for (size_t i = 0; i < n_args; i++) {
            ir_value *v = ir_block_add_arg(p->ctx, block, args[i].type, args[i].loc);
            tw_str arg = args[i].name.name;
            name_entry *e = arg.size ? find_name(p->scopes, arg, hash_name(arg)) : NULL;
            if (e) {
                ir_fail(p, args[i].name.at,
                        "region entry argument '%%%.*s' is already in use", (int)arg.size,
                        arg.data);
                if (!p->quiet)
                    ir_note(p->ctx, ir_loc_at(p, e->at), "previously referenced here");
                return false;
            }
            if (arg.size && !define(p, arg, args[i].name.at, v, 1))
                return false;
        }
        if (!parse_block_body(p, block))
            return false;
    }
    while (p->tok.kind == IR_TOK_CARET)
        if (!parse_label(p, region, &block) || !parse_block_body(p, block))
            return false;
    return true;
}

static bool check_blocks_defined(ir_parser *p, block_scope *scope)
{
    for (size_t i = 0; i < scope->count; i++)
        if (!scope->blocks[i].defined)
            return ir_fail(p, scope->blocks[i].used_at, "reference to an undefined block");
    return true;
}

static bool parse_region(ir_parser *p, ir_region *region, const ir_op_def *def,
                         const ir_parsed_arg *args, size_t n_args, bool anew)
{
    scopes *s = p->scopes;
    if (!ir_at_punct(p, '{'))
        return ir_fail_here(p, "expected '{' to begin a region");
    if (++p->depth > IR_MAX_NESTING)
        return ir_fail_here(p, "regions nest deeper than %d levels", IR_MAX_NESTING);
    ir_next(p);

    uint32_t outer_isolation = s->isolation;
    const char *outer_dialect = s->default_dialect;
    block_scope scope = {0}, *outer_blocks = s->blocks;
    size_t outer_names = s->log_count;
    forward_ref *outer_forward = s->forward;
    if (anew)
        s->isolation = ++s->isolations;
    s->default_dialect = def->region_dialect;
    s->blocks = &scope;

    bool ok = parse_region_blocks(p, region, args, n_args) &&
              check_blocks_defined(p, &scope) && ir_expect_punct(p, '}');
    if (!ok)
        p->failed = true;
    if (s->forward != outer_forward) {
        /* Names that were only used here may still be defined outside: keep those that
         * are placeholders by not popping past them is not possible with an undo log,
         * so unresolved ones are re-entered in the outer scope. */
        size_t kept = 0;
        name_entry **keep = NULL;
        size_t capacity = 0;
        for (size_t i = outer_names; ok && i < s->log_count; i++) {
            name_entry *e = s->log[i];
            ir_value *v = e->many ? e->many[0] : e->single;
            if (v && is_placeholder(v))
                TW_PUSH(keep, kept, capacity, e);
        }
        name_entry copy;
        name_entry *copies = kept ? tw_xmalloc(kept * sizeof *copies) : NULL;
        for (size_t i = 0; i < kept; i++)
            copies[i] = *keep[i];
        pop_names(s, outer_names);
        for (size_t i = 0; i < kept; i++) {
            copy = copies[i];
            name_entry *e = add_name(p, copy.name, copy.hash);
            e->count = copy.count;
            e->single = copy.single;
            e->many = copy.many;
            e->at = copy.at;
        }
        free(copies);
        free(keep);
    } else {
        pop_names(s, outer_names);
    }
    free(scope.blocks);
    s->blocks = outer_blocks;
    s->isolation = outer_isolation;
    s->default_dialect = outer_dialect;
    p->depth--;
    return ok;
}

static ir_region *add_region(ir_parser *p, ir_parsed_op *op)
{
    ir_region *region = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *region);
    PUSH_SCRATCH(p, op->regions, op->n_regions, op->regions_capacity, region);
    return region;
}

bool ir_parse_op_region(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                        size_t n_args)
{
    return parse_region(p, add_region(p, op), op->def, args, n_args, false);
}

bool ir_parse_op_region_anew(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                             size_t n_args)
{
    return parse_region(p, add_region(p, op), op->def, args, n_args, true);
}

bool ir_parse_op_body(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_parse_op_region(p, op, NULL, 0))
        return false;
    ir_region *region = op->regions[op->n_regions - 1];
    if (!region->first)
        ir_region_append(region, ir_block_create(p->ctx));
    return true;
}

void ir_add_operand_segments(ir_parser *p, ir_parsed_op *op, const int32_t *sizes,
                             size_t count)
{
    ir_add_attr(p, op, "operandSegmentSizes",
                ir_dense_array(ir_integer_type(p->ctx, 32, IR_SIGNLESS), sizes, count));
}

void ir_add_empty_region(ir_parser *p, ir_parsed_op *op)
{
    ir_region *region = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *region);
    PUSH_SCRATCH(p, op->regions, op->n_regions, op->regions_capacity, region);
}

void ir_ensure_terminator(ir_parser *p, ir_region *region, const ir_op_def *terminator,
                          ir_loc loc)
{
    if (!region->first)
        ir_region_append(region, ir_block_create(p->ctx));
    ir_op *last = region->last->last;
    if (last && (last->def->traits & (IR_TERMINATOR | IR_UNREGISTERED)))
        return;
    size_t regions = 0;
    while (regions < terminator->regions.count && !terminator->regions.at[regions].variadic)
        regions++;
    ir_op *op = ir_op_create(
        p->ctx, &(ir_op_state){.def = terminator, .loc = loc, .n_regions = regions});
    for (uint16_t i = 0; i < op->n_regions; i++) /* scf.forall.in_parallel has one */
        ir_region_append(&op->regions[i], ir_block_create(p->ctx));
    ir_block_append(region->last, op);
}

/* ---- generic form ------------------------------------------------------------------- */

static bool parse_generic_successors(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '['))
        return true;
    do {
        ir_block *block;
        if (!ir_parse_successor(p, &block))
            return false;
        PUSH_SCRATCH(p, op->successors, op->n_successors, op->successors_capacity, block);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ']');
}

/* <{ ... }>: names the row does not know are dropped, as MLIR does. */
static bool parse_properties(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '<'))
        return true;
    ir_attr_list props = {0};
    if (!ir_parse_attr_dict(p, &props))
        return false;
    for (uint32_t i = 0; i < props.count; i++)
        if ((op->def->traits & IR_UNREGISTERED) ||
            ir_def_prop_index(op->def, ir_ident_str(props.at[i].name)) != SIZE_MAX)
            ir_attr_list_add(p, &op->attrs, props.at[i].name, props.at[i].value);
    return ir_expect_punct(p, '>');
}

static bool parse_generic_regions(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '('))
        return true;
    do
        if (!ir_parse_op_region(p, op, NULL, 0))
            return false;
    while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

/* (inputs) -> results.  Operations of one name mostly have the same types, so the text is
 * compared with the last one's first; it ends in a bracket, behind which nothing that
 * follows could belong to it. */
static bool parse_types_of_op(ir_parser *p, const ir_op_def *def, ir_type_list *inputs,
                              ir_type_list *results)
{
    known_types *known = &p->scopes->known[((uintptr_t)def >> 6) % KNOWN_TYPES];
    const char *at = p->tok.at;
    if (known->def == def && (size_t)(p->end - at) >= known->text.size &&
        memcmp(at, known->text.data, known->text.size) == 0) {
        uint32_t n = known->n_inputs;
        *inputs = (ir_type_list){known->types, n, n};
        *results = (ir_type_list){n ? known->types + n : known->types, known->n_results,
                                  known->n_results};
        ir_lex_at(p, at + known->text.size);
        return true;
    }
    if (!ir_parse_fn_type(p, inputs, results))
        return false;
    const char *end = p->tok.at;
    while (end > at && (end[-1] == ' ' || end[-1] == '\n'))
        end--;
    if (end[-1] != '>' && end[-1] != ')')
        return true;
    known->def = def;
    known->text = (tw_str){at, (size_t)(end - at)};
    known->n_inputs = inputs->count;
    known->n_results = results->count;
    if (known->capacity < inputs->count + results->count) {
        known->capacity = inputs->count + results->count;
        known->types = tw_arena_alloc(ir_context_arena(p->ctx),
                                      known->capacity * sizeof *known->types);
    }
    if (inputs->count)
        memcpy(known->types, inputs->at, inputs->count * sizeof *known->types);
    if (results->count)
        memcpy(known->types + inputs->count, results->at,
               results->count * sizeof *known->types);
    return true;
}

static bool parse_generic(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, ')'))
        return false;
    if (!parse_generic_successors(p, op) || !parse_properties(p, op) ||
        !parse_generic_regions(p, op) ||
        (ir_at_punct(p, '{') && !ir_parse_attr_dict(p, &op->attrs)))
        return false;
    if (!ir_accept_punct(p, ':'))
        return ir_fail_here(p, "expected ':' followed by operation type");
    const char *type_at = p->tok.at;
    if (!ir_at_punct(p, '(')) {
        ir_type type = ir_parse_a_type(p);
        if (!type)
            return false;
        if (type->kind != IR_TYPE_FUNCTION)
            return ir_fail(p, type_at, "expected function type");
        for (uint32_t i = 0; i < type->count; i++)
            ir_type_list_add(p, &inputs, type->types[i]);
        for (uint32_t i = 0; i < type->results; i++)
            ir_type_list_add(p, &results, type->types[type->count + i]);
    } else if (!parse_types_of_op(p, op->def, &inputs, &results)) {
        return false;
    }
    if (uses.count != inputs.count)
        return ir_fail(p, type_at, "expected %u operand type%s but had %u", uses.count,
                       uses.count == 1 ? "" : "s", inputs.count);
    op->results = results.at;
    op->n_results = results.count;
    op->results_capacity = results.capacity;
    for (uint32_t i = 0; i < uses.count; i++)
        if (!ir_add_operand(p, op, uses.at[i], inputs.at[i]))
            return false;
    return true;
}

/* ---- one operation ------------------------------------------------------------------ */

static void unknown_custom_op(ir_parser *p, tw_str name, tw_str full)
{
    if (full.size == name.size)
        ir_fail_here(p, "custom op '%.*s' is unknown", (int)name.size, name.data);
    else
        ir_fail_here(p, "custom op '%.*s' is unknown (tried '%.*s' as well)",
                     (int)name.size, name.data, (int)full.size, full.data);
    if (!p->quiet)
        ir_help_op_name(p->ctx, full);
}

static const ir_op_def *custom_def(ir_parser *p)
{
    char buffer[256];
    tw_str name = ir_tok_str(p), full = name;
    if (!memchr(name.data, '.', name.size)) {
        const char *dialect = p->scopes->default_dialect;
        dialect = dialect ? dialect : "builtin";
        size_t n = strlen(dialect);
        if (n + 1 + name.size < sizeof buffer) {
            memcpy(buffer, dialect, n);
            buffer[n] = '.';
            memcpy(buffer + n + 1, name.data, name.size);
            full = (tw_str){buffer, n + 1 + name.size};
        }
    }
    const ir_op_def *def = ir_context_op_def(p->ctx, full);
    if (!def)
        unknown_custom_op(p, name, full);
    else if (!def->format) {
        ir_fail_here(p, "op '%s' has no custom form; write it as \"%s\"(...)", def->name,
                     def->name);
        return NULL;
    }
    return def;
}

static const ir_op_def *generic_def(ir_parser *p)
{
    tw_str name;
    ir_token token = p->tok;
    if (!ir_parse_string(p, &name))
        return NULL;
    if (name.size == 0) {
        ir_fail(p, token.at, "empty operation name is invalid");
        return NULL;
    }
    if (memchr(name.data, 0, name.size)) {
        ir_fail(p, token.at, "null character not allowed in operation name");
        return NULL;
    }
    const ir_op_def *def = ir_context_op_def_or_unregistered(p->ctx, name);
    if ((def->traits & IR_UNREGISTERED) && !ir_context_allows_unregistered(p->ctx)) {
        const char *dot = memchr(name.data, '.', name.size);
        tw_str dialect = {name.data, dot ? (size_t)(dot - name.data) : 0};
        if (!dot || !ir_context_dialect(p->ctx, dialect)) {
            ir_fail(
                p, p->tok.at,
                "operation being parsed with an unregistered dialect. If this is intended, "
                "please use -allow-unregistered-dialect with the MLIR tool used");
            ir_help_op_name(p->ctx, name);
            return NULL;
        }
    }
    return def;
}

static void add_implicit_terminators(ir_parser *p, ir_parsed_op *op)
{
    tw_str terminator;
    if (op->n_regions == 0 ||
        !ir_def_rule(op->def, "SingleBlockImplicitTerminator", &terminator))
        return;
    const ir_op_def *def = ir_context_op_def(p->ctx, terminator);
    for (uint32_t i = 0; def && i < op->n_regions; i++)
        if (op->regions[i]->first)
            ir_ensure_terminator(p, op->regions[i], def, op->loc);
}

static ir_op *finish_op(ir_parser *p, ir_parsed_op *parsed)
{
    ir_op *op = ir_op_create(p->ctx, &(ir_op_state){.def = parsed->def,
                                                    .loc = parsed->loc,
                                                    .operands = parsed->operands,
                                                    .n_operands = parsed->n_operands,
                                                    .results = parsed->results,
                                                    .n_results = parsed->n_results,
                                                    .attrs = parsed->attrs.at,
                                                    .n_attrs = parsed->attrs.count,
                                                    .successors = parsed->successors,
                                                    .n_successors = parsed->n_successors,
                                                    .n_regions = parsed->n_regions,
                                                    .no_defaults = parsed->no_defaults});
    for (uint32_t i = 0; i < parsed->n_regions; i++)
        ir_region_take(&op->regions[i], parsed->regions[i]);
    return op;
}

/* Operation without the names on its left. */
static ir_op *parse_bare_operation(ir_parser *p, uint32_t n_named)
{
    scratch_mark mark = mark_scratch(p->scopes);
    ir_parsed_op parsed = {
        .at = p->tok.at, .loc = ir_loc_at(p, p->tok.at), .n_named = n_named};
    bool ok = false;
    if (p->tok.kind == IR_TOK_STRING) {
        parsed.def = generic_def(p);
        ok = parsed.def && parse_generic(p, &parsed);
    } else if (p->tok.kind == IR_TOK_BARE_ID) {
        parsed.def = custom_def(p);
        if (parsed.def) {
            const ir_op_def *around = p->custom_op;
            ir_next(p);
            p->custom_op = parsed.def;
            if (parsed.def->parse) {
                parsed.def->parse(p, &parsed);
                ok = !p->failed;
            } else {
                ok = ir_parse_op_format(p, &parsed);
            }
            p->custom_op = around;
            if (ok)
                add_implicit_terminators(p, &parsed);
        }
    } else {
        ir_fail_here(p, "expected operation name in quotes");
    }
    if (!ok || p->failed) {
        p->failed = true;
        return NULL; /* regions read so far stay in the context's memory */
    }
    ir_op *op = finish_op(p, &parsed);
    release_scratch(p->scopes, mark);
    if (!parse_trailing_loc(p, &op->loc, true))
        return NULL;
    return op;
}

typedef struct result_name {
    tw_str name;
    const char *at;
    uint32_t count;
} result_name;

static bool parse_result_names(ir_parser *p, result_name *few, size_t max,
                               result_name **out, size_t *out_count, uint32_t *total)
{
    result_name *names = few;
    size_t count = 0;
    uint32_t capacity = (uint32_t)max;
    *total = 0;
    do {
        ir_ssa_use use;
        int64_t n = 1;
        if (!ir_parse_ssa(p, &use))
            return false;
        if (ir_accept_punct(p, ':')) {
            if (p->tok.kind != IR_TOK_INTEGER)
                return ir_fail_here(p, "expected integer number of results");
            if (!ir_parse_int(p, &n))
                return false;
            if (n < 1 || n > 1 << 20)
                return ir_fail_here(p,
                                    "expected named operation to have at least 1 result");
        }
        if (count == capacity)
            names = grow_scratch(p, names, &capacity, sizeof *names);
        names[count++] = (result_name){use.name, use.at, (uint32_t)n};
        *total += (uint32_t)n;
    } while (ir_accept_punct(p, ','));
    *out = names;
    *out_count = count;
    return ir_expect_punct(p, '=');
}

static ir_op *parse_operation(ir_parser *p, ir_block *into)
{
    enum { FEW = 8 };
    result_name few[FEW], *names = few;
    size_t n_names = 0;
    uint32_t total = 0;
    if (p->tok.kind == IR_TOK_VALUE &&
        !parse_result_names(p, few, FEW, &names, &n_names, &total))
        return NULL;
    const char *at = p->tok.at;
    ir_op *op = parse_bare_operation(p, total);
    if (!op)
        return NULL;
    if (into)
        ir_block_append(into, op);
    if (n_names == 0)
        return op;
    if (op->n_results == 0) {
        ir_fail(p, at, "cannot name an operation with no results");
        return NULL;
    }
    if (op->n_results != total) {
        ir_fail(p, at, "operation defines %u results but was provided %u to bind",
                op->n_results, total);
        return NULL;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < n_names; i++) {
        if (!define(p, names[i].name, names[i].at, ir_op_result(op, next), names[i].count))
            return NULL;
        next += names[i].count;
    }
    return op;
}

ir_op *ir_parse_nested_op(ir_parser *p)
{
    return parse_operation(p, NULL);
}

/* ---- a file ------------------------------------------------------------------------- */

static bool parse_top_level(ir_parser *p, ir_block *body)
{
    for (;;) {
        switch (p->tok.kind) {
        case IR_TOK_EOF:
            return true;
        case IR_TOK_ERROR:
            return false;
        case IR_TOK_HASH:
        case IR_TOK_BANG:
            if (!ir_parse_alias_definition(p))
                return false;
            break;
        case IR_TOK_FILE_META:
            if (!ir_parse_file_metadata(p))
                return false;
            break;
        default:
            if (!parse_operation(p, body))
                return false;
        }
    }
}

static void free_scopes(ir_parser *p)
{
    scopes *s = p->scopes;
    while (s->scratch) {
        scratch_chunk *older = s->scratch->older;
        free(s->scratch);
        s->scratch = older;
    }
    free(s->buckets);
    free(s->log);
    free(s->late);
    ir_aliases_free(p);
}

void ir_parse_alone(ir_parser *p, ir_context *ctx, tw_str text)
{
    p->scopes = tw_xcalloc(1, sizeof *p->scopes);
    ir_lex_start(p, ctx, text, "-");
}

void ir_parse_alone_end(ir_parser *p)
{
    free_scopes(p);
    free(p->scopes);
    p->scopes = NULL;
}

static ir_op *read_binary(ir_context *ctx, tw_str bytes, const char *name,
                          const ir_parse_options *options)
{
    ir_op *op = ir_bytecode_read(ctx, bytes, name);
    if (op && !(options && options->no_verify) && !ir_verify(op)) {
        ir_op_erase(op);
        return NULL;
    }
    return op;
}

ir_op *ir_parse(ir_context *ctx, tw_str text, const char *name,
                const ir_parse_options *options)
{
    if (ir_is_bytecode(text))
        return read_binary(ctx, text, name, options);
    ir_parser parser = {0}, *p = &parser;
    scopes s = {0};
    p->scopes = &s;
    ir_lex_start(p, ctx, text, name);
    ir_op *module = ir_module_create(ctx, ir_loc_file(ctx, p->file, 0, 0));
    ir_block *body = module->regions[0].first;
    bool ok =
        parse_top_level(p, body) && !p->failed && check_forward(p) && resolve_late_locs(p);
    free_scopes(p);
    if (!ok) {
        return NULL; /* half-built operations may hold placeholders: left to the context */
    }
    ir_op *only = body->first;
    bool bare = options && options->no_implicit_module;
    if (bare && (!only || only->next)) {
        size_t count = 0;
        for (ir_op *op = only; op; op = op->next)
            count++;
        ir_error(ctx, ir_loc_file(ctx, p->file, 1, 1),
                 "source must contain a single top-level operation, found: %zu", count);
        ir_op_erase(module);
        return NULL;
    }
    if (only && !only->next && (bare || only->def == module->def)) {
        ir_op_remove(only);
        ir_op_erase(module);
        module = only;
    }
    if (!(options && options->no_verify) && !ir_verify(module)) {
        ir_op_erase(module);
        return NULL;
    }
    return module;
}
