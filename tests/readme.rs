//! What README.md shows is what is compiled, and the C examples compile without a warning.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn it_begins_with_the_two_commands() {
    let readme = read("README.md");
    let block = readme.split_once("```sh\n").unwrap().1;
    let commands: Vec<&str> = block.lines().take(2).collect();
    assert!(commands[0].starts_with("make demo ") && commands[1].starts_with("make test "));
}

#[test]
fn its_readers_are_the_compiled_ones() {
    let readme = read("README.md");
    for (fence, example) in [("```c\n", "minimal.c"), ("```cpp\n", "cpp_reader.cpp")] {
        let shown = readme.split_once(fence).unwrap().1.split_once("```\n").unwrap().0;
        assert_eq!(shown, read(&format!("examples/{example}")));
    }
}

#[test]
fn its_excerpts_are_of_compiled_programs() {
    let readme = read("README.md");
    // The first one is a whole program.
    let blocks: Vec<&str> = readme.split("```c\n").skip(2).collect();
    let programs = ["examples/values.c", "examples/composite.c"];
    assert_eq!(blocks.len(), programs.len());
    for (block, program) in blocks.into_iter().zip(programs) {
        let shown = block.split_once("```\n").unwrap().0;
        assert!(read(program).contains(shown), "{shown}");
    }
}

#[test]
fn the_files_that_it_names_exist() {
    for document in ["README.md", "CONTRIBUTING.md"] {
        let text = read(document);
        for link in text.split("](").skip(1).map(|rest| rest.split_once(')').unwrap().0) {
            let elsewhere = link.starts_with("http");
            assert!(elsewhere || root().join(link).exists(), "{document}: {link}");
        }
    }
}

#[test]
fn the_examples_compile_without_a_warning() {
    let entries = std::fs::read_dir(root().join("examples")).unwrap();
    let sources: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    assert!(sources.len() >= 8, "{sources:?}");
    for source in sources {
        for standard in ["c99", "c11", "c2x"] {
            let mut command = Command::new("cc");
            command.args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]);
            command.arg(format!("-std={standard}")).arg("-fsyntax-only");
            command.arg("-I").arg(root().join("include")).arg(&source);
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{standard} {}:\n{said}", source.display());
        }
    }
}
