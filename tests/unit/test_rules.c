/* test_rules.c: every rule of the dialects' verifiers reads well and names what its row
 * has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dialect/ttir/ttir.h"
#include "dialect/ttir/ttir_hooks.h"

static void check(const ir_op_def *def, chk_rules rules)
{
    const char *what;
    if (!chk_rule_is_sound(def, rules, &what))
        fail_msg("%s: a rule does not read well at: %.60s", def->name, what);
}

static void test_ttir(void **state)
{
    (void)state;
    uint32_t ruled = 0;
    for (int i = 0; i < TTIR_OP_COUNT; i++) {
        chk_rules rules = ttir_rules(&ttir_ops[i]);
        check(&ttir_ops[i], rules);
        ruled += rules.count > 0;
        assert_true(rules.count == 0 || ttir_ops[i].verify == ttir_verify);
    }
    assert_true(ruled > 100);
}

/* What the tests above would miss if the reader took anything. */
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
        cmocka_unit_test(test_ttir),
        cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
