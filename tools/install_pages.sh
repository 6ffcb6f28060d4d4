#!/bin/sh
# install_pages.sh MANDIR DATADIR: manual pages and completion, for `meson install`.
set -e
bin=$MESON_BUILD_ROOT/bin
man=$MESON_INSTALL_DESTDIR_PREFIX/$1/man1
bash=$MESON_INSTALL_DESTDIR_PREFIX/$2/bash-completion/completions
zsh=$MESON_INSTALL_DESTDIR_PREFIX/$2/zsh/site-functions
mkdir -p "$man" "$bash" "$zsh"
"$bin/tilewright" completion bash >"$bash/tilewright"
"$bin/tilewright" completion zsh >"$zsh/_tilewright"
for tool in tilewright ttmlir-opt ttmlir-translate ttrt tt-smi stablehlo-opt stablehlo-translate ttlang-opt ttlang-translate sdy_opt; do
    "$bin/$tool" --man >"$man/$tool.1"
    [ $tool = tilewright ] || ln -sf tilewright "$bash/$tool"
done
