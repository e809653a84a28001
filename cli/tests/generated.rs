//! Manual pages and completions: there is one for every command, and none for what is hidden.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::Bench;

fn names(bench: &Bench, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(bench.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn pages_and_completions() {
    let bench = Bench::new();
    let said = bench.hrry(&["generate", "out"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert_eq!(names(&bench, "out"), ["completions", "man"]);
    let commands = [
        "",
        "-cat",
        "-convert",
        "-extract",
        "-info",
        "-kv",
        "-kv-delete",
        "-kv-get",
        "-kv-list",
        "-kv-set",
        "-ls",
        "-stats",
        "-verify",
    ];
    let pages: Vec<String> = commands.iter().map(|command| format!("hrry{command}.1")).collect();
    let mut pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    pages.sort_unstable();
    assert_eq!(names(&bench, "out/man"), pages);
    assert_eq!(names(&bench, "out/completions"), ["_hrry", "hrry", "hrry.fish"]);
    for (folder, names) in ["man", "completions"].map(|name| {
        let folder = format!("out/{name}");
        let names = names(&bench, &folder);
        (folder, names)
    }) {
        for name in names {
            let text = fs::read_to_string(bench.path(&format!("{folder}/{name}"))).unwrap();
            assert!(!text.contains("generate"), "{folder}/{name}");
        }
    }
    let page = fs::read_to_string(bench.path("out/man/hrry-kv-set.1")).unwrap();
    assert!(page.contains("string\\-array") && page.contains("\\-\\-type"), "{page}");
}

#[test]
fn help_does_not_know_of_it() {
    let bench = Bench::new();
    let said = bench.hrry(&["--help"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("verify") && !said.out.contains("generate"), "{}", said.out);
}

#[test]
fn help_describes_the_program() {
    let said = Bench::new().hrry(&["--help"]);
    assert!(
        said.out.starts_with("Converts, shows, checks and changes .hrry tensor files."),
        "{}",
        said.out
    );
    assert!(said.out.contains("Exit codes: 0 done, 1"), "{}", said.out);
    assert!(!said.out.contains("generate"), "{}", said.out);
}
