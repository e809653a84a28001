#!/bin/sh
# fuzz/run.sh TARGET SECONDS: builds a corpus from the test vectors and runs a fuzz target on it.
#
# Needs cargo-fuzz (`cargo install cargo-fuzz`) and a C++ compiler. A stable compiler does: the one
# flag that it keeps for nightly ones is asked for by RUSTC_BOOTSTRAP.
set -eu
cd "$(dirname "$0")/.."
target=${1:?usage: fuzz/run.sh open|descriptor|roundtrip|values SECONDS}
seconds=${2:?usage: fuzz/run.sh open|descriptor|roundtrip|values SECONDS}
longest=20480
# Of some layouts there are no smaller files.
[ "$target" != values ] || longest=65536

corpus=fuzz/corpus/$target
mkdir -p "$corpus"
vectors=tests/vectors
[ ! -d ../shared/vectors/reference ] || vectors="$vectors ../shared/vectors/reference"

# A byte that makes the target's choices, then the file; strict and permissive.
seed() {
    name=$corpus/seed-$1
    { printf '\000'; cat; } >"$name-strict"
    { printf '\003'; tail -c +2 "$name-strict"; } >"$name-permissive"
}

if [ ! -e "$corpus/.seeded" ]; then
    case $target in
    open | values)
        find $vectors -name '*.hrry' -size "-${longest}c" | while read -r file; do
            seed "$(basename "$file" .hrry)" <"$file"
        done
        ;;
    *)
        # Every place where a descriptor may begin; what follows it is not looked at.
        find $vectors -name '*.bin' | while read -r file; do
            seed "$(basename "$file" .bin)" <"$file"
        done
        find $vectors -name '*.hrry' | while read -r file; do
            for place in $(LC_ALL=C grep -aob 'HRRY' "$file" | cut -d: -f1); do
                [ $((place % 8)) -eq 0 ] && [ "$place" -gt 0 ] || continue
                bytes=$(mktemp)
                tail -c "+$((place + 1))" "$file" | head -c 320 >"$bytes"
                seed "$(cksum <"$bytes" | tr ' ' '-')" <"$bytes"
                rm -f "$bytes"
            done
        done
        ;;
    esac
    : >"$corpus/.seeded"
fi

RUSTC_BOOTSTRAP=1 exec nice -n 10 cargo fuzz run "$target" -- \
    "-max_total_time=$seconds" "-max_len=$longest" -malloc_limit_mb=64 -print_final_stats=1
