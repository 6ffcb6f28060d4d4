/* pyir.h: what the files of the extension module tilewright._ir share.
 *
 * The module is the library's IR as Python sees it, under the names of MLIR's bindings;
 * python/ttmlir arranges it in MLIR's packages.  Rules that keep every use safe:
 *
 *  - Everything interned (types, attributes, locations, affine things) lives as long as
 *    its context, and each object holds its Context.
 *  - An operation or block has at most one Python object (a handle), found through the
 *    context's table.  The library notifies the table when it frees something; the handle
 * is then empty and every use of it raises.
 *  - A handle holds the handle of what contains it, so a tree lives as long as any handle
 *    into it.  The last handle of a tree without a parent frees the tree.
 *  - No Python code runs while the library works on a program: diagnostics are queued and
 *    delivered afterwards.  Patterns (rewrite.c) are the exception.
 *
 * Written against the limited API of Python 3.10; single-phase initialisation, so that the
 * module's state is found without an object at hand. */
#ifndef TILEWRIGHT_PYIR_H
#define TILEWRIGHT_PYIR_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "ints.h"

#include "ir/op.h"
#include "ir/text.h"

/* ---- classes ------------------------------------------------------------------------- */

typedef enum py_class {
    PY_CONTEXT,
    PY_LOCATION,
    PY_INSERTION_POINT,
    PY_DIAGNOSTIC,
    PY_DIAGNOSTIC_HANDLER,
    PY_MODULE,
    PY_OPERATION_BASE,
    PY_OPERATION,
    PY_OP_VIEW,
    PY_REGION,
    PY_BLOCK,
    PY_VALUE,
    PY_OP_RESULT,
    PY_BLOCK_ARGUMENT,
    PY_OP_OPERAND,
    PY_ASM_STATE,
    PY_ACCESSOR,
    PY_OP_SPEC,
    PY_LIST,           /* base of the views below (lists.c) */
    PY_OPERAND_LIST,   /* OpOperandList */
    PY_RESULT_LIST,    /* OpResultList */
    PY_REGION_LIST,    /* RegionSequence */
    PY_SUCCESSOR_LIST, /* OpSuccessors */
    PY_BLOCK_LIST,
    PY_OPERATION_LIST,
    PY_ARGUMENT_LIST,
    PY_ITERATOR,
    PY_ATTRIBUTE_MAP,
    PY_ITEM, /* base of what is interned */
    PY_TYPE,
    PY_ATTRIBUTE,
    PY_AFFINE_EXPR,
    PY_AFFINE_MAP,
    PY_INTEGER_SET,
    PY_PASS_MANAGER,
    PY_CLASS_COUNT
} py_class;

/* Subclasses of Type, Attribute, Location and AffineExpr, by the kind they wrap. */
enum { PY_TYPE_CLASSES = 48, PY_ATTR_CLASSES = 64, PY_AFFINE_CLASSES = 16 };

/* An open-addressing map from pointers to pointers. */
typedef struct py_map {
    struct py_map_slot {
        const void *key;
        void *value;
    } * slots;
    size_t mask, count;
} py_map;
void *py_map_get(const py_map *map, const void *key);
void py_map_set(py_map *map, const void *key, void *value);
void *py_map_take(py_map *map, const void *key); /* removes; NULL if absent */

typedef struct py_state {
    PyTypeObject *classes[PY_CLASS_COUNT];
    PyTypeObject *types[PY_TYPE_CLASSES]; /* order of the table in type.c */
    PyTypeObject *attrs[PY_ATTR_CLASSES]; /* order of the table in attr.c */
    PyTypeObject *affine[PY_AFFINE_CLASSES];
    ir_context *tables;      /* context for looking up rows (rows.c) */
    py_map rows;             /* row of an operation, attribute or type -> class, owned */
    PyObject *resolve;       /* resolve(dialect): registers the dialect's classes */
    PyObject *attr_builders; /* {constraint name: builder(value, context=)} */
    PyObject *inferrers;     /* {operation name: f(operands, attributes) -> types} */
    PyObject *type_casters, *value_casters; /* {class of the type: f(object)}, users' */
    PyObject *unregistered; /* {name of an operation without a row: class}, users' */
    PyObject *traceback;    /* f(location or None): the location of a new operation */
    PyObject *stack_key;    /* of the per-thread dictionary */
    PyObject *error;        /* MLIRError */
    PyObject *named;        /* NamedAttribute */
    PyObject *severities, *walk_results, *walk_orders; /* enums made in Python, by value */
} py_state;

py_state *py_get_state(void);
static inline PyTypeObject *py_cls(py_class id)
{
    return py_get_state()->classes[id];
}
static inline bool py_is(PyObject *object, py_class id)
{
    return object && PyObject_TypeCheck(object, py_cls(id));
}

/* A zeroed object of a class, and its end. */
static inline void *py_alloc(PyTypeObject *cls)
{
    return ((allocfunc)PyType_GetSlot(cls, Py_tp_alloc))(cls, 0);
}
static inline void py_free(PyObject *self)
{
    PyTypeObject *cls = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(cls, Py_tp_free))(self);
    Py_DECREF(cls);
}

/* One row of a file's class table; classes are made in the order of the enum's groups. */
typedef struct py_class_row {
    py_class id;
    PyType_Spec *spec;
    int base; /* a py_class, or -1 */
} py_class_row;

/* ---- objects ------------------------------------------------------------------------ */

typedef struct py_diagnostic {
    ir_severity severity;
    ir_attr loc;
    char *text;
    struct py_diagnostic *notes;
    size_t n_notes;
} py_diagnostic;

typedef struct py_context {
    PyObject_HEAD ir_context *ctx;
    py_map handles;           /* ir_op or ir_block -> py_handle, borrowed */
    py_map branches, targets; /* branch.c: operations that may outlive their successors */
    ir_block *gone;           /* replaces such a block */
    py_diagnostic *queue;
    size_t n_queue, queue_capacity;
    PyObject *handlers;  /* list of DiagnosticHandler, innermost last */
    bool delivering;     /* handlers are running */
    struct py_run *runs; /* of patterns, innermost first (rewrite.c) */
    bool emit_errors;    /* errors go to handlers too, not only into exceptions */
    PyObject *logs;      /* callables that receive the steps of pipelines, or NULL */
    PyObject *weak;
} py_context;

/* Any interned object: one pointer into the context. */
typedef struct py_item {
    PyObject_HEAD py_context *owner;
    union {
        const void *any;
        ir_type type;
        ir_attr attr; /* also of a Location */
        ir_affine expr;
        ir_affine_map map;
        ir_integer_set set;
    };
} py_item;

/* An operation or block. */
typedef struct py_handle {
    PyObject_HEAD py_context *owner;
    union {
        const void *any; /* NULL: freed */
        ir_op *op;
        ir_block *block;
    };
    struct py_handle *keep; /* the container's handle */
    bool is_block; /* stored here, since the module may be gone before its last objects */
    PyObject *weak;
} py_handle;

typedef struct py_view { /* OpView and Module */
    PyObject_HEAD py_handle *operation;
} py_view;

typedef struct py_region {
    PyObject_HEAD py_handle *op;
    uint32_t index;
} py_region;

typedef struct py_value {
    PyObject_HEAD py_handle *holder; /* the operation or block */
    ir_value *arg; /* of block arguments; may be freed: see py_value_get */
    uint32_t index;
} py_value;

typedef struct py_ip {
    PyObject_HEAD py_handle *block;
    py_handle *before; /* operation, or NULL: the block's end */
} py_ip;

/* ---- contexts and errors (context.c, diagnostic.c) ---------------------------------- */

py_context *py_context_of(PyObject *object); /* of any of the module's objects, or NULL */
/* The context given by an argument (None: the current one); borrowed, NULL: raised. */
py_context *py_context_arg(PyObject *arg);
/* The current context, location or insertion point of the thread, or NULL; borrowed. */
PyObject *py_current(py_class what);
bool py_push(PyObject *context, PyObject *location, PyObject *point);
bool py_pop(PyObject *expected, py_class what);

/* Runs handlers for the diagnostics queued from `from` on. With `failure`, errors go into
 * an MLIRError with that message; without, errors that no handler handles go to sys.stderr.
 * Returns false if an exception is set. */
bool py_deliver(py_context *c, const char *failure);
/* Drops the queued diagnostics (of a trial that may fail). */
void py_discard(py_context *c);
void py_queue(py_context *c, const ir_diagnostic *d);
void py_queue_free(py_context *c);
PyObject *py_handler_attach(py_context *c, PyObject *callback);
void py_handlers_forget(py_context *c);
PyObject *py_mismatch(const char *what); /* raises: objects of different contexts */

/* ---- interned objects (item.c, type.c, attr.c, affine.c, location.c) ---------------- */

PyObject *py_item_new(PyTypeObject *cls, py_context *owner, const void *any);
/* X(item) of a class X of items: the same item viewed as an X. `fits` returns 1, 0, or -1
 * with an exception; `what` is "type" or "attribute", `keyword` the argument's name. */
PyObject *py_item_cast(PyTypeObject *cls, PyObject *args, PyObject *kwargs,
                       int (*fits)(PyObject *object, PyObject *cls), const char *keyword,
                       const char *what);
/* The library's base class of a user-defined class, or the class itself; borrowed. */
PyTypeObject *py_library_class(PyTypeObject *cls);
/* tp_init of user-defined classes. */
int py_init_own(PyObject *self, PyObject *args, PyObject *kwargs);
/* Applies the user's caster for types of class `cls` to the object (consuming its
 * reference), or returns the object itself. */
PyObject *py_cast_own(PyObject *casters, PyTypeObject *cls, PyObject *object);
/* parse(asm, context=None): returns the context and the text; NULL with an exception. */
py_context *py_parse_args(PyObject *args, PyObject *kwargs, tw_str *out_text);
PyObject *py_wrap_type(py_context *c, ir_type type); /* NULL gives None */
PyTypeObject *py_type_class(ir_type type);           /* borrowed or NULL */
PyObject *py_wrap_attr(py_context *c, ir_attr attr);
PyObject *py_wrap_loc(py_context *c, ir_loc loc);
PyObject *py_wrap_affine(py_context *c, ir_affine expr);
PyObject *py_wrap_map(py_context *c, ir_affine_map map);
PyObject *py_wrap_set(py_context *c, ir_integer_set set);
PyTypeObject *py_row_class(const void *row, const char *full_name); /* borrowed or NULL */

/* Arguments; false: raised. `c` NULL accepts any context; otherwise the contexts must
 * match. */
bool py_type_arg(PyObject *object, py_context *c, ir_type *out);
bool py_attr_arg(PyObject *object, py_context *c, ir_attr *out);
bool py_loc_arg(PyObject *object, py_context **io_context, ir_loc *out); /* None: current */
/* The same for a new operation: by its traceback, if these are on. */
bool py_made_loc_arg(PyObject *object, py_context **io_context, ir_loc *out);
bool py_affine_arg(PyObject *object, py_context *c, ir_affine *out); /* ints too */
bool py_map_arg(PyObject *object, py_context *c, ir_affine_map *out);
/* Items of a sequence as pointers to types or attributes; to be freed with PyMem_Free.
 * *io_context is set by the first item if it was NULL. */
bool py_types_arg(PyObject *sequence, py_context **io_context, ir_type **out,
                  size_t *count);
bool py_attrs_arg(PyObject *sequence, py_context **io_context, ir_attr **out,
                  size_t *count);
PyObject *py_text(tw_str text);
PyObject *py_buf_text(tw_strbuf *buf); /* and frees the buffer */
/* The Python value of a parameter of a dialect attribute: integers, texts, lists,
 * attributes. */
PyObject *py_param_value(py_context *c, ir_attr value, const ir_param_def *def);
bool py_param_arg(py_context *c, PyObject *value, const ir_param_def *def, ir_attr *out);

/* ---- handles (handle.c) ------------------------------------------------------------- */

py_handle *py_op_handle(py_context *c, ir_op *op); /* new reference */
py_handle *py_block_handle(py_context *c, ir_block *block);
PyObject *py_wrap_op(py_context *c, ir_op *op); /* as its OpView */
PyObject *py_view_of(py_handle *h);             /* the OpView of an operation's handle */
ir_op *py_op_get(py_handle *h);                 /* raises and gives NULL if freed */
ir_block *py_block_get(py_handle *h);           /* the same */
py_handle *py_op_arg(PyObject *object);         /* Operation, OpView, Module; borrowed */
void py_handle_moved(py_handle *h);             /* updates `keep` after a move */
/* True if values defined in the operation (or block) are used outside it. */
bool py_used_outside(ir_op *op);
/* Inserts op before `before` or at the block's end, after checks; false: raised. */
bool py_insert(py_handle *op, py_handle *block, ir_op *before);
/* Raises if the insertion point would follow the block's terminator. */
bool py_may_insert(py_handle *block, const ir_op *before);
bool py_nesting_fits(const ir_block *block, const ir_op *op);
void py_listen(py_context *c);
/* branch.c: called when an operation was inserted, removed or created, or its block is
 * about to leave its region; and when an object was freed. */
void py_branch_moved(py_context *c, const ir_op *op);
void py_branch_copied(py_context *c, ir_op *op);
void py_branch_blocks_move(py_context *c, const ir_region *region);
void py_branch_freed(py_context *c, const void *thing);
void py_branch_end(py_context *c);
/* rewrite.c: called when an object was freed. */
typedef struct py_run py_run;
void py_run_freed(py_context *c, const void *thing);
void py_handle_dealloc(PyObject *self);

/* ---- values, regions, lists --------------------------------------------------------- */

ir_value *py_value_get(PyObject *value); /* raises and gives NULL if it is gone */
PyObject *py_wrap_value(py_context *c, ir_value *value);
/* A value, or the single result of an operation. */
ir_value *py_value_arg(PyObject *object, py_context *c);
ir_region *py_region_get(PyObject *region);
PyObject *py_wrap_region(py_handle *op, uint32_t index);
/* A view of `count` items from `start` on; count UINT32_MAX: all items. */
PyObject *py_list_new(py_class kind, py_handle *holder, uint32_t region, uint32_t start,
                      uint32_t count);
PyObject *py_attribute_map(py_handle *op);
PyObject *py_named_attribute(py_context *c, ir_named_attr entry);

PyObject *py_wrap_operand(py_context *c, const ir_operand *use); /* OpOperand */

/* ---- building (build.c, init.c) ----------------------------------------------------- */

/* Inserts a new operation at `ip` (None: the current point, if any; False: nowhere). */
bool py_place(py_handle *op, PyObject *ip);
PyObject *py_op_walk(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_op_create(PyObject *cls, PyObject *args, PyObject *kwargs);
PyObject *py_build_generic(PyObject *cls, PyObject *args, PyObject *kwargs);
int py_view_init(PyObject *self, PyObject *args, PyObject *kwargs);

/* ---- text --------------------------------------------------------------------------- */

PyObject *py_get_asm(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_print(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_write_bytecode(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_value_name(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_op_str(PyObject *self);

/* ---- the module's parts ------------------------------------------------------------- */

extern const py_class_row py_context_classes[], py_location_classes[], py_handle_classes[],
    py_op_classes[], py_region_classes[], py_value_classes[], py_list_classes[],
    py_item_classes[], py_affine_classes[], py_build_classes[], py_asm_classes[],
    py_pass_classes[], py_diagnostic_classes[], py_rest_classes[];
bool py_make_type_classes(PyObject *module, py_state *state);
bool py_make_attr_classes(PyObject *module, py_state *state);
bool py_make_loc_classes(PyObject *module, py_state *state);
bool py_make_affine_classes(PyObject *module, py_state *state);
extern PyType_Spec py_affine_map_spec, py_integer_set_spec;
extern PyMethodDef py_row_functions[], py_body_functions[], py_eval_functions[],
    py_rewrite_functions[], py_translate_functions[];
const ir_op_def *py_row_of_op(const char *name); /* NULL if there is none */
/* Makes a class and adds it to the module under its short name. */
PyTypeObject *py_make_class(PyObject *module, PyType_Spec *spec, PyTypeObject *base);
/* Sets object.name = text, unless text is NULL; false with an exception. */
bool py_set_text(PyObject *object, const char *name, const char *text);

#define PY_METHOD(f) ((PyCFunction)(void (*)(void))(f))
#define PY_KW (METH_VARARGS | METH_KEYWORDS)

#endif
