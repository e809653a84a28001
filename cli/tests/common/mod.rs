//! Small safetensors models, made here, and the program that is run on them.

#![allow(dead_code, reason = "each test program uses its part")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hurray::container::{File, OpenOptions};

/// The header of a safetensors file, entry by entry, and the data.
#[derive(Default)]
pub(crate) struct Model {
    header: String,
    data: Vec<u8>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A tensor whose data comes next.
    pub(crate) fn tensor(self, name: &str, dtype: &str, shape: &[u64], data: &[u8]) -> Self {
        let begin = self.data.len();
        let mut this = self.entry(name, dtype, shape, begin, begin + data.len());
        this.data.extend_from_slice(data);
        this
    }

    /// A tensor that says its data is at `begin..end`.
    pub(crate) fn entry(
        self,
        name: &str,
        dtype: &str,
        shape: &[u64],
        begin: usize,
        end: usize,
    ) -> Self {
        let name = serde_json::to_string(name).unwrap();
        self.raw(&format!(
            r#"{name}:{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[{begin},{end}]}}"#
        ))
    }

    /// An entry of the header, spelt out.
    pub(crate) fn raw(mut self, entry: &str) -> Self {
        let comma = if self.header.is_empty() { "" } else { "," };
        let _ = write!(self.header, "{comma}{entry}");
        self
    }

    /// More bytes of data.
    pub(crate) fn data(mut self, data: &[u8]) -> Self {
        self.data.extend_from_slice(data);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = (self.header.len() as u64 + 2).to_le_bytes().to_vec();
        bytes.push(b'{');
        bytes.extend_from_slice(self.header.as_bytes());
        bytes.push(b'}');
        bytes.extend_from_slice(&self.data);
        bytes
    }

    pub(crate) fn write(&self, path: &Path) {
        fs::write(path, self.bytes()).unwrap();
    }
}

/// A folder that goes when the test is over, and the program in it.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What a run of the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Everything in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hrry"));
        command.current_dir(self.folder.path());
        command
    }

    /// Runs the program in the folder.
    pub(crate) fn hrry(&self, arguments: &[&str]) -> Said {
        self.command().args(arguments).output().unwrap().into()
    }

    /// Converts `model`, which must work, and opens what came out.
    pub(crate) fn converted(&self, model: &Model) -> File {
        model.write(&self.path("model.safetensors"));
        let said = self.hrry(&["convert", "model.safetensors", "model.hrry"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        self.open("model.hrry")
    }

    /// Converts `model`, which must fail with this exit code and leave nothing behind. Gives the
    /// message.
    pub(crate) fn refused(&self, code: i32, model: &Model) -> String {
        self.refused_bytes(code, &model.bytes())
    }

    pub(crate) fn refused_bytes(&self, code: i32, bytes: &[u8]) -> String {
        fs::write(self.path("model.safetensors"), bytes).unwrap();
        fs::write(self.path("old.hrry"), "what was here before").unwrap();
        let said = self.hrry(&["convert", "model.safetensors", "old.hrry"]);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{said:?}");
        assert_eq!(fs::read(self.path("old.hrry")).unwrap(), b"what was here before");
        assert_eq!(self.names(), ["model.safetensors", "old.hrry"]);
        let message = said.err.strip_prefix("hrry: model.safetensors: ").expect(&said.err);
        message.trim_end().to_owned()
    }

    pub(crate) fn open(&self, name: &str) -> File {
        File::open(&self.path(name), &OpenOptions::default()).unwrap()
    }
}

/// Names of the tensors, in the order of the file.
pub(crate) fn names(file: &File) -> Vec<String> {
    let index = |k| file.in_file_order(k).unwrap();
    (0..file.tensor_count()).map(|k| file.entry(index(k)).unwrap().name.to_owned()).collect()
}

/// Type, shape and bytes of a tensor.
pub(crate) fn tensor(file: &File, name: &str) -> (&'static str, Vec<u64>, Vec<u8>) {
    let tensor = file.tensor(file.find(name.as_bytes()).expect(name)).unwrap();
    let descriptor = tensor.descriptor();
    let size = usize::try_from(descriptor.buffers()[0].byte_size).unwrap();
    let mut data = vec![0xAA; size];
    tensor.read(0, 0, &mut data).unwrap();
    (descriptor.element_type().name(), descriptor.shape().to_vec(), data)
}
