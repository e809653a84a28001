"""numpy, scipy and ml_dtypes judge what libhurray makes of some hundred tensors.

Descriptors are packed here, by descriptor.md; buffers are laid out by numpy and scipy. The library
gets both through ctypes and has to give back the numbers that went in, in every type that it
converts to. Nothing of the library's own decides what is right.

    python judge.py LIBRARY

Prints a line for each kind of tensor and ends with the counts.
"""

import ctypes
import itertools
import struct
import sys

import ml_dtypes
import numpy as np
import scipy.sparse

AS_STORED, AS_BYTES = 0, 0x100
F16, BF16, F32, F64, I64 = 0x01, 0x02, 0x03, 0x04, 0x16
TARGETS = {F16: np.float16, BF16: ml_dtypes.bfloat16, F32: np.float32, F64: np.float64}

# name: tag, bits, what numpy reads the codes as
TYPES = {
    "float16": (0x01, 16, np.float16),
    "bfloat16": (0x02, 16, ml_dtypes.bfloat16),
    "float32": (0x03, 32, np.float32),
    "float64": (0x04, 64, np.float64),
    "int8": (0x10, 8, np.int8),
    "uint8": (0x11, 8, np.uint8),
    "int16": (0x12, 16, np.int16),
    "uint16": (0x13, 16, np.uint16),
    "int32": (0x14, 32, np.int32),
    "uint32": (0x15, 32, np.uint32),
    "int64": (0x16, 64, np.int64),
    "uint64": (0x17, 64, np.uint64),
    "bool": (0x20, 1, np.bool_),
    "float8_e4m3": (0x40, 8, ml_dtypes.float8_e4m3fn),
    "float8_e5m2": (0x41, 8, ml_dtypes.float8_e5m2),
    "float8_e8m0": (0x42, 8, ml_dtypes.float8_e8m0fnu),
    "float4_e2m1": (0x43, 4, ml_dtypes.float4_e2m1fn),
    "float6_e2m3": (0x44, 6, ml_dtypes.float6_e2m3fn),
    "float6_e3m2": (0x45, 6, ml_dtypes.float6_e3m2fn),
    "int4": (0x48, 4, ml_dtypes.int4),
    "uint4": (0x49, 4, ml_dtypes.uint4),
    "int2": (0x4A, 2, ml_dtypes.int2),
    "uint2": (0x4B, 2, ml_dtypes.uint2),
    "complex64": (0x50, 64, np.complex64),
    "complex128": (0x51, 128, np.complex128),
}

random = np.random.default_rng(20261129)


class Memory(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Error(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int32),
        ("os_error", ctypes.c_int32),
        ("numbers", ctypes.c_uint64 * 6),
        ("message", ctypes.c_char * 456),
    ]


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)

    def call(self, name, *arguments):
        error = Error()
        status = getattr(self.lib, name)(*arguments, ctypes.byref(error))
        if status != 0:
            raise RuntimeError(f"{name}: {error.message.decode()}")

    def tensor(self, descriptor, buffers):
        return Tensor(self, descriptor, buffers)


class Tensor:
    """A descriptor's bytes and its buffers, as the library sees them."""

    def __init__(self, library, descriptor, buffers):
        self.library = library
        self.handle = ctypes.c_void_p()
        library.call("hrry_descriptor_decode", descriptor, ctypes.c_size_t(len(descriptor)), 0,
                     ctypes.byref(self.handle))
        self.buffers = [np.ascontiguousarray(b).view(np.uint8).reshape(-1) for b in buffers]
        table = [Memory(b.ctypes.data if b.size else None, b.size) for b in self.buffers]
        self.table = (Memory * len(table))(*table)

    def __del__(self):
        self.library.lib.hrry_descriptor_free(self.handle)

    def ask(self, name, numbers, kind, out):
        arguments = [
            (ctypes.c_uint64 * max(1, len(n)))(*n) if isinstance(n, (list, tuple)) else ctypes.c_uint64(n)
            for n in numbers
        ]
        self.library.call(name, self.handle, self.table, len(self.table), *arguments, kind,
                          ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(out.nbytes))
        return out

    def copy(self, lower, extent, kind, dtype):
        out = np.empty(tuple(int(n) for n in extent), dtype)
        return self.ask("hrry_values_copy", [list(lower), list(extent)], kind, out)

    def copy_bytes(self, lower, extent, kind, size):
        return self.ask("hrry_values_copy", [list(lower), list(extent)], kind, np.empty(size, np.uint8))

    def dequantize(self, first, count, kind, dtype):
        return self.ask("hrry_values_dequantize", [first, count], kind, np.empty(count, dtype))


# ---- Packing, by types.md

def code_dtype(bits):
    return np.dtype(f"u{max(1, bits // 8)}") if bits < 128 else np.dtype("V16")


def pack(codes, bits):
    """Codes, one a number, to the bytes of a buffer."""
    codes = np.ascontiguousarray(codes).reshape(-1)
    if bits >= 8:
        return codes.view(np.uint8)
    group = 4 if bits == 6 else 8 // bits
    padded = np.zeros(-(-codes.size // group) * group, np.uint32)
    padded[: codes.size] = codes
    words = (padded.reshape(-1, group) << (np.arange(group, dtype=np.uint32) * bits)).sum(1)
    return words.astype("<u4").view(np.uint8).reshape(-1, 4)[:, : 3 if bits == 6 else 1].reshape(-1)


def values_of(codes, name):
    """What numpy and ml_dtypes read the codes as."""
    _, bits, dtype = TYPES[name]
    if name in ("int4", "int2"):
        signed = codes.astype(np.int8)
        return np.where(signed >= 1 << (bits - 1), signed - (1 << bits), signed).astype(np.int8)
    if name in ("uint4", "uint2", "bool"):
        return codes.astype(np.uint8)
    return codes.view(dtype)


def random_codes(name, shape):
    _, bits, _ = TYPES[name]
    if bits == 128:
        return random.standard_normal((*shape, 2)).view("V16").reshape(shape)
    if name == "float8_e8m0":
        return random.integers(1, 255, shape, np.uint8)
    top = 1 << bits
    return random.integers(0, top - 1, shape, code_dtype(bits), endpoint=True)


# ---- Layouts: fields, the order of elements in the buffer, elements before the first

def row_major(codes):
    return 1, b"", codes.reshape(-1), 0


def column_major(codes):
    return 2, b"", codes.reshape(-1, order="F"), 0


def strided(codes):
    rank = codes.ndim
    order = random.permutation(rank)
    steps = random.integers(1, 3, rank)
    storage = np.zeros([int(n * s) for n, s in zip(np.array(codes.shape)[order], steps)], codes.dtype)
    cut = tuple(slice(None, None, int(s)) for s in steps)
    view = storage[cut]
    flips = random.integers(0, 2, rank)
    view = view[tuple(slice(None, None, -1 if f else 1) for f in flips)]
    view = view.transpose(np.argsort(order))
    view[...] = codes
    start = (view.__array_interface__["data"][0] - storage.__array_interface__["data"][0])
    strides = [s // storage.itemsize for s in view.strides]
    return 3, struct.pack(f"<{rank}q", *strides), storage.reshape(-1), start // storage.itemsize


def tile(codes, levels):
    """Elements in the order of tiles: levels are (tile shape, outer order, inner order or None)."""
    shape, outer, inner = levels[0]
    grid = [-(-n // t) for n, t in zip(codes.shape, shape)]
    whole = np.zeros([g * t for g, t in zip(grid, shape)], codes.dtype)
    whole[tuple(slice(0, n) for n in codes.shape)] = codes
    tiles = []
    for place in itertools.product(*(range(g) for g in grid)):
        one = whole[tuple(slice(p * t, (p + 1) * t) for p, t in zip(place, shape))]
        tiles.append(tile(one, levels[1:]) if inner is None else one.reshape(-1, order=inner))
    places = np.arange(len(tiles)).reshape(grid).reshape(-1, order=outer)
    return np.concatenate([tiles[p] for p in places])


def tiled(codes):
    rank = codes.ndim
    sizes = [int(n) for n in random.integers(1, 5, rank)]
    outer, inner = random.choice(["C", "F"], 2)
    levels = [(sizes, outer, inner)]
    if random.integers(0, 2):
        sizes = [n * int(f) for n, f in zip(sizes, random.integers(1, 4, rank))]
        levels = [(sizes, random.choice(["C", "F"]), None)] + levels
    tag = {"C": 1, "F": 2, None: 4}
    fields = b"".join(
        struct.pack(f"<{rank}QBBxx", *shape, tag[str(outer)], tag[inner and str(inner)])
        for shape, outer, inner in levels
    )
    return 4, fields, tile(codes, levels), 0


def morton(codes):
    rank = codes.ndim
    bits = [max(1, int(n - 1).bit_length()) for n in codes.shape]
    index = np.indices(codes.shape).astype(np.uint64)
    place = np.zeros(codes.shape, np.uint64)
    for k, b in itertools.product(range(rank), range(max(bits))):
        place |= ((index[k] >> np.uint64(b)) & np.uint64(1)) << np.uint64(b * rank + k)
    stored = np.zeros(max(1 << sum(bits), int(place.max()) + 1), codes.dtype)
    stored[place.reshape(-1)] = codes.reshape(-1)
    return 5, struct.pack(f"<{rank}I", *bits), stored, 0


def hilbert_coordinates(rank, order):
    """Coordinates along the curve, by Skilling's inverse: from the index to the axes."""
    count = 1 << (rank * order)
    index = np.arange(count, dtype=np.uint64)
    x = np.zeros((rank, count), np.uint64)
    one = np.uint64(1)
    for b, d in itertools.product(range(order), range(rank)):
        x[d] |= ((index >> np.uint64(b * rank + rank - 1 - d)) & one) << np.uint64(b)
    t = x[rank - 1] >> one
    for d in range(rank - 1, 0, -1):
        x[d] ^= x[d - 1]
    x[0] ^= t
    q = 2
    while q != 1 << order:
        p = np.uint64(q - 1)
        for d in range(rank - 1, -1, -1):
            high = (x[d] & np.uint64(q)) != 0
            t = np.where(high, 0, (x[0] ^ x[d]) & p).astype(np.uint64)
            x[0] ^= np.where(high, p, t).astype(np.uint64)
            x[d] ^= t
        q <<= 1
    return x


def hilbert(codes):
    rank, order = codes.ndim, int(codes.shape[0]).bit_length() - 1
    return 0x40, struct.pack("<II", order, rank), codes[tuple(hilbert_coordinates(rank, order))], 0


# ---- Descriptors, by descriptor.md

def descriptor(name, shape, layout, fields, sizes, byte_offset=0, quantization=None):
    rank = len(shape)
    body = struct.pack(f"<{rank}QQ", *shape, byte_offset) + fields
    body += struct.pack("<B", len(sizes))
    for size in sizes:
        body += struct.pack("<QIB3x", size, 64, 0)
    flags = 0
    if quantization is not None:
        flags = 1
        body += struct.pack("<I", len(quantization)) + quantization
    head = struct.pack("<4sBBIIBBI", b"HRRY", 1, 0, 20 + len(body), flags, TYPES[name][0], layout, rank)
    return head + body


# ---- Judging

class Court:
    def __init__(self):
        self.passed = self.failed = 0
        self.kinds = {}

    def judge(self, kind, what, found, wanted):
        wanted = np.asarray(wanted)
        same = found.shape == wanted.shape and found.dtype == wanted.dtype
        if same and found.dtype.kind in "fcV" and found.dtype != np.dtype("V16"):
            wide = np.complex128 if found.dtype.kind == "c" else np.float64
            found_wide, wanted_wide = found.astype(wide), wanted.astype(wide)
            same = np.array_equal(found_wide, wanted_wide, equal_nan=True)
            if wide is np.float64:
                signs = np.signbit(found_wide) == np.signbit(wanted_wide)
                same = same and np.all(signs | np.isnan(wanted_wide))
        elif same:
            same = found.tobytes() == wanted.tobytes()
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if same:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED  {kind}: {what}\n  found  {found.reshape(-1)[:8]}\n  wanted {wanted.reshape(-1)[:8]}")


def a_box(shape):
    lower = [int(random.integers(0, n + 1)) for n in shape]
    extent = [int(random.integers(0, n - l + 1)) for n, l in zip(shape, lower)]
    return lower, extent, tuple(slice(l, l + e) for l, e in zip(lower, extent))


def judge_copies(court, kind, name, codes, tensor):
    """Copies of the whole and of a box, in every type that they convert to."""
    _, bits, dtype = TYPES[name]
    shape = codes.shape
    whole = ([0] * len(shape), list(shape), ...)
    for lower, extent, cut in (whole, a_box(shape)):
        part = np.ascontiguousarray(codes[cut]).reshape(extent)
        what = f"{name} {shape} from {lower} of {extent}"
        packed = pack(part, bits)
        found = tensor.copy_bytes(lower, extent, AS_STORED, packed.size)
        court.judge(kind, f"{what} as stored", found, packed)
        values = values_of(part, name)
        if bits < 8:
            stored = values if name in ("int4", "int2") else part
            found = tensor.copy(lower, extent, AS_BYTES, stored.dtype)
            court.judge(kind, f"{what} as bytes", found, stored)
        if np.dtype(dtype).kind == "c":
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            for tag, target in TARGETS.items():
                # ml_dtypes rounds these twice on their way to bfloat16.
                if tag == BF16 and name in ("float64", "int32", "uint32", "int64", "uint64"):
                    continue
                if tag == TYPES[name][0]:
                    continue
                found = tensor.copy(lower, extent, tag, target)
                court.judge(kind, f"{what} as {target.__name__}", found, values.astype(target))
        if np.dtype(values.dtype).kind in "iu" and name != "uint64":
            found = tensor.copy(lower, extent, I64, np.int64)
            court.judge(kind, f"{what} as int64", found, values.astype(np.int64))


def a_shape(rank, most=9):
    return tuple(int(n) for n in random.integers(1, most, rank))


LAYOUTS = (row_major, column_major, strided, tiled, morton, hilbert)


def judge_layout(court, library, layout, name, shape):
    _, bits, _ = TYPES[name]
    codes = random_codes(name, shape)
    tag, fields, stored, start = layout(codes)
    buffer = pack(stored, bits)
    if bits < 8 and start * bits % (24 if bits == 6 else 8):
        return  # byte_offset counts whole bytes, and groups
    said = descriptor(name, shape, tag, fields, [buffer.size], start * bits // 8)
    judge_copies(court, layout.__name__, name, codes, library.tensor(said, [buffer]))


def judge_dense(court, library):
    for name, layout in itertools.product(TYPES, LAYOUTS):
        for rank in range(0 if layout is row_major else 2 if layout is hilbert else 1, 4):
            shape = (1 << int(random.integers(1, 4)),) * rank if layout is hilbert else a_shape(rank)
            judge_layout(court, library, layout, name, shape)
    # Large enough for whatever is done in pieces.
    for name, layout in itertools.product(("bool", "uint4", "float6_e2m3", "float32", "complex128"), LAYOUTS):
        for shape in ((128, 128), (16, 16, 16)) if layout is hilbert else ((131, 147), (17, 43, 38), (5000,)):
            judge_layout(court, library, layout, name, shape)


def judge_sparse(court, library):
    for name, (_, bits, _) in TYPES.items():
        for made, large in itertools.product(("csr", "csc", "coo", "csf"), (False, True)):
            if large and name not in ("uint2", "float6_e3m2", "float16", "float32", "complex64"):
                continue
            rank = 2 if made != "csf" else 3
            shape = a_shape(rank, 12) if not large else (70, 90) if rank == 2 else (9, 21, 24)
            codes = random_codes(name, shape)
            codes = np.where(random.random(shape) < 0.3, codes, np.zeros((), codes.dtype)) if bits < 128 else codes
            if bits == 128:
                codes[random.random(shape) < 0.7] = np.zeros((), codes.dtype)
            place = np.arange(codes.size).reshape(shape) + 1
            present = codes.view(np.dtype((np.void, codes.dtype.itemsize))) != np.zeros((), f"V{codes.dtype.itemsize}")
            kept = np.where(present, place, 0)
            layout, fields, order, tables = sparse_of(made, kept)
            values = pack(codes.reshape(-1)[order - 1], bits)
            buffers = [values, *tables]
            said = descriptor(name, shape, layout, fields, [b.nbytes for b in buffers])
            # What is absent is zero: of e8m0 there is no such code.
            if name == "float8_e8m0":
                continue
            judge_copies(court, made, name, codes, library.tensor(said, buffers))


def sparse_of(made, kept):
    """The tag, the fields, the order of values and the tables of what is not 0 in an array."""
    if made == "csf":
        return 9, *csf(kept)
    if made == "coo":
        matrix = scipy.sparse.coo_array(kept)
        shuffled = random.permutation(matrix.data.size)
        tables = [np.stack(matrix.coords, 1).astype("<u8")[shuffled]]
        return 6, struct.pack("<QB7x", shuffled.size, 0), matrix.data[shuffled], tables
    matrix = getattr(scipy.sparse, f"{made}_array")(kept)
    matrix.sort_indices()
    tables = [matrix.indices.astype("<u8"), matrix.indptr.astype("<u8")]
    return {"csr": 7, "csc": 8}[made], struct.pack("<Q8x", matrix.data.size), matrix.data, tables


def csf(kept):
    """Compressed fibers of a three-dimensional array in a random order of modes."""
    modes = [int(k) for k in random.permutation(3)]
    turned = kept.transpose(modes)
    coordinates = np.argwhere(turned)
    tables = []
    above = np.zeros((1, 0), np.int64)
    for level in range(3):
        nodes = np.unique(coordinates[:, : level + 1], axis=0)
        parents = [tuple(p) for p in above]
        count = [sum(1 for n in nodes if tuple(n[:level]) == p) for p in parents]
        tables += [np.concatenate([[0], np.cumsum(count)]).astype("<u8"), nodes[:, level].astype("<u8")]
        above = nodes
    order = turned[tuple(coordinates.T)]
    fields = struct.pack("<Q3I8x", order.size, *modes)
    return fields, order, tables


NF4 = np.array([
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
    0.7229568362236023, 1.0], np.float32)


def blocks(parameters, shape, axis, size):
    """Parameters in the order of blocks, one for each element: outer dimensions first."""
    others = [n for k, n in enumerate(shape) if k != axis]
    table = parameters.reshape(*others, -(-shape[axis] // size))
    table = np.repeat(table, size, -1)[..., : shape[axis]]
    return np.moveaxis(table, -1, axis)


def quantized(scheme, shape, axis, size, first=1):
    """A scheme's payload, whose buffers begin with the `first` in the table, its parameter buffers, and the values of codes by numpy in float32."""
    scales_of = lambda count: (random.standard_normal(count) + 3).astype(np.float32)
    if scheme == 1:
        scale, zero = np.float32(0.37), int(random.integers(0, 2))
        payload = struct.pack("<BBHfi4x", 1, 1, 0, scale, zero)
        wide = np.int64
        return payload, [], lambda v: scale * (v.astype(wide) - zero).astype(np.float32)
    if scheme == 2:
        scales = scales_of(shape[axis])
        zeros = random.integers(0, 2, shape[axis]).astype("<i4")
        payload = struct.pack("<BBHIIIB3x", 2, 1, 0, axis, first, first + 1, 3)
        line = [1] * len(shape)
        line[axis] = -1
        return payload, [scales, zeros], lambda v: scales.reshape(line) * (
            v.astype(np.int64) - zeros.reshape(line)).astype(np.float32)
    count = -(-shape[axis] // size) * int(np.prod([n for k, n in enumerate(shape) if k != axis]))
    if scheme == 3:
        tag, dtype = [(1, np.float16), (2, ml_dtypes.bfloat16), (3, np.float32)][random.integers(0, 3)]
        scales = scales_of(count).astype(dtype)
        zeros = random.integers(-3, 4, count).astype("<i4")
        payload = struct.pack("<BBHIIIIB3x", 3, 1, 0, axis, size, first, first, tag)
        joined = np.concatenate([scales.view(np.uint8), zeros.view(np.uint8)])
        wide = blocks(scales.astype(np.float32), shape, axis, size)
        zero = blocks(zeros, shape, axis, size)
        return payload, [joined], lambda v: wide * (v.astype(np.int32) - zero).astype(np.float32)
    if scheme == 4:
        scales = scales_of(count)
        payload = struct.pack("<BBHIII", 4, 1, 0, axis, size, first)
        wide = blocks(scales, shape, axis, size)
        return payload, [scales], lambda v: wide * NF4[v]
    scales = random.integers(1, 255, count).astype(np.uint8)
    payload = struct.pack("<BBHIII", 5, 1, 0, axis, size, first)
    wide = blocks(scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32), shape, axis, size)
    return payload, [scales], lambda v: (wide * v.astype(np.float32)).astype(np.float32)


STORAGE = {
    1: ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"],
    2: ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"],
    3: ["int2", "uint2", "int4", "uint4", "int8", "uint8"],
    4: ["uint4"],
    5: ["float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2", "int8", "int4"],
}


def judge_quantized(court, library):
    for scheme, names in STORAGE.items():
        layouts = (row_major, column_major, strided, tiled, morton)
        for name, axis, layout, most in itertools.product(names, range(3), layouts, (7, 30)):
            _, bits, _ = TYPES[name]
            shape = list(a_shape(3, most))
            size = {1: 1, 2: 1, 3: 4, 4: 8, 5: 16}[scheme]
            if scheme >= 3:
                whole = scheme == 5 or layout not in (row_major, column_major)
                shape[axis] = size * int(random.integers(1, 4)) + (0 if whole else int(random.integers(0, size)))
            shape = tuple(shape)
            codes = random_codes(name, shape)
            payload, parameters, value = quantized(scheme, shape, axis, size)
            stored = codes
            if scheme >= 3 and shape[axis] % size:
                room = list(shape)
                room[axis] = -(-shape[axis] // size) * size
                stored = np.zeros(room, codes.dtype)
                stored[tuple(slice(0, n) for n in shape)] = codes
            tag, fields, order, start = layout(stored)
            if bits < 8 and start * bits % (24 if bits == 6 else 8):
                continue  # byte_offset counts whole bytes, and groups
            buffers = [pack(order, bits), *parameters]
            sizes = [b.nbytes for b in buffers]
            said = descriptor(name, shape, tag, fields, sizes, start * bits // 8, payload)
            tensor = library.tensor(said, buffers)
            what = f"{name} {shape} along {axis} in {layout.__name__}"
            with np.errstate(over="ignore", invalid="ignore"):
                wanted = value(values_of(codes, name)).astype(np.float32).reshape(-1)
            judge_values(court, f"scheme {scheme}", what, tensor, wanted)


def judge_values(court, kind, what, tensor, wanted):
    """All values, and those from somewhere on, in every type."""
    first = int(random.integers(0, wanted.size))
    with np.errstate(over="ignore", invalid="ignore"):
        for tag, dtype in TARGETS.items():
            found = tensor.dequantize(0, wanted.size, tag, dtype)
            court.judge(kind, f"{what}, as {dtype.__name__}", found, wanted.astype(dtype))
            found = tensor.dequantize(first, wanted.size - first, tag, dtype)
            court.judge(kind, f"{what}, as {dtype.__name__}", found, wanted[first:].astype(dtype))


def judge_sparse_quantized(court, library):
    """Parameters are those of the coordinates; what is absent is 0, whatever the zero point."""
    for scheme, made in itertools.product(STORAGE, ("csr", "csc", "coo", "csf")):
        for name, axis in itertools.product(STORAGE[scheme], range(3 if made == "csf" else 2)):
            _, bits, _ = TYPES[name]
            shape = list(a_shape(3 if made == "csf" else 2, 12))
            size = {1: 1, 2: 1, 3: 4, 4: 8, 5: 16}[scheme]
            if scheme >= 3:
                shape[axis] = size * int(random.integers(1, 4))
                shape[axis] += 0 if scheme == 5 else int(random.integers(0, size))
            shape = tuple(shape)
            codes = random_codes(name, shape)
            kept = np.where(random.random(shape) < 0.3, np.arange(codes.size).reshape(shape) + 1, 0)
            layout, fields, order, tables = sparse_of(made, kept)
            payload, parameters, value = quantized(scheme, shape, axis, size, 1 + len(tables))
            buffers = [pack(codes.reshape(-1)[order - 1], bits), *tables, *parameters]
            said = descriptor(name, shape, layout, fields, [b.nbytes for b in buffers], 0, payload)
            with np.errstate(over="ignore", invalid="ignore"):
                wanted = value(values_of(codes, name)).astype(np.float32)
            wanted = np.where(kept != 0, wanted, np.float32(0)).reshape(-1)
            what = f"{name} {shape} along {axis}"
            judge_values(court, f"{made}, scheme {scheme}", what, library.tensor(said, buffers), wanted)


def judge_paged(court, library):
    for name, (_, bits, _) in TYPES.items():
        page, pages, heads, dim = 4, 5, int(random.integers(1, 4)), int(random.integers(1, 9))
        pool = random_codes(name, (pages, page, heads, dim))
        table = random.integers(0, pages, 6).astype("<u4")
        ends = np.array([0, 2, 2, 6], "<u4")
        shape = (table.size * page, heads, dim)
        fields = struct.pack("<IQIIBIB6x", page, pages, 0, 3, 0, 0xFFFFFFFF, 0)
        buffers = [pack(pool, bits), table, ends]
        said = descriptor(name, shape, 0x0A, fields, [b.nbytes for b in buffers])
        tensor = library.tensor(said, buffers)
        codes = np.ascontiguousarray(pool[table]).reshape(shape)
        judge_copies(court, "block-paged", name, codes, tensor)
        part = np.ascontiguousarray(pool[table[2:6]]).reshape(-1, heads, dim)[3:14]
        packed = pack(part, bits)
        out = np.empty(packed.size, np.uint8)
        found = tensor.ask("hrry_values_copy_tokens", [2, 3, 11], AS_STORED, out)
        court.judge("block-paged", f"{name} by sequence", found, packed)


def main():
    library, court = Library(sys.argv[1]), Court()
    for judge in (judge_dense, judge_sparse, judge_quantized, judge_sparse_quantized, judge_paged):
        judge(court, library)
    for kind, count in court.kinds.items():
        print(f"{kind}: {count} results")
    print(f"{court.passed} passed, {court.failed} failed")
    sys.exit(court.failed != 0)


main()
