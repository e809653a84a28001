#!/bin/sh
# From a safetensors model to C and back: what `make demo` runs once library and program are built.
set -eu
cd "$(dirname "$0")/.."

model=${1:-tests/models/minilm-layer0.safetensors}
lib=build/lib
out=build/demo
hrry=build/bin/hrry
CC=${CC:-cc}

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi
step() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}

mkdir -p "$out"

step '1. Convert a safetensors model'
run "$hrry" convert "$model" "$out/model.hrry"

step '2. Compile the C examples against libhurray.so'
printf '$ %s -Iinclude examples/NAME.c -L%s -lhurray ...\n' "$CC" "$lib"
for source in minimal list read_tensor values load_many compare write_file stream_large; do
    extra=''
    if [ $source = compare ]; then extra='examples/safetensors.c examples/json.c'; fi
    # shellcheck disable=SC2086 # CC may hold options, extra may be nothing
    $CC -std=c99 -O2 -Wall -Wextra -Iinclude examples/$source.c $extra -o "$out/$source" \
        -L"$lib" -lhurray -Wl,-rpath,"$PWD/$lib"
    printf '%s ' "$source"
done
echo

step '3. List its tensors, from C'
run "$out/list" "$out/model.hrry"

step '4. Use one of them where it lies'
# The largest one whose name needs no escapes.
name=$("$hrry" ls "$out/model.hrry" |
    awk -F '\t' '$1 !~ /\\/ && $5 >= most { most = $5; name = $1 } END { print name }')
run "$out/minimal" "$out/model.hrry" "$name"
run "$out/read_tensor" "$out/model.hrry" "$name"
run "$out/values" "$out/model.hrry" "$name"

step '5. Load all of them into memory of our own'
run "$out/load_many" "$out/model.hrry"

step '6. Write files from C'
run "$out/write_file" "$out/written.hrry"
run "$out/list" "$out/written.hrry"
run "$out/stream_large" "$out/streamed.hrry"
run "$out/list" "$out/streamed.hrry"
rm "$out/streamed.hrry"

step '7. Hold every byte that C reads against the source'
run "$out/compare" "$out/model.hrry" "$model"
