/* completion.c: scripts that complete command lines.  They ask the tool itself, which
 * answers `TOOL [COMMAND] --list-options` from its table (cli_help.c). */
#include "completion.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

#define TOOLS                                                                              \
    "tilewright ttmlir-opt ttmlir-translate ttrt tt-smi stablehlo-opt "                    \
    "stablehlo-translate "                                                                 \
    "ttlang-opt ttlang-translate sdy_opt"

static const char bash[] =
    "# Completion of Tilewright's commands: source <(tilewright completion bash)\n"
    "_tilewright() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} option= command= word values list i\n"
    "    # '=' is a word of its own: --option = value\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur= option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    list=$(\"${COMP_WORDS[0]}\" --list-options 2>/dev/null)\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word != -* && $'\\n'$list == *$'\\n'\"$word\"$'\\t'* ]]; then\n"
    "            command=$word\n"
    "            list=$(\"${COMP_WORDS[0]}\" \"$command\" --list-options 2>/dev/null)\n"
    "            break\n"
    "        fi\n"
    "    done\n"
    "    if [[ -n $option ]]; then\n"
    "        values=$(awk -F '\\t' -v o=\"$option\" '$1 == o || $1 == o \"=\" "
    "{ gsub(/\\|/, \" \", $2); print $2 }' <<<\"$list\")\n"
    "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
    "    elif [[ $cur == -* || ($list != -* && -z $command) ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$(cut -f1 <<<\"$list\")\" -- \"$cur\"))\n"
    "    fi\n"
    "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _tilewright " TOOLS "\n";

static const char zsh[] =
    "#compdef " TOOLS "\n"
    "# Completion of Tilewright's commands; in a folder of fpath, or sourced after "
    "compinit.\n"
    "_tilewright() {\n"
    "    local tool=$words[1] command= line name option i\n"
    "    local -a list plain assigned\n"
    "    list=(${(f)\"$($tool --list-options 2>/dev/null)\"})\n"
    "    for ((i = 2; i < CURRENT; i++)); do\n"
    "        if [[ $words[i] != -* && -n ${(M)list:#$words[i]$'\\t'*} ]]; then\n"
    "            command=$words[i]\n"
    "            list=(${(f)\"$($tool $command --list-options 2>/dev/null)\"})\n"
    "            break\n"
    "        fi\n"
    "    done\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        option=${PREFIX%%=*}\n"
    "        compset -P 1 '*='\n"
    "        line=${(M)list:#$option(=|)$'\\t'*}\n"
    "        name=${${line#*$'\\t'}%%$'\\t'*}\n"
    "        if [[ -n $name ]]; then compadd -S '' -- ${(s:|:)name}; else _files; fi\n"
    "        return\n"
    "    fi\n"
    "    if [[ $PREFIX != -* && ($list[1] == -* || -n $command) ]]; then\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    for line in $list; do\n"
    "        name=${line%%$'\\t'*}\n"
    "        if [[ $name == *= ]]; then assigned+=(\"$name:${line##*$'\\t'}\")\n"
    "        else plain+=(\"$name:${line##*$'\\t'}\"); fi\n"
    "    done\n"
    "    _describe command plain\n"
    "    _describe option assigned -S ''\n"
    "}\n"
    "if [[ $funcstack[1] == _tilewright ]]; then _tilewright \"$@\"\n"
    "else compdef _tilewright " TOOLS "; fi\n";

int completion_print(const char *shell)
{
    if (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
        return cli_usage("tilewright completion", "SHELL is bash or zsh");
    fputs(*shell == 'b' ? bash : zsh, stdout);
    return 0;
}
