/* dap.h: `tilewright sim --dap`: the Debug Adapter Protocol over standard input and output.
 *
 * The program and the client's requests share one thread: requests are answered before the
 * program begins, at its stops and after its end.  While it runs another thread waits for
 * input, and lets the program stop at its next line when there is some. */
#ifndef TILEWRIGHT_TOOLS_DAP_H
#define TILEWRIGHT_TOOLS_DAP_H

#include "tilewright/sim.h"

/* Serves one session; `run` takes a command line of tilewright.  Returns the exit status.
 */
int dap_serve(int (*run)(int argc, char **argv));
/* Lets the program that a session runs stop for it; false without a session. */
bool dap_attach(tw_sim *sim);
/* Before the simulation is destroyed. */
void dap_detach(void);

#endif
