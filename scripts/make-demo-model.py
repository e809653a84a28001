#!/usr/bin/env python3
"""Makes the model of the demo: one encoder layer of all-MiniLM-L6-v2, cut to a size that fits a
repository.

    scripts/make-demo-model.py SOURCE DESTINATION

SOURCE is the model.safetensors of sentence-transformers/all-MiniLM-L6-v2. Every matrix of layer 0
keeps its first 64 rows, every bias and norm stays whole, and names, element types and bytes stay
as they are. Needs Python 3 and nothing else.
"""

import json
import struct
import sys

LAYER = "encoder.layer.0."
ROWS = 64
WIDTH = {"F32": 4}  # the layer has no other type
METADATA = {
    "format": "pt",
    "source": "sentence-transformers/all-MiniLM-L6-v2",
    "license": "Apache-2.0",
    "changes": "layer 0 alone, every matrix cut to its first 64 rows",
}


def read_header(file):
    (length,) = struct.unpack("<Q", file.read(8))
    return json.loads(file.read(length)), 8 + length


def cut(file, data_start, info):
    """The shape and the bytes that are kept of one tensor."""
    shape = list(info["shape"])
    begin, end = info["data_offsets"]
    if len(shape) == 2 and shape[0] > ROWS:
        shape[0] = ROWS
        end = begin + ROWS * shape[1] * WIDTH[info["dtype"]]
    file.seek(data_start + begin)
    return shape, file.read(end - begin)


def main(source, destination):
    header, pieces, at = {"__metadata__": METADATA}, [], 0
    with open(source, "rb") as file:
        tensors, data_start = read_header(file)
        layer = [(name, info) for name, info in tensors.items() if name.startswith(LAYER)]
        for name, info in sorted(layer, key=lambda entry: entry[1]["data_offsets"]):
            shape, data = cut(file, data_start, info)
            header[name] = {
                "dtype": info["dtype"],
                "shape": shape,
                "data_offsets": [at, at + len(data)],
            }
            at += len(data)
            pieces.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(destination, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(pieces))
    print(f"{destination}: {len(pieces)} tensors, {8 + len(text) + at} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
