/* commands.h: every command is an entry of one program (main.c), so that an installation
 * holds the library once.  Each takes main's arguments and returns the exit status. */
#pragma once

int stablehlo_translate_main(int argc, char **argv);
int tilewright_main(int argc, char **argv);
int ttmlir_lsp_server_main(int argc, char **argv); /* with TW_WITH_LSP */
int ttmlir_opt_main(int argc, char **argv);
int ttmlir_translate_main(int argc, char **argv);
int tt_smi_main(int argc, char **argv);
int ttrt_main(int argc, char **argv);
