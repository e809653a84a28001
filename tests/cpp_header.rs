//! `include/hurray.hpp` compiles wherever it is promised to, and leaves nothing behind.
//! What it does is tested in `c-tests/cpp_*.cpp`.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Compiles `source` and demands that nothing is said about it. Where there is no C++ compiler,
/// which c-tests/run.sh reports, there is nothing to be said.
fn compile(standard: &str, source: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("source.cpp");
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new("c++");
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion"]);
    command.args(["-Wshadow", "-Wold-style-cast", "-Wnon-virtual-dtor", "-Werror"]);
    command.arg(format!("-std={standard}")).arg("-fsyntax-only");
    command.arg("-I").arg(root().join("include")).arg(&file);
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        output => output.unwrap(),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "c++ -std={standard}:\n{said}");
}

#[test]
fn it_compiles_alone_and_twice_and_as_the_example_uses_it_without_a_warning() {
    const ONCE: &str = "#include \"hurray.hpp\"\n";
    const TWICE: &str = "#include \"hurray.hpp\"\n#include \"hurray.h\"\n#include \"hurray.hpp\"\n";
    for source in [ONCE, TWICE, &read("examples/cpp_reader.cpp")] {
        for standard in ["c++17", "c++20"] {
            compile(standard, source);
        }
    }
}

#[test]
fn its_spans_and_those_of_cpp_20_become_each_other() {
    compile(
        "c++20",
        r#"
            #include "hurray.hpp"
            #include <algorithm>
            #include <span>
            float sum(std::span<const float> values);
            std::ptrdiff_t use(hurray::tensor tensor, hurray::writer &writer, std::span<float> values);
            std::ptrdiff_t use(hurray::tensor tensor, hurray::writer &writer, std::span<float> values) {
                writer.dense("a", {values.size()}, values);
                tensor.read(0, 0, std::as_writable_bytes(values));
                const hurray::validation found{.problems = {}, .count = 1};
                const float first = sum(tensor.elements<float>());
                return std::ranges::count(tensor.elements<float>(), first) +
                       std::ranges::distance(tensor.buffers()) + found.valid();
            }
        "#,
    );
}

#[test]
fn it_leaves_no_macro_and_no_name_outside_its_namespace() {
    let header = read("include/hurray.hpp");
    let macros: Vec<&str> = header.lines().filter(|line| line.starts_with("#define")).collect();
    assert_eq!(macros, ["#define HURRAY_HPP"]);
    for include in header.lines().filter_map(|line| line.strip_prefix("#include ")) {
        assert!(include == "\"hurray.h\"" || !include.contains(['"', '.', '/']), "{include}");
    }
    let opened = header.find("\nnamespace hurray {\n").unwrap();
    let (_, after) = header.split_once("\n} // namespace hurray\n").unwrap();
    for line in header[..opened].lines().chain(after.lines()) {
        assert!(line.is_empty() || line.starts_with("//") || line.starts_with('#'), "{line}");
    }
}
