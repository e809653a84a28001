#!/bin/sh
# numpy, scipy and ml_dtypes as judges of what the library makes of some hundred tensors: see
# judge.py. They come from PyPI into build/judge; a visible skip where that cannot be reached.
# HURRAY_LIB is the folder that libhurray.so is in.
set -eu
cd "$(dirname "$0")/../.."

folder=build/judge
packages='numpy==2.4.6 scipy==1.17.1 ml_dtypes==0.6.0'
library=${HURRAY_LIB:-build/lib}/libhurray.so

if [ ! -x "$folder/bin/python" ] || [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    mkdir -p build
    if ! { python3 -m venv "$folder" && "$folder/bin/python" -m pip install --quiet --retries 1 $packages; } \
        >"$folder.log" 2>&1; then
        echo "SKIPPED: numpy, scipy and ml_dtypes as judges: they cannot be installed"
        echo '0 passed, 0 failed, 1 skipped'
        exit 0
    fi
    touch "$folder/complete"
fi

"$folder/bin/python" tests/judge/judge.py "$library"
