#!/bin/sh
# Everything that is tested. Says what it left out and ends with the counts; `make test` runs it.
#
# Beyond Rust, cc and make it uses what it finds: valgrind (c-tests/run.sh installs it from the
# distribution's packages where that can be done), a C++ compiler, Python with pip for a whole
# model. What has to leave something out writes a line that begins with `SKIPPED: `.
cd "$(dirname "$0")/.." || exit 1

CARGO=${CARGO:-cargo}
log=$(mktemp)
trap 'rm -f "$log" "$log.status"' EXIT
passed=0 failed=0 skipped=0 report=''

heading() { printf '\n== %s\n' "$1"; }

# What a log says about skipped parts.
note_skips() {
    lines=$(grep -a '^SKIPPED: ' "$log")
    if [ -n "$lines" ]; then
        skipped=$((skipped + $(printf '%s\n' "$lines" | wc -l)))
        report="$report$lines
"
    fi
}

skip() {
    heading "$1"
    echo "SKIPPED: $1: $2" | tee "$log"
    note_skips
}

# Runs a command, shows what it says and keeps it in $log. Its status is the function's.
logged() {
    { "$@" 2>&1; echo $? >"$log.status"; } | tee "$log"
    return "$(cat "$log.status")"
}

# check NAME COMMAND...: passes or fails as a whole.
check() {
    name=$1
    shift
    heading "$name"
    if logged "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        report="${report}FAILED: $name
"
    fi
    note_skips
}

# counted NAME COMMAND...: a runner that counts its tests itself: cargo's, or one that ends with
# `N passed, N failed`, perhaps with `, N skipped`.
counted() {
    name=$1
    shift
    heading "$name"
    status=0
    logged "$@" || status=$?
    counts=$(awk '
        /^test result: / { p += $4; f += $6 }
        /^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; s += $5 }
        END { print p + 0, f + 0, s + 0 }' "$log")
    p=${counts%% *} s=${counts##* }
    f=${counts#* } f=${f% *}
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    passed=$((passed + p)) failed=$((failed + f))
    if [ "$f" -ne 0 ]; then
        report="${report}FAILED: $name: $f
"
    fi
    before=$skipped
    note_skips
    # A runner that counts its skips and does not name them all.
    if [ $((skipped - before)) -lt "$s" ]; then skipped=$((before + s)); fi
}

# The formatter and the lint program are parts of Rust that not every machine has.
if $CARGO fmt --version >/dev/null 2>&1; then
    check 'format' "$CARGO" fmt --all --check
    # What the lists of layouts and schemes name is not found by the formatter itself.
    check 'format of what lists name' rustfmt --check src/descriptor/layout/*.rs \
        src/descriptor/quantization/*.rs
else
    skip 'format' 'cargo fmt is not installed'
fi
if $CARGO clippy --version >/dev/null 2>&1; then
    check 'lints' "$CARGO" clippy --workspace --all-targets -- -D warnings
else
    skip 'lints' 'cargo clippy is not installed'
fi
check 'documentation' env RUSTDOCFLAGS='-D warnings' "$CARGO" doc --workspace --no-deps --quiet
counted 'Rust tests' "$CARGO" test --workspace --no-fail-fast
check 'libraries and program' make
counted 'C tests' env HURRAY_LIB="$PWD/build/lib" sh c-tests/run.sh
check 'demo' make demo
check 'the demo notices a difference' sh scripts/compare-check.sh
check 'a whole model through C' sh scripts/whole-model.sh
counted 'numpy, scipy and ml_dtypes as judges' env HURRAY_LIB="$PWD/build/lib" sh tests/judge/run.sh
counted 'ABI since the commit before' sh tests/abi.sh
counted 'Installed library' sh tests/install/run.sh

printf '\n== summary\n%s%s passed, %s failed, %s skipped\n' "$report" "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
