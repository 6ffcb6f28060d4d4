#!/bin/sh
# in_bin.sh PROGRAM FOLDER STAMP: links a built program into FOLDER.
set -eu
mkdir -p "$2"
ln -sf "$(realpath "$1")" "$2/$(basename "$1")"
touch "$3"
