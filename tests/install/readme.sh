#!/bin/sh
# Follows README.md as a new user would who has a model: in an empty folder, with a home of their
# own. Says every command.
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A home that is empty, but for the Rust that is installed in this one.
CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} HOME=$work/home
export CARGO_HOME RUSTUP_HOME HOME
unset MAKEFLAGS MAKELEVEL PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
clone=$root empty=$work/empty output=$work/output
mkdir "$HOME" "$empty"
cp "$root/tests/models/minilm-layer0.safetensors" "$empty/model.safetensors"
# The same again as a model in shards, of which it has one.
"$root/build/bin/hrry" convert "$empty/model.safetensors" "$work/model.hrry" &&
    "$root/build/bin/hrry" ls "$work/model.hrry" |
    awk -F '\t' '{ printf "%s\"%s\": \"model.safetensors\"", NR == 1 ? "{\"weight_map\": {" : ", ", $1 }
        END { print "}}" }' >"$empty/model.safetensors.index.json" || exit 1

step() { place=$1:$2; }

failed() {
    echo "$place: this command fails:"
    cat "$output"
    exit 1
}

# Lines of what is expected, with `...` for any number of others.
expect() {
    cat >"$work/expected"
    awk 'NR == FNR { want[++wants] = $0; next }
         { have[++haves] = $0 }
         function fits(w, h) {
             for (; w <= wants; w++ && h++) {
                 if (want[w] == "...") {
                     for (; h <= haves + 1; h++) if (fits(w + 1, h)) return 1
                     return 0
                 }
                 if (h > haves || want[w] != have[h]) return 0
             }
             return h > haves
         }
         END { exit !fits(1, 1) }' "$work/expected" "$output" && return
    echo "$place: this command prints something else:"
    cat "$output"
    exit 1
}

cd "$root" || exit 1
awk -f tests/install/readme.awk README.md >"$work/script" || exit 1
cd "$empty" || exit 1
# Here, so that what it exports and where it goes holds for the commands after it.
. "$work/script"
