/* test_rules.c: every rule of the dialects' verifiers parses and names parts that its row
 * has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "d2m/d2m.h"
#include "d2m/d2m_hooks.h"
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"
#include "ttnn/ttnn.h"
#include "ttnn/ttnn_hooks.h"

static void check(const ir_op_def *def, chk_rules rules)
{
    const char *what;
    if (!chk_rule_is_sound(def, rules, &what))
        fail_msg("%s: a rule does not read well at: %.60s", def->name, what);
}

/* Parses the rules of a dialect's operations, and checks that the rows reference them. */
static void check_all(const ir_op_def *ops, int count,
                      chk_rules (*rules_of)(const ir_op_def *), bool (*verify)(ir_op *),
                      uint32_t at_least)
{
    uint32_t ruled = 0;
    for (int i = 0; i < count; i++) {
        chk_rules rules = rules_of(&ops[i]);
        check(&ops[i], rules);
        ruled += rules.count > 0;
        assert_true(rules.count == 0 || ops[i].verify == verify);
    }
    assert_true(ruled >= at_least);
}

static void test_dialects(void **state)
{
    (void)state;
    check_all(ttir_ops, TTIR_OP_COUNT, ttir_rules, ttir_verify, 100);
    check_all(d2m_ops, D2M_OP_COUNT, d2m_rules, d2m_verify, 30);
    check_all(ttnn_ops, TTNN_OP_COUNT, ttnn_rules, ttnn_verify, 100);
    check_all(stablehlo_ops, STABLEHLO_OP_COUNT, stablehlo_inference_rules,
              stablehlo_verify, 14);
    check_all(stablehlo_ops, STABLEHLO_OP_COUNT, stablehlo_own_rules, stablehlo_verify, 7);
    check_all(chlo_ops, CHLO_OP_COUNT, chlo_own_rules, chlo_verify, 3);
    check_all(tosa_ops, TOSA_OP_COUNT, tosa_own_rules, tosa_verify, 50);
}

/* Malformed rules are rejected: otherwise the tests above would be void. */
static void test_unsound(void **state)
{
    (void)state;
    static const char *const bad[] = {"rank(nobody) != 1", "rank(input",
                                      "input == ", "nothing(input)", "rank(input) != 1 2"};
    for (size_t i = 0; i < TW_COUNT(bad); i++) {
        const chk_rule rule = {bad[i], "text"};
        const char *what = NULL;
        assert_false(chk_rule_is_sound(TTIR_OP(sum), (chk_rules){&rule, 1}, &what));
        assert_non_null(what);
    }
    const chk_rule hole = {"rank(input) != 1", "got {rank(nobody)}"};
    const char *what;
    assert_false(chk_rule_is_sound(TTIR_OP(sum), (chk_rules){&hole, 1}, &what));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
