/* interrupt.c: see interrupt.h.
 *
 * The interpreter's own handler only records the signal until Python code runs again, so
 * the handler here calls it and then raises the flag. A signal handler has no user
 * argument, hence the static variables, which only the main thread touches. In a child of
 * fork the forking thread is the main one; it may find the state left by its parent's main
 * thread. */
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int raised;
static struct sigaction interpreter;
static int depth;
static pthread_t owner; /* owner of the depth */

static void on_interrupt(int number, siginfo_t *info, void *context)
{
    raised = 1;
    if (interpreter.sa_flags & SA_SIGINFO)
        interpreter.sa_sigaction(number, info, context);
    else
        interpreter.sa_handler(number);
}

static int is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_interrupt;
}

const volatile int *py_interrupt_begin(void)
{
    struct sigaction now,
        ours = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (getpid() != (pid_t)syscall(SYS_gettid))
        return NULL;
    if (depth && pthread_equal(owner, pthread_self())) {
        depth++;
        return &raised;
    }
    if (sigaction(SIGINT, NULL, &now) < 0)
        return NULL;
    if (!is_ours(&now))
        interpreter = now;
    if (interpreter.sa_handler == SIG_DFL || interpreter.sa_handler == SIG_IGN)
        return NULL;
    raised = 0;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGINT, &ours, NULL) < 0)
        return NULL;
    depth = 1;
    owner = pthread_self();
    return &raised;
}

void py_interrupt_end(const volatile int *flag)
{
    struct sigaction now;
    if (!flag || --depth)
        return;
    /* unless Python code that ran meanwhile has set another handler */
    if (sigaction(SIGINT, NULL, &now) == 0 && is_ours(&now))
        sigaction(SIGINT, &interpreter, NULL);
}

PyObject *py_interrupted(void)
{
    if (PyErr_CheckSignals() == 0)
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    return NULL;
}
