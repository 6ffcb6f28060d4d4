#!/bin/sh
# in_bin.sh PROGRAM FOLDER STAMP [NAME...]: links a built program into FOLDER, under its own
# name and the others.
set -eu
mkdir -p "$2"
ln -sf "$(realpath "$1")" "$2/$(basename "$1")"
touch "$3"
program=$(basename "$1") folder=$2
shift 3
for name; do
    ln -sf "$program" "$folder/$name"
done
