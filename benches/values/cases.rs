//! The kernels that are measured: tensors and what is asked of them.

use std::sync::{Arc, Mutex};

use crate::bounds::Aligned;
use hurray::bytes::Foreign;
use hurray::composite::{Composite, Membership};
use hurray::container::{ByteSink, File, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::layout::{
    self, BlockPaged, ColumnMajor, Combine, Composition, Coo, Csc, Csf, Csr, Hilbert, IndexType,
    KvRole, Morton, Order, Strided, Tiled,
};
use hurray::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use hurray::descriptor::{
    Buffer, Builder, Descriptor, ElementType as T, Layout, MemberRole, Shard,
};
use hurray::values::{Target, Values};

/// One kernel: its name, and how to get it ready for about as many elements as the square of a
/// side.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) make: fn(u64) -> Ready,
}

const fn case(name: &'static str, make: fn(u64) -> Ready) -> Case {
    Case { name, make }
}

pub(crate) const CASES: &[Case] = &[
    case("float32", |n| dense(T::FLOAT32, &[n, n]).copy(Target::F32)),
    case("float16 to float32", |n| dense(T::FLOAT16, &[n, n]).copy(Target::F32)),
    case("bfloat16 to float32", |n| dense(T::BFLOAT16, &[n, n]).copy(Target::F32)),
    case("float64 to float32", |n| dense(T::FLOAT64, &[n, n]).copy(Target::F32)),
    case("int64 to float32", |n| dense(T::INT64, &[n, n]).copy(Target::F32)),
    case("int8 to float32", |n| dense(T::INT8, &[n, n]).copy(Target::F32)),
    case("int4 to float32", |n| dense(T::INT4, &[n, n]).copy(Target::F32)),
    case("uint2 to float32", |n| dense(T::UINT2, &[n, n]).copy(Target::F32)),
    case("bool to float32", |n| dense(T::BOOL, &[n, n]).copy(Target::F32)),
    case("float8_e4m3 to float32", |n| dense(T::FLOAT8_E4M3, &[n, n]).copy(Target::F32)),
    case("float6_e2m3 to float32", |n| dense(T::FLOAT6_E2M3, &[n, n]).copy(Target::F32)),
    case("float4_e2m1 to float32", |n| dense(T::FLOAT4_E2M1, &[n, n]).copy(Target::F32)),
    case("float32 to float16", |n| dense(T::FLOAT32, &[n, n]).copy(Target::F16)),
    case("float32 to bfloat16", |n| dense(T::FLOAT32, &[n, n]).copy(Target::Bf16)),
    case("float32 to float64", |n| dense(T::FLOAT32, &[n, n]).copy(Target::F64)),
    case("int32 to int64", |n| dense(T::INT32, &[n, n]).copy(Target::I64)),
    case("bfloat16 as stored", |n| dense(T::BFLOAT16, &[n, n]).copy(Target::Stored)),
    case("int4 as stored, packed", |n| dense(T::INT4, &[n, n]).copy(Target::Stored)),
    case("int4 as stored, in bytes", |n| dense(T::INT4, &[n, n]).copy(Target::Bytes)),
    case("float32, column-major", |n| laid(T::FLOAT32, &[n, n], ColumnMajor).copy(Target::F32)),
    case("bfloat16 to float32, column-major", |n| {
        laid(T::BFLOAT16, &[n, n], ColumnMajor).copy(Target::F32)
    }),
    case("int8 as stored, column-major", |n| {
        laid(T::INT8, &[n, n], ColumnMajor).copy(Target::Stored)
    }),
    case("int4 to float32, column-major", |n| {
        laid(T::INT4, &[n, n], ColumnMajor).copy(Target::F32)
    }),
    case("float32, strided as dimensions 1 0 2", |n| permuted(T::FLOAT32, n, [1, 0, 2])),
    case("float32, strided as dimensions 2 0 1", |n| permuted(T::FLOAT32, n, [2, 0, 1])),
    case("float32, strided as dimensions 2 1 0", |n| permuted(T::FLOAT32, n, [2, 1, 0])),
    case("bfloat16 to float32, every second one", |n| {
        let strides = Strided::new(&[4 * n.cast_signed(), 2]).unwrap();
        laid(T::BFLOAT16, &[n, n], strides).copy(Target::F32)
    }),
    case("float32, tiles of 16 x 16", |n| tiled(T::FLOAT32, n, 16).copy(Target::F32)),
    case("float32, tiles of 4 x 4", |n| tiled(T::FLOAT32, n, 4).copy(Target::F32)),
    case("int4 to float32, tiles of 16 x 16", |n| tiled(T::INT4, n, 16).copy(Target::F32)),
    case("int4 to float32, tiles of 4 x 4", |n| tiled(T::INT4, n, 4).copy(Target::F32)),
    case("float32, morton", |n| morton(T::FLOAT32, n).copy(Target::F32)),
    case("bfloat16 as stored, morton", |n| morton(T::BFLOAT16, n).copy(Target::Stored)),
    case("float32, hilbert", |n| hilbert(n, 2).copy(Target::F32)),
    case("float32, hilbert of 3 dimensions", |n| {
        // Sides are powers of 2: half or a quarter as many elements.
        hilbert(1 << ((2 * n.ilog2()) / 3), 3).copy(Target::F32)
    }),
    case("float32, CSR of 1 %", |n| csr(n, 100)),
    case("float32, CSR of 10 %", |n| csr(n, 10)),
    case("float32, CSC of 1 %", |n| csc(n, 100)),
    case("float32, CSC of 10 %", |n| csc(n, 10)),
    case("float32, COO of 1 %", |n| coo(n, 100, true).copy(Target::F32)),
    case("float32, COO of 10 %", |n| coo(n, 10, true).copy(Target::F32)),
    case("float32, COO of 1 % unsorted", |n| coo(n, 100, false).copy(Target::F32)),
    case("float32, COO of 10 % unsorted", |n| coo(n, 10, false).copy(Target::F32)),
    case("float32, CSF of 1 %", |n| csf(n, 100)),
    case("float32, CSF of 10 %", |n| csf(n, 10)),
    case("float32, block-paged, whole", |n| paged(T::FLOAT32, n).copy(Target::F32)),
    case("bfloat16 to float32, block-paged, whole", |n| paged(T::BFLOAT16, n).copy(Target::F32)),
    case("bfloat16 to float32, block-paged by sequence", |n| {
        paged(T::BFLOAT16, n).ask(Question::Sequences(Target::F32))
    }),
    case("int8 per slot, block-paged by sequence", slots),
    case("int8 per tensor", |n| quantized(T::INT8, &[n, n], PerTensor::new(0.5, 3).unwrap(), &[])),
    case("int8 per tensor to bfloat16", |n| {
        quantized(T::INT8, &[n, n], PerTensor::new(0.5, 3).unwrap(), &[])
            .ask(Question::Dequantize(Target::Bf16))
    }),
    case("int8 per tensor to float16", |n| {
        quantized(T::INT8, &[n, n], PerTensor::new(0.5, 3).unwrap(), &[])
            .ask(Question::Dequantize(Target::F16))
    }),
    case("int8 per channel of axis 0", |n| {
        quantized(T::INT8, &[n, n], PerChannel::new(0, 1, Some(2)), &[scales(n), zeros(n)])
    }),
    case("int8 per channel of axis 1", |n| {
        quantized(T::INT8, &[n, n], PerChannel::new(1, 1, Some(2)), &[scales(n), zeros(n)])
    }),
    case("int4 per block of 32, last axis", |n| per_block(&[n, n], 1, &[])),
    case("int4 per block of 32, axis 0", |n| per_block(&[n, n], 0, &[])),
    case("int4 per block of 32, zero points", |n| per_block(&[n, n], 1, &[zeros(n * n / 32)])),
    case("int4 per block of 32, last one padded", |n| per_block(&[n, n - 8], 1, &[])),
    case("int4 per block of 32, axis 0, padded", |n| per_block(&[n - 8, n], 0, &[])),
    case("int4 per block of 32 to bfloat16", |n| {
        per_block(&[n, n], 1, &[]).ask(Question::Dequantize(Target::Bf16))
    }),
    case("int4 per block of 32, column-major", |n| {
        let scheme = PerBlock::new(1, 32, T::FLOAT16, 1, None).unwrap();
        let mut builder = Builder::new(T::INT4, &[n, n]).unwrap();
        builder.layout(ColumnMajor).quantization(scheme);
        finish(&mut builder, &[half_scales(n * n / 32)])
    }),
    case("NF4, blocks of 64", |n| {
        quantized(T::UINT4, &[n, n], Nf4::new(1, 64, 1).unwrap(), &[scales(n * n / 64)])
    }),
    case("MXFP of float4_e2m1, blocks of 32", |n| mxfp(T::FLOAT4_E2M1, n)),
    case("MXFP of float6_e2m3, blocks of 32", |n| mxfp(T::FLOAT6_E2M3, n)),
    case("MXFP of float8_e4m3, blocks of 32", |n| mxfp(T::FLOAT8_E4M3, n)),
    case("MXFP of float8_e4m3 to bfloat16", |n| {
        mxfp(T::FLOAT8_E4M3, n).ask(Question::Dequantize(Target::Bf16))
    }),
    case("merged view, partition into 64", partition),
    case("merged view, overlay with 1 % added", overlay),
];

/// What is asked of a tensor.
enum Question {
    Copy(Target),
    Dequantize(Target),
    /// The tokens of every sequence.
    Sequences(Target),
    Merged(Composite),
}

/// A tensor with its data, and what is asked of it.
pub(crate) struct Ready {
    descriptor: Descriptor,
    buffers: Vec<Aligned>,
    question: Question,
}

impl Ready {
    pub(crate) fn elements(&self) -> u64 {
        self.descriptor.element_count().unwrap()
    }

    pub(crate) fn buffers(&self) -> &[Aligned] {
        &self.buffers
    }

    pub(crate) fn out_bytes(&self) -> usize {
        let stored = self.descriptor.element_bits().unwrap();
        let bits = match self.question {
            Question::Merged(_) | Question::Copy(Target::Stored) => stored,
            Question::Copy(target) | Question::Dequantize(target) | Question::Sequences(target) => {
                match target {
                    Target::Stored => stored,
                    Target::Bytes => stored.max(8),
                    Target::F16 | Target::Bf16 => 16,
                    Target::F32 => 32,
                    Target::F64 | Target::I64 => 64,
                }
            }
        };
        (self.elements() * u64::from(bits) / 8) as usize
    }

    pub(crate) fn run(&self, out: &mut [u8]) {
        let shape = self.descriptor.shape();
        let lower = vec![0; shape.len()];
        if let Question::Merged(composite) = &self.question {
            return composite.read(&lower, shape, out).unwrap();
        }
        let memory: Vec<_> = self.buffers.iter().map(|bytes| Foreign::of(bytes)).collect();
        let values = Values::new(&self.descriptor, &memory).unwrap();
        match self.question {
            Question::Copy(target) => values.copy(&lower, shape, target, out).unwrap(),
            Question::Dequantize(target) => {
                values.dequantize(0, self.elements(), target, out).unwrap();
            }
            Question::Sequences(target) => {
                let Layout::BlockPaged(layout) = self.descriptor.layout() else { return };
                let count = u64::from(layout.num_seqs());
                let each = out.len() / count as usize;
                for (sequence, out) in (0..).zip(out.chunks_mut(each)) {
                    let tokens = shape[0] / count;
                    match self.descriptor.quantization() {
                        None => values.copy_tokens(sequence, 0, tokens, target, out).unwrap(),
                        Some(_) => {
                            values.dequantize_tokens(sequence, 0, tokens, target, out).unwrap();
                        }
                    }
                }
            }
            Question::Merged(_) => {}
        }
    }

    fn ask(mut self, question: Question) -> Self {
        self.question = question;
        self
    }

    fn copy(self, target: Target) -> Self {
        self.ask(Question::Copy(target))
    }
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 8) % limit
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes());
        words.take(count as usize).collect()
    }
}

/// The tensor that a builder makes, of random data where there is none for a buffer.
fn finish(builder: &mut Builder, parameters: &[Vec<u8>]) -> Ready {
    let descriptor = builder.build().unwrap();
    let mut random = Random(1);
    let own = descriptor.buffers().len() - parameters.len();
    let random = |bytes: &Buffer| Aligned::of(&random.bytes(bytes.byte_size));
    let mut buffers: Vec<_> = descriptor.buffers()[..own].iter().map(random).collect();
    buffers.extend(parameters.iter().map(|bytes| Aligned::of(bytes)));
    Ready { descriptor, buffers, question: Question::Dequantize(Target::F32) }
}

fn dense(element_type: T, shape: &[u64]) -> Ready {
    finish(&mut Builder::new(element_type, shape).unwrap(), &[])
}

fn laid(element_type: T, shape: &[u64], layout: impl Into<Layout>) -> Ready {
    finish(Builder::new(element_type, shape).unwrap().layout(layout), &[])
}

/// Three dimensions that lie in another order, the outermost first.
fn permuted(element_type: T, n: u64, order: [usize; 3]) -> Ready {
    let shape = [n / 8, n / 8, 64];
    let mut strides = [0; 3];
    let mut step = 1_u64;
    for k in order.into_iter().rev() {
        strides[k] = step.cast_signed();
        step *= shape[k];
    }
    laid(element_type, &shape, Strided::new(&strides).unwrap()).copy(Target::F32)
}

fn tiled(element_type: T, n: u64, tile: u64) -> Ready {
    let layout = Tiled::new(&[tile, tile], Order::RowMajor, Order::RowMajor).unwrap();
    laid(element_type, &[n, n], layout)
}

fn morton(element_type: T, n: u64) -> Ready {
    laid(element_type, &[n, n], Morton::new(&[n.ilog2(); 2]).unwrap())
}

fn hilbert(side: u64, rank: u32) -> Ready {
    laid(T::FLOAT32, &vec![side; rank as usize], Hilbert::new(side.ilog2(), rank))
}

/// About one of `sparsity` numbers below `count`, in order.
fn some(count: u64, sparsity: u64) -> Vec<u64> {
    let mut random = Random(2);
    let mut at = 0;
    let next = || {
        at += 1 + random.below(2 * sparsity - 1);
        Some(at - 1)
    };
    std::iter::from_fn(next).take_while(|&at| at < count).collect()
}

fn words(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// What is stored of a matrix: the indices along its lines, and where each line begins.
fn lines(n: u64, places: &[u64]) -> [Vec<u8>; 2] {
    let begin = (0..=n).map(|line| places.partition_point(|&at| at / n < line) as u64);
    [words(places.iter().map(|at| at % n)), words(begin)]
}

fn csr(n: u64, sparsity: u64) -> Ready {
    let places = some(n * n, sparsity);
    let mut builder = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    builder.layout(Csr::new(places.len() as u64));
    finish(&mut builder, &lines(n, &places)).copy(Target::F32)
}

fn csc(n: u64, sparsity: u64) -> Ready {
    let places = some(n * n, sparsity);
    let mut builder = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    builder.layout(Csc::new(places.len() as u64));
    finish(&mut builder, &lines(n, &places)).copy(Target::F32)
}

fn coo(n: u64, sparsity: u64, is_sorted: bool) -> Ready {
    let mut places = some(n * n, sparsity);
    if !is_sorted {
        let mut random = Random(3);
        for k in 1..places.len() {
            places.swap(k, random.below(k as u64 + 1) as usize);
        }
    }
    let mut builder = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    builder.layout(Coo::new(places.len() as u64, is_sorted));
    finish(&mut builder, &[words(places.iter().flat_map(|at| [at / n, at % n]))])
}

/// Of three dimensions, the last one as long as a side.
fn csf(n: u64, sparsity: u64) -> Ready {
    let shape = [n / 16, 16, n];
    let places = some(n * n, sparsity);
    // Nodes of each level: the places without what lies deeper, each once.
    let mut levels = [n * 16, n, 1].map(|below| {
        let mut nodes: Vec<_> = places.iter().map(|at| at / below).collect();
        nodes.dedup();
        nodes
    });
    let mut buffers = Vec::new();
    let mut parents = vec![0];
    for (nodes, size) in levels.iter_mut().zip(shape) {
        let is_first = buffers.is_empty();
        let parent = |node: u64| if is_first { 0 } else { node / size };
        let mut begin = vec![0];
        begin.extend(parents.iter().map(|&p| nodes.partition_point(|&x| parent(x) <= p) as u64));
        buffers.push(words(begin));
        buffers.push(words(nodes.iter().map(|node| node % size)));
        parents.clone_from(nodes);
    }
    let mut builder = Builder::new(T::FLOAT32, &shape).unwrap();
    builder.layout(Csf::new(places.len() as u64, &[0, 1, 2]).unwrap());
    for (k, bytes) in (1..).zip(&buffers) {
        builder.buffer_size(k, bytes.len() as u64).unwrap();
    }
    finish(&mut builder, &buffers).copy(Target::F32)
}

const PAGE: u32 = 16;

/// Two sequences over pages in no order, of 8 heads of 128.
fn paging(element_type: T, n: u64) -> (Builder, [Vec<u8>; 2]) {
    let (heads, dims) = (8, 128);
    let pages = (n * n / (heads * dims * u64::from(PAGE))).max(2);
    let mut table: Vec<_> = (0..pages).collect();
    let mut random = Random(4);
    for k in 1..table.len() {
        table.swap(k, random.below(k as u64 + 1) as usize);
    }
    let layout = BlockPaged::new(PAGE, pages, 2, KvRole::Key, None, IndexType::U64).unwrap();
    let shape = [pages * u64::from(PAGE), heads, dims];
    let mut builder = Builder::new(element_type, &shape).unwrap();
    builder.layout(layout).buffer_size(1, 8 * pages).unwrap();
    (builder, [words(table), words([0, pages / 2, pages])])
}

fn paged(element_type: T, n: u64) -> Ready {
    let (mut builder, tables) = paging(element_type, n);
    finish(&mut builder, &tables)
}

/// Scales for each slot of the pages.
fn slots(n: u64) -> Ready {
    let (mut builder, [table, begin]) = paging(T::INT8, n);
    let count = table.len() as u64 / 8 * u64::from(PAGE);
    builder.quantization(PerBlock::new(0, PAGE, T::FLOAT32, 3, None).unwrap());
    finish(&mut builder, &[table, begin, scales(count)]).ask(Question::Sequences(Target::F32))
}

/// Scales between a half and one.
fn scales(count: u64) -> Vec<u8> {
    let mut random = Random(5);
    let scale = |_| (0x3f00_0000 | random.below(1 << 23) as u32).to_le_bytes();
    (0..count).flat_map(scale).collect()
}

fn half_scales(count: u64) -> Vec<u8> {
    let mut random = Random(6);
    (0..count).flat_map(|_| (0x3800 | random.below(1 << 10) as u16).to_le_bytes()).collect()
}

/// Zero points that every type has.
fn zeros(count: u64) -> Vec<u8> {
    let mut random = Random(7);
    (0..count).flat_map(|_| (random.below(4) as i32 - 2).to_le_bytes()).collect()
}

fn quantized(
    storage: T,
    shape: &[u64],
    scheme: impl Into<hurray::descriptor::Quantization>,
    parameters: &[Vec<u8>],
) -> Ready {
    finish(Builder::new(storage, shape).unwrap().quantization(scheme), parameters)
}

fn per_block(shape: &[u64; 2], axis: usize, zero_points: &[Vec<u8>]) -> Ready {
    let blocks = shape[axis].div_ceil(32) * shape[1 - axis];
    let mut parameters = vec![half_scales(blocks)];
    parameters.extend_from_slice(zero_points);
    let zero_point_buffer = (!zero_points.is_empty()).then_some(2);
    let scheme = PerBlock::new(axis as u32, 32, T::FLOAT16, 1, zero_point_buffer).unwrap();
    quantized(T::INT4, shape, scheme, &parameters)
}

fn mxfp(storage: T, n: u64) -> Ready {
    let mut random = Random(8);
    let scales = (0..n * n / 32).map(|_| 120 + random.below(14) as u8).collect();
    quantized(storage, &[n, n], Mxfp::new(1, 32, 1).unwrap(), &[scales])
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> hurray::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

/// The merged view of members in a file that is held in memory.
fn merged(n: u64, rule: Composition, members: Vec<Ready>) -> Ready {
    let mut head = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    head.layout(layout::Composite::new(rule, members.len() as u32).unwrap());
    let head = head.build().unwrap();
    let kept = Kept::default();
    let mut writer =
        Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
    let descriptors: Vec<_> = members.iter().map(|member| &member.descriptor).collect();
    writer.composite_begin("head", &head, &descriptors).unwrap();
    for (k, member) in members.iter().enumerate() {
        let data: Vec<_> = member.buffers.iter().map(|bytes| &bytes[..]).collect();
        writer.tensor(&k.to_string(), &member.descriptor, &data).unwrap();
    }
    writer.composite_end().unwrap();
    writer.finish().unwrap();
    let bytes = std::mem::take(&mut *kept.0.lock().unwrap());
    let file = File::open_bytes(bytes, &OpenOptions::default()).unwrap();
    let composite = Membership::of(&file).unwrap().open(0).unwrap();
    let buffers = members.into_iter().flat_map(|member| member.buffers).collect();
    Ready { descriptor: head, buffers, question: Question::Merged(composite) }
}

fn partition(n: u64) -> Ready {
    let side = n / 8;
    let member = |k: u64| {
        let mut builder = Builder::new(T::FLOAT32, &[side, side]).unwrap();
        builder.shard(Shard::new(&[n, n], &[k / 8 * side, k % 8 * side]).unwrap());
        finish(&mut builder, &[])
    };
    merged(n, Composition::Partition, (0..64).map(member).collect())
}

fn overlay(n: u64) -> Ready {
    let whole = || Shard::new(&[n, n], &[0, 0]).unwrap();
    let mut base = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    base.shard(whole()).member_role(MemberRole::Base);
    let places = some(n * n, 100);
    let mut over = Builder::new(T::FLOAT32, &[n, n]).unwrap();
    over.layout(Coo::new(places.len() as u64, true));
    over.shard(whole()).member_role(MemberRole::Correction);
    let indices = words(places.iter().flat_map(|at| [at / n, at % n]));
    let members = vec![finish(&mut base, &[]), finish(&mut over, &[indices])];
    merged(n, Composition::Overlay(Combine::Add), members)
}
