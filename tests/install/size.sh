#!/bin/sh
# What libhurray.so costs those who load it: size, dependencies, time to load. Fails when it needs
# more than the C library and libgcc_s.
#
#   tests/install/size.sh [LIBRARY]     build/lib/libhurray.so unless you say so
set -eu
library=$(realpath "${1:-$(dirname "$0")/../../build/lib/libhurray.so}")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

strip --strip-unneeded -o "$folder/libhurray.so" "$library"
bytes=$(wc -c <"$folder/libhurray.so")
echo "libhurray.so, stripped: $((bytes)) bytes"

needs=$(readelf --dynamic --wide "$folder/libhurray.so" |
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
echo "needs: $needs"
# ld-linux is the C library's own loader, which every process has: thread-local variables ask it.
for name in $needs; do
    case $name in
        libc.so.6 | libgcc_s.so.1 | ld-linux-*.so.*) ;;
        *)
            echo "and it may not need $name" >&2
            exit 1
            ;;
    esac
done

${CC:-cc} -std=c99 -O2 -Wall -Wextra -o "$folder/load_time" "$here/load_time.c" -ldl
"$folder/load_time" "$folder/libhurray.so"
