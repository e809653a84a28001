//! Where a written file goes: what a path holds before, during and after.

use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use hurray::container::{KvValue, Writer, WriterOptions};
use hurray::descriptor::ElementType;
use hurray::{ErrorKind, Result};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn uint8() -> ElementType {
    ElementType::find("uint8").unwrap()
}

/// One tensor of a million bytes.
fn fill(writer: &mut Writer) -> Result<()> {
    writer.dense("a", uint8(), &[1_000_000], &vec![7; 1_000_000])
}

fn create(path: &Path) -> Result<Writer> {
    Writer::create(path, &WriterOptions::default())
}

fn write(path: &Path) -> Result<()> {
    let mut writer = create(path)?;
    fill(&mut writer)?;
    writer.finish()
}

fn is_new(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"HRRYFILE") && bytes.ends_with(b"HRRY"))
}

#[test]
fn the_old_file_until_the_end_and_for_those_who_have_it() {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    fs::write(&path, b"old").unwrap();
    let reader = File::open(&path).unwrap();
    let mut writer = create(&path).unwrap();
    fill(&mut writer).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    writer.finish().unwrap();
    assert!(is_new(&path));
    let mut kept = [0; 3];
    reader.read_exact_at(&mut kept, 0).unwrap();
    assert_eq!(&kept, b"old");
    assert_eq!(names(folder.path()), ["model.hrry"]);
}

#[test]
fn dropped_and_failed_writers_leave_no_trace() {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    let mut writer = create(&path).unwrap();
    fill(&mut writer).unwrap();
    drop(writer);
    assert!(names(folder.path()).is_empty());

    fs::write(&path, b"old").unwrap();
    let mut writer = create(&path).unwrap();
    fill(&mut writer).unwrap();
    drop(writer);
    let options = WriterOptions { count_hint: Some(2), ..WriterOptions::default() };
    let mut writer = Writer::create(&path, &options).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["model.hrry"]);
}

#[test]
fn many_writers_of_one_path() {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    let link = folder.path().join("link");
    symlink("model.hrry", &link).unwrap();
    std::thread::scope(|scope| {
        for k in 0..8_u8 {
            let path = if k % 2 == 0 { &path } else { &link };
            scope.spawn(move || {
                for round in 0..25 {
                    let options = WriterOptions { sync: false, ..WriterOptions::default() };
                    let mut writer = Writer::create(path, &options).unwrap();
                    let data = vec![k; 1000 + round];
                    writer.dense("a", uint8(), &[data.len() as u64], &data).unwrap();
                    writer.finish().unwrap();
                    let whole = fs::read(path).unwrap();
                    assert!(whole.ends_with(b"HRRY") && whole[4096..5096] == [whole[4096]; 1000]);
                }
            });
        }
    });
    assert_eq!(names(folder.path()), ["link", "model.hrry"]);
}

#[test]
fn rights() {
    let folder = folder();
    // What the system makes of a new file here, umask and all.
    let plain = folder.path().join("plain");
    File::create(&plain).unwrap();
    let path = folder.path().join("model.hrry");
    write(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(mode(&path), mode(&plain));
    for wanted in [0o600, 0o444, 0o666, 0o755, 0o000, 0o2664] {
        fs::set_permissions(&path, Permissions::from_mode(wanted)).unwrap();
        write(&path).unwrap();
        assert_eq!(mode(&path), wanted, "{wanted:o}");
    }
}

#[test]
fn owner_and_group_where_the_system_allows_it() {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    fs::write(&path, b"old").unwrap();
    if std::os::unix::fs::chown(&path, Some(12345), Some(12346)).is_err() {
        println!("skipped: only root gives files away");
        return;
    }
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    write(&path).unwrap();
    let new = fs::metadata(&path).unwrap();
    assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (12345, 12346, 0o640));
}

#[test]
fn links_are_followed_and_kept() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("there")).unwrap();
    fs::create_dir(at("here")).unwrap();
    fs::write(at("there/model.hrry"), b"old").unwrap();
    symlink("../there/model.hrry", at("here/relative")).unwrap();
    symlink("relative", at("here/twice")).unwrap();
    symlink(at("there/model.hrry"), at("absolute")).unwrap();
    symlink("there", at("folder")).unwrap();
    symlink("../there/new.hrry", at("here/dangling")).unwrap();
    for link in ["here/relative", "here/twice", "absolute", "folder/model.hrry"] {
        fs::write(at("there/model.hrry"), b"old").unwrap();
        write(&at(link)).unwrap();
        assert!(is_new(&at("there/model.hrry")), "{link}");
    }
    write(&at("here/dangling")).unwrap();
    assert!(is_new(&at("there/new.hrry")));
    for link in ["here/relative", "here/twice", "absolute", "here/dangling"] {
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(names(&at("there")), ["model.hrry", "new.hrry"]);
    assert_eq!(names(&at("here")), ["dangling", "relative", "twice"]);

    symlink("loop b", at("loop a")).unwrap();
    symlink("loop a", at("loop b")).unwrap();
    let error = write(&at("loop a")).unwrap_err();
    assert_eq!(error.os_error(), libc::ELOOP);
    symlink("nowhere/model.hrry", at("into nothing")).unwrap();
    assert_eq!(write(&at("into nothing")).unwrap_err().os_error(), libc::ENOENT);
}

#[test]
fn the_working_folder_may_change_meanwhile() {
    let folder = folder();
    if std::env::var_os("HURRAY_TEST_CHDIR").is_some() {
        let mut writer = create(Path::new("model.hrry")).unwrap();
        std::env::set_current_dir("/").unwrap();
        fill(&mut writer).unwrap();
        return writer.finish().unwrap();
    }
    let mut child = this_test("the_working_folder_may_change_meanwhile");
    child.env("HURRAY_TEST_CHDIR", "1").current_dir(folder.path());
    assert!(child.status().unwrap().success());
    assert!(is_new(&folder.path().join("model.hrry")));
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    symlink("folder", at("link")).unwrap();
    symlink("/dev/null", at("device")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    assert!(Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
    fs::write(at("file"), b"old").unwrap();
    let mut refused = vec![PathBuf::from("/dev/null"), PathBuf::from("/"), PathBuf::from(".")];
    let names = ["folder", "link", "device", "socket", "fifo", "folder/", "file/", "new/", "new/."];
    refused.extend(names.map(at));
    refused.push(at("folder/.."));
    for path in refused {
        let error = write(&path).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::NotAFile { what: "target" }, "{}", path.display());
    }
    for (path, number) in [
        (PathBuf::new(), libc::ENOENT),
        (at("nowhere/model.hrry"), libc::ENOENT),
        (at("nowhere/.."), libc::ENOENT),
        (at("file/model.hrry"), libc::ENOTDIR),
        (at(&"n".repeat(256)), libc::ENAMETOOLONG),
        (at(&"n/".repeat(3000)), libc::ENAMETOOLONG),
        (PathBuf::from("/proc/model.hrry"), libc::ENOENT),
    ] {
        let error = write(&path).unwrap_err();
        assert_eq!(error.os_error(), number, "{}: {error}", path.display());
    }
    let error = write(&at("nul\0inside")).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Argument { what: "path" });
    assert_eq!(fs::read(at("file")).unwrap(), b"old");
    // A name of the full length leaves no room for a sibling's, which is cut.
    write(&at(&"n".repeat(255))).unwrap();
}

#[test]
fn a_folder_that_takes_no_files() {
    let folder = folder();
    if let Some(place) = std::env::var_os("HURRAY_TEST_READ_ONLY") {
        let error = write(&Path::new(&place).join("model.hrry")).unwrap_err();
        assert!(matches!(error.os_error(), libc::EACCES | libc::EROFS), "{error}");
        let error = write(&Path::new(&place).join("new.hrry")).unwrap_err();
        assert!(matches!(error.os_error(), libc::EACCES | libc::EROFS), "{error}");
        return;
    }
    fs::write(folder.path().join("model.hrry"), b"old").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    let mut child = this_test("a_folder_that_takes_no_files");
    child.env("HURRAY_TEST_READ_ONLY", folder.path());
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        // Root may write everywhere.
        child.uid(65534).gid(65534);
    }
    match child.status() {
        Ok(status) if status.code() == Some(101) || status.success() => assert!(status.success()),
        other => println!("skipped: cannot run as nobody: {other:?}"),
    }
    assert_eq!(names(folder.path()), ["model.hrry"]);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
}

/// The size limit of a process raises a signal that ends it; the library makes an error of it.
#[test]
fn a_disk_that_is_full() {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    if let Some(place) = std::env::var_os("HURRAY_TEST_LIMIT") {
        let mut writer = create(Path::new(&place)).unwrap();
        let error = fill(&mut writer).and_then(|()| fill(&mut writer)).unwrap_err();
        assert_eq!(error.os_error(), libc::EFBIG);
        let error = writer.finish().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
        return;
    }
    fs::write(&path, b"old").unwrap();
    let binary = std::env::current_exe().unwrap();
    let script = "ulimit -f 100; exec \"$0\" --exact a_disk_that_is_full";
    let mut child = Command::new("sh");
    child.args(["-c", script]).arg(binary).env("HURRAY_TEST_LIMIT", &path);
    let status = child.stdout(std::process::Stdio::null()).status().unwrap();
    assert!(status.success(), "{status:?}, signal {:?}", status.signal());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["model.hrry"]);

    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut writer = Writer::create_fd(full.as_fd(), &WriterOptions::default()).unwrap();
    assert_eq!(fill(&mut writer).unwrap_err().os_error(), libc::ENOSPC);
    writer.finish().unwrap_err();
    // Nothing but the end is written, and that is where it fails.
    let writer = Writer::create_fd(full.as_fd(), &WriterOptions::default()).unwrap();
    assert_eq!(writer.finish().unwrap_err().os_error(), libc::ENOSPC);
}

/// The bytes of a file with one tensor of a million bytes.
fn expected() -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("model.hrry");
    write(&path).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn descriptors_of_every_kind() {
    let expected = expected();
    let options = WriterOptions::default();

    let folder = folder();
    let path = folder.path().join("file");
    let mut file = File::create_new(&path).unwrap();
    std::io::Write::write_all(&mut file, b"before").unwrap();
    let mut writer = Writer::create_fd(file.as_fd(), &options).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    std::io::Write::write_all(&mut file, b"after").unwrap();
    assert!(fs::read(&path).unwrap() == [b"before", &expected[..], b"after"].concat());

    let (mut reader, sender) = std::io::pipe().unwrap();
    let read = std::thread::spawn(move || {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        all
    });
    let mut writer = Writer::create_fd(sender.as_fd(), &options).unwrap();
    drop(sender);
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    assert!(read.join().unwrap() == expected);

    // A socket that does not block, and is read slowly.
    let (mut receiver, sender) = UnixStream::pair().unwrap();
    sender.set_nonblocking(true).unwrap();
    let read = std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut piece = [0; 10_000];
        loop {
            std::thread::sleep(std::time::Duration::from_micros(100));
            match receiver.read(&mut piece).unwrap() {
                0 => return all,
                count => all.extend_from_slice(&piece[..count]),
            }
        }
    });
    let mut writer = Writer::create_fd(sender.as_fd(), &options).unwrap();
    drop(sender);
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    assert!(read.join().unwrap() == expected);

    let (reader, sender) = UnixStream::pair().unwrap();
    drop(reader);
    let mut writer = Writer::create_fd(sender.as_fd(), &options).unwrap();
    assert_eq!(fill(&mut writer).unwrap_err().os_error(), libc::EPIPE);

    let reading = File::open(&path).unwrap();
    let mut writer = Writer::create_fd(reading.as_fd(), &options).unwrap();
    assert_eq!(fill(&mut writer).unwrap_err().os_error(), libc::EBADF);
    assert!(writer.kv("key", KvValue::U64(1)).is_err());
}

fn this_test(name: &str) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name]).stdout(std::process::Stdio::null());
    child
}
