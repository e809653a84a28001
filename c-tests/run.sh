#!/bin/sh
# The library as C programs see it: compiles every program of this folder, links it with
# libhurray.so and with libhurray.a, and runs each of them plainly and under valgrind. Prints a line
# for each program and ends with the counts.
#
#   c-tests/run.sh               all programs
#   c-tests/run.sh open kv       these
#
# Where there is a NAME.cc, it is a second translation unit of NAME.cpp. NAME.awk writes NAME.inc
# from the header, for NAME to include.
#
# A program that says `run.sh: plain` in a comment is not run under valgrind. Not used is valgrind's
# helgrind, which takes every atomic pointer of Rust for a race.
# From the environment: CC, CXX, JOBS, and HURRAY_LIB, a folder with the two libraries (else they
# are built).
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
here=$root/c-tests
cd "$root" || exit 1
CC=${CC:-cc} CXX=${CXX:-c++} JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
warnings='-Wall -Wextra -Wpedantic -Wconversion -Werror -O1 -g'
cxx_warnings='-Wshadow -Wold-style-cast'

# compile PROGRAM LINKAGE: makes $work/PROGRAM.LINKAGE.
compile() {
    case $2 in
        dynamic) set -- "$1" "$2" -L"$libraries" -lhurray -Wl,-rpath,"$libraries" ;;
        # Not quoted: it is a list.
        static) set -- "$1" "$2" "$libraries/libhurray.a" $static_libraries ;;
    esac
    name=$1 executable=$work/$1.$2
    shift 2
    reference=${HURRAY_SHARED:-$root/../shared}/vectors/reference
    if [ -d "$reference" ]; then set -- -DREFERENCE="\"$reference\"" "$@"; fi
    set -- -I"$root/include" -I"$here" -I"$work" -DVECTORS="\"$root/tests/vectors\"" \
        -o "$executable" "$here/$name".c* "$@" -pthread -ldl
    if [ -f "$here/$name.cpp" ]; then
        "$CXX" -std=c++17 $warnings $cxx_warnings "$@"
    else
        "$CC" -std=c99 $warnings "$@"
    fi
}

# run PROGRAM LINKAGE WAY: in an empty folder of its own, which it need not tidy up.
run() {
    folder=$work/$1.$2.$3.d log=$work/$1.$2.$3.log
    mkdir "$folder" && cd "$folder" || return 1
    memcheck='valgrind -q --error-exitcode=99 --leak-check=full --num-callers=30'
    memcheck="$memcheck --errors-for-leak-kinds=definite,indirect,possible --track-fds=yes"
    # A malloc of the program's own, as memory.c has, stays in front of libc's.
    memcheck="$memcheck --soname-synonyms=somalloc=nouserintercepts"
    case $3 in
        plain) $limit "../$1.$2" ;;
        valgrind) UNDER_VALGRIND=1 $limit $memcheck --log-file="$log" "../$1.$2" ;;
    esac
    status=$?
    if [ -f "$log" ]; then
        # Descriptors that it left open, and did not get from us.
        awk '/Open file descriptor|Open .* socket/ { held = $0; next }
             held != "" && !/inherited from parent/ { print held; left = 1 }
             { held = "" }
             END { exit left }' "$log" || { echo 'descriptors are left open'; status=98; }
        [ "$status" -eq 0 ] || cat "$log"
    fi
    cd "$work" || return 1
    rm -rf "$folder"
    [ "$status" -eq 0 ] || echo "$1, linked $2, $3: exit status $status"
    return "$status"
}

# one PROGRAM: all of its ways, and a line about it.
one() {
    began=$(date +%s) ways='' output=$work/$1.output
    if [ -f "$here/$1.awk" ]; then
        # What it writes about the header, perhaps with the help of a table.
        table=$here/$1.txt
        [ -f "$table" ] || table=
        awk -f "$here/$1.awk" ${table:+"$table"} "$root/include/hurray.h" >"$work/$1.inc" 2>"$output" ||
            { failed "$1" 'generating'; return; }
    fi
    for linkage in dynamic static; do
        compile "$1" $linkage >"$output" 2>&1 || { failed "$1" "compiling, $linkage"; return; }
        ways="$ways, $linkage:"
        for way in plain $(checkers "$1"); do
            run "$1" $linkage $way >"$output" 2>&1 || { failed "$1" "$linkage, $way"; return; }
            ways="$ways $way"
            grep -a '^SKIPPED: ' "$output" >>"$work/$1.skipped"
        done
        rm -f "$work/$1.$linkage"
    done
    touch "$work/$1.passed"
    printf 'ok      %-15s %s (%s s)\n' "$1" "${ways#, }" "$(($(date +%s) - began))"
}

checkers() {
    $have_valgrind || return 0
    grep -qs 'run\.sh: plain' "$here/$1".c* || echo valgrind
}

failed() {
    printf 'FAILED  %-15s %s\n%s\n' "$1" "$2" "$(sed 's/^/    /' "$work/$1.output")"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi

have_valgrind=true
if ! command -v valgrind >/dev/null; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        { apt-get update -qq && apt-get install -y -qq valgrind; } >/dev/null 2>&1
    fi
    command -v valgrind >/dev/null || have_valgrind=false
fi

libraries=${HURRAY_LIB:-}
if [ -z "$libraries" ]; then
    make --silent lib >/dev/null || exit 1
    libraries=$root/build/lib
fi
static_libraries=$(sh "$root/scripts/static-libs.sh") || exit 1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# A program that hangs has failed.
limit=''
if command -v timeout >/dev/null; then limit='timeout 900'; fi
export CC CXX libraries static_libraries work have_valgrind limit

if [ $# -eq 0 ]; then
    languages='c cpp'
    if ! command -v "${CXX%% *}" >/dev/null; then
        languages=c
        echo "SKIPPED: c-tests in C++: $CXX is not installed" >"$work/cpp.skipped"
    fi
    for language in $languages; do
        for source in "$here"/*."$language"; do
            source=${source##*/}
            set -- "$@" "${source%.*}"
        done
    done
fi
total=$#
printf '%s\n' "$@" | xargs -n 1 -P "$JOBS" sh "$here/run.sh" --one

passed=$(find "$work" -name '*.passed' | wc -l)
skipped=$(cat "$work"/*.skipped 2>/dev/null | sort -u)
if ! $have_valgrind; then
    skipped="SKIPPED: c-tests under valgrind: it is not installed${skipped:+
$skipped}"
fi
[ -z "$skipped" ] || printf '%s\n' "$skipped"
count=$(printf '%s' "$skipped" | grep -c '^SKIPPED')
printf '%s passed, %s failed, %s skipped\n' "$((passed))" "$((total - passed))" "$count"
[ "$passed" -eq "$total" ]
