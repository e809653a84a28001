//! `include/hurray.h` is what the code says, is documented, and compiles wherever it is promised
//! to: `make header` writes it anew.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of the C API, in the order in which `src/ffi/mod.rs` names them.
fn sections() -> Vec<PathBuf> {
    let modules = read("src/ffi/mod.rs");
    let names = modules.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(|name| root().join(format!("src/ffi/{name}.rs"))).collect()
}

/// The header as the code says it, each section's functions under the title of its file.
fn generate() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for section in sections() {
        builder = builder.with_src(section);
    }
    let mut bytes = Vec::new();
    builder.generate().unwrap().write(&mut bytes);
    let mut header = String::new();
    for line in String::from_utf8(bytes).unwrap().lines() {
        // Every struct has a name and a typedef; the shorter one is used.
        let usage = !line.starts_with("typedef struct");
        let line = if usage { line.replace("struct hrry_", "hrry_") } else { line.to_owned() };
        writeln!(header, "{line}").unwrap();
    }

    for section in sections() {
        let code = read(&section);
        let title = code.lines().next().unwrap().strip_prefix("//! ").unwrap();
        let first = code.split("#[unsafe(no_mangle)]").nth(1).map(|code| {
            let name = code.split_once(" fn ").unwrap().1;
            name.split_once('(').unwrap().0
        });
        if let Some(name) = first {
            let functions = header.find("extern \"C\"").unwrap();
            let declaration = functions + header[functions..].find(&format!("{name}(")).unwrap();
            let blank = header[..declaration].rfind("\n\n").unwrap();
            let title = title.trim_end_matches('.');
            header.insert_str(
                blank + 1,
                &format!("\n/* ---- {title} {:-<1$} */\n", "", 85 - title.len()),
            );
        }
    }
    header
}

#[test]
fn the_committed_header_is_what_the_code_says() {
    let generated = generate();
    let path = root().join("include/hurray.h");
    if std::env::var_os("HURRAY_BLESS").is_some() {
        std::fs::write(&path, generated).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = committed.lines().zip(generated.lines()).position(|(a, b)| a != b);
    assert!(
        committed == generated,
        "include/hurray.h is not what src/ffi/ says (first in line {:?}): run `make header`",
        differ.map(|line| line + 1)
    );
}

/// Every function with the comment above it.
fn functions(header: &str) -> Vec<(String, String)> {
    let mut functions = Vec::new();
    let mut comment = String::new();
    let declarations = header.split_once("extern \"C\"").unwrap().1;
    for line in declarations.lines() {
        if let Some(text) = line.strip_prefix("//") {
            writeln!(comment, "{}", text.trim()).unwrap();
        } else if line.contains('(') && line.contains("hrry_") && !line.starts_with([' ', '#', '/'])
        {
            functions.push((line.to_owned(), std::mem::take(&mut comment)));
        } else {
            comment.clear();
        }
    }
    functions
}

#[test]
fn every_function_says_what_a_caller_must_know() {
    let header = generate();
    let functions = functions(&header);
    let declared = header.matches("hrry_error *error)").count();
    let mut fallible = 0;
    for (declaration, comment) in &functions {
        assert!(comment.contains("Since 0."), "{declaration} does not say since when");
        assert!(comment.contains("Threads: "), "{declaration} does not speak of threads");
        if declaration.starts_with("hrry_status ") {
            fallible += 1;
            assert!(comment.contains("Status: "), "{declaration} does not list its statuses");
        }
    }
    assert!(functions.len() > 100, "only {} functions found", functions.len());
    let long = header.lines().find(|line| line.chars().count() > 100);
    assert_eq!(long, None, "a line is too long");
    assert_eq!(
        fallible, declared,
        "a function that can fail returns hrry_status and takes an error"
    );
}

/// Compiles `source` and demands that nothing is said about it. Where there is no C++ compiler,
/// which c-tests/run.sh reports, there is nothing to be said.
fn compile(compiler: &str, language: &str, standard: &str, source: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(format!("source.{language}"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]);
    command.arg(format!("-std={standard}")).arg("-fsyntax-only");
    command.arg("-I").arg(root().join("include")).arg(&file);
    let output = match command.output() {
        Err(error) if compiler == "c++" && error.kind() == ErrorKind::NotFound => return,
        output => output.unwrap_or_else(|error| panic!("{compiler}: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{compiler} -std={standard}:\n{said}");
}

#[test]
fn the_header_compiles_alone_and_twice_without_a_warning() {
    const ONCE: &str = "#include \"hurray.h\"\n";
    const TWICE: &str = "#include \"hurray.h\"\n#include \"hurray.h\"\n";
    for source in [ONCE, TWICE] {
        for standard in ["c99", "c11", "c17", "c2x"] {
            compile("cc", "c", standard, source);
        }
        for standard in ["c++17", "c++20"] {
            compile("c++", "cpp", standard, source);
        }
    }
}

#[test]
fn every_tag_has_a_constant_and_a_name() {
    use hurray::descriptor::{Device, ElementType, LayoutTag, SchemeTag};
    let header = generate();
    let types = ElementType::ALL.iter().map(|known| ("TYPE", known.name(), known.tag()));
    let layouts = LayoutTag::ALL.iter().map(|known| ("LAYOUT", known.name(), known.tag()));
    let schemes = SchemeTag::ALL.iter().map(|known| ("SCHEME", known.name(), known.tag()));
    let devices = Device::ALL.iter().map(|known| ("DEVICE", known.name(), known.tag()));
    for (noun, name, tag) in types.chain(layouts).chain(schemes).chain(devices) {
        let line = format!("#define HRRY_{noun}_{} {tag}\n", name.to_uppercase());
        assert!(header.contains(&line), "the header lacks {line}");
    }
}
