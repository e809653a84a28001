//! What programs that were built against `include/hurray.h` rely on is in `tests/abi.txt`, line by
//! line: `docs/abi.md` says how that list may change. `make header` adds what is new to it.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIST: &str = "tests/abi.txt";
const GONE: &str = "tests/abi-gone.txt";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The lines of a list, without its comments.
fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts the name off the end of a declaration: `const char *path` is of type `const char *`.
fn split_name(declaration: &str) -> (&str, &str) {
    let declaration = declaration.trim();
    let start =
        declaration.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    (declaration[..start].trim_end(), &declaration[start..])
}

/// The types of a list of parameters: their names can change.
fn types(parameters: &str) -> String {
    let parameters = parameters.split(',').map(|parameter| match split_name(parameter) {
        ("", lone) => lone,
        (typed, _) => typed,
    });
    parameters.collect::<Vec<_>>().join(", ")
}

/// A callback `R (*name)(parameters)`: its name, and its type without one.
fn callback(declaration: &str) -> Option<(&str, String)> {
    let (returned, rest) = declaration.split_once(" (*")?;
    let (name, parameters) = rest.split_once(")(")?;
    Some((name, format!("{returned} (*)({})", types(parameters.strip_suffix(')')?))))
}

/// A field's name and type.
fn field(declaration: &str) -> (&str, String) {
    if let Some(found) = callback(declaration) {
        return found;
    }
    let (element, extent) =
        declaration.split_at(declaration.find('[').unwrap_or(declaration.len()));
    let (typed, name) = split_name(element);
    (name, format!("{typed}{extent}"))
}

/// The list as a C program that prints it, since only a compiler knows sizes and offsets.
fn program(header: &str) -> String {
    let mut program = "#include \"hurray.h\"\n#include <stdio.h>\nint main(void) {\n".to_owned();
    let mut code = String::new();
    for line in header.lines().filter(|line| !line.trim_start().starts_with("//")) {
        if let Some(definition) = line.strip_prefix("#define HRRY_") {
            let (name, value) = definition.split_once(' ').unwrap();
            // These change with every version.
            if !name.contains("VERSION") {
                writeln!(program, "puts(\"constant HRRY_{name} = {value}\");").unwrap();
            }
        } else if !line.starts_with(['#', '/']) && !line.starts_with("extern \"C\"") {
            writeln!(code, "{line}").unwrap();
        }
    }

    let mut rest = code.as_str();
    while let Some(end) = rest.find([';', '{']) {
        let start = squeezed(&rest[..end]);
        let Some(name) =
            start.strip_prefix("typedef struct ").filter(|_| rest[end..].starts_with('{'))
        else {
            statement(&start, &mut program);
            rest = &rest[end + 1..];
            continue;
        };
        let (fields, after) = rest[end + 1..].split_once('}').unwrap();
        let mut fields: Vec<String> = fields.split(';').map(squeezed).collect();
        fields.retain(|field| !field.is_empty());
        // One that says its own size can grow.
        if fields.first().map(String::as_str) != Some("size_t struct_size") {
            writeln!(program, "printf(\"struct {name}: %zu bytes\\n\", sizeof({name}));").unwrap();
        }
        for declaration in &fields {
            let (member, typed) = field(declaration);
            writeln!(
                program,
                "printf(\"field {name}.{member}: {typed} at %zu, %zu bytes\\n\", \
                 offsetof({name}, {member}), sizeof((({name} *)0)->{member}));"
            )
            .unwrap();
        }
        rest = after.split_once(';').unwrap().1;
    }
    program.push_str("return 0;\n}\n");
    program
}

/// A declaration that is no struct with fields.
fn statement(code: &str, program: &mut String) {
    let line = if let Some(name) = code.strip_prefix("typedef struct ") {
        match name.split_once(' ').unwrap() {
            (structure, name) if structure == name => format!("opaque {name}"),
            (structure, name) => format!("type {name} = {structure}"),
        }
    } else if let Some(alias) = code.strip_prefix("typedef ") {
        let (name, typed) = callback(alias).unwrap_or_else(|| {
            let (typed, name) = split_name(alias);
            (name, typed.to_owned())
        });
        format!("type {name} = {typed}")
    } else {
        let (function, parameters) = code.split_once('(').unwrap();
        format!("function {function}({})", types(parameters.strip_suffix(')').unwrap()))
    };
    writeln!(program, "puts(\"{line}\");").unwrap();
}

fn compiled_list() -> String {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("list.c");
    let executable = directory.path().join("list");
    std::fs::write(&source, program(&read("include/hurray.h"))).unwrap();
    let output = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([path("include"), source, "-o".into(), executable.clone()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(executable).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_committed_list_is_what_the_header_says() {
    let list = compiled_list();
    let now: HashSet<&str> = lines(&list).collect();
    for kind in ["constant", "type", "opaque", "struct", "field", "function"] {
        assert!(now.iter().any(|line| line.starts_with(kind)), "not one {kind} found");
    }

    let committed = read(LIST);
    let gone: Vec<&str> = lines(&committed).filter(|line| !now.contains(line)).collect();
    assert!(
        gone.is_empty(),
        "programs rely on what the header does not have any more ({LIST}, docs/abi.md):\n{}",
        gone.join("\n")
    );
    if std::env::var_os("HURRAY_BLESS").is_some() {
        let comments = committed.lines().take_while(|line| line.starts_with('#'));
        let heading: String = comments.map(|line| format!("{line}\n")).collect();
        std::fs::write(path(LIST), heading + &list).unwrap();
        return;
    }
    let committed: HashSet<&str> = lines(&committed).collect();
    let new: Vec<&str> = lines(&list).filter(|line| !committed.contains(line)).collect();
    assert!(new.is_empty(), "{LIST} lacks these, run `make header`:\n{}", new.join("\n"));
}

#[test]
fn what_is_gone_does_not_come_back() {
    let list = read(LIST);
    let committed: HashSet<&str> = lines(&list).collect();
    for entry in lines(&read(GONE)) {
        let (version, line) = entry.split_once(' ').unwrap();
        assert_eq!(
            version.split('.').count(),
            3,
            "{GONE}: `{entry}` does not begin with a version"
        );
        assert!(!committed.contains(line), "{GONE}: `{line}` is there");
    }
}
