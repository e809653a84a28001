#!/bin/sh
# The comparison of the demo notices what is wrong: it is shown files that differ from their model
# in one place each. Needs `make demo` to have run.
set -eu
cd "$(dirname "$0")/.."

model=tests/models/minilm-layer0.safetensors
good=build/demo/model.hrry
bad=build/demo/bad.hrry
hrry=build/bin/hrry

"$hrry" convert -q "$model" "$good"
build/demo/compare "$good" "$model"

# refused WHAT: $bad, which differs in WHAT, must be found out.
refused() {
    if said=$(build/demo/compare "$bad" "$model" 2>&1); then
        echo "$1: not noticed: $said"
        exit 1
    fi
    echo "$1: $said"
}

# The last byte of the first and of the last tensor, and one in between.
"$hrry" ls "$good" | awk -F '\t' '{ print $6 + $5 - 1 }' | sed -n '1p;9p;$p' |
    while read -r place; do
        cp "$good" "$bad"
        # None of them is 0: they are the highest bytes of small float32 numbers.
        printf '\0' | dd of="$bad" bs=1 seek="$place" conv=notrunc status=none
        refused "byte $place"
    done

# The model's own header, with one letter changed in a name and then in a value.
header() {
    LC_ALL=C sed "$1" "$model" >build/demo/bad.safetensors
    "$hrry" convert -q build/demo/bad.safetensors "$bad"
    refused "$2"
}
header '1s/self.query.bias/self.query.bear/' 'a name'
header '1s/cut to its first/cut to his first/' 'metadata'
header '1s/\[64,1536\]/[1536,64]/' 'a shape'
rm -f "$bad" build/demo/bad.safetensors
