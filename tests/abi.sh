#!/bin/sh
# Nothing that programs rely on has gone since the commit before: the committed lists of both say
# so, and abidiff, which reads the two libraries, where it is installed. Prints a line for each
# case and ends with the counts. docs/abi.md has the rules.
#
#   tests/abi.sh [COMMIT]    another commit to compare with
cd "$(dirname "$0")/.." || exit 1
CARGO=${CARGO:-cargo}
target=${CARGO_TARGET_DIR:-$PWD/target}/abi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

end() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIPPED: ABI: $1: $2"
}

# verdict NAME STATUS: with what there is to say about it in $work/log.
verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
    fi
    sed 's/^/        /' "$work/log"
}

# What is not committed yet is compared with the last commit, else that with the one before it.
base=${1:-}
if [ -z "$base" ]; then
    base=HEAD
    if git diff --quiet HEAD -- src include Cargo.toml Cargo.lock build.rs tests 2>/dev/null; then
        base=HEAD~1
    fi
fi
if ! commit=$(git rev-parse --short --verify --quiet "$base^{commit}"); then
    skip 'the commit before' 'it is not in this clone'
    end
fi

# abi-gone.txt: what a version was allowed to take away.
sed -n '/^[0-9]/s/^[^ ]* //p' tests/abi-gone.txt >"$work/allowed"
for list in tests/abi.txt tests/symbols.txt; do
    if ! git show "$commit:$list" >"$work/before" 2>/dev/null; then
        skip "$list" "commit $commit does not have it"
        continue
    fi
    grep -v '^#' "$work/before" | grep -vxFf "$list" | grep -vxFf "$work/allowed" >"$work/log"
    gone=$(wc -l <"$work/log")
    verdict "$list has all of the $(grep -vc '^#' "$work/before") lines that it had in $commit" "$((gone))"
done

# series CARGO_TOML: the versions that share an ABI.
series() {
    sed -n '/^\[workspace.package\]/,/^version/s/^version = "\(0\.[0-9]*\|[0-9]*\)\..*"/\1/p' "$1"
}

if ! command -v abidiff >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq abigail-tools; } >/dev/null 2>&1
fi
if ! command -v abidiff >/dev/null; then
    skip 'abidiff' 'it is not installed'
    end
fi
mkdir "$work/before.d"
git archive "$commit" -- src include Cargo.toml Cargo.lock build.rs cli benches tests 2>/dev/null |
    tar -x -m -C "$work/before.d"
if [ "$(series "$work/before.d/Cargo.toml")" != "$(series Cargo.toml)" ]; then
    skip 'abidiff' "commit $commit has a version with another ABI"
    end
fi

# library FOLDER NAME: with all that a debugger wants to know, and without optimisation. In target
# folders of their own: in one, cargo takes the one source for the other.
library() {
    (cd "$1" && $CARGO rustc --quiet --lib --crate-type cdylib --target-dir "$target/$2")
}
if library "$work/before.d" before >"$work/log" 2>&1 && library . now >"$work/log" 2>&1; then
    before=$target/before/debug/libhurray.so now=$target/now/debug/libhurray.so
    abidiff --stat "$before" "$now" >"$work/log" 2>&1
    # 8: incompatible, 4: something changed, 1 and 2: it could not tell.
    status=$(($? & 11))
    [ "$status" -eq 0 ] || abidiff "$before" "$now" >"$work/log" 2>&1
    verdict "abidiff: the library of $commit can be replaced by this one" "$status"
else
    verdict "abidiff: building both libraries" 1
fi
end
