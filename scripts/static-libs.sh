#!/bin/sh
# Prints the system libraries that a program needs beside libhurray.a, as rustc names them.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: >"$folder/empty.rs"
${RUSTC:-rustc} --crate-type staticlib --print native-static-libs \
    --out-dir "$folder" "$folder/empty.rs" 2>&1 |
    sed -n 's/^note: native-static-libs: //p'
