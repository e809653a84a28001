//! A writer that is killed leaves the old file or the whole new one, and beside it nothing or one
//! file whose name says what it is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hurray::container::{Access, File, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::ElementType;

const TENSORS: u64 = 16;
const SIZE: usize = 100_000;

/// A file in which every byte says which one it is.
fn write(path: &Path, round: u8) -> hurray::Result<()> {
    let uint8 = ElementType::find("uint8").unwrap();
    let options = WriterOptions { sync: round.is_multiple_of(4), ..WriterOptions::default() };
    let mut writer = Writer::create(path, &options)?;
    for k in 0..TENSORS {
        writer.dense(&format!("tensor {k}"), uint8, &[SIZE as u64], &vec![round; SIZE])?;
    }
    writer.finish()
}

/// Which one is there; it must be whole.
fn round_of(path: &Path) -> u8 {
    let file = File::open(path, &OpenOptions { access: Access::Reads, ..Default::default() });
    let file = file.unwrap();
    assert_eq!(file.tensor_count(), TENSORS);
    let mut data = vec![0; SIZE];
    let mut rounds = Vec::new();
    for k in 0..TENSORS {
        file.tensor(k).unwrap().read(0, 0, &mut data).unwrap();
        assert!(data.iter().all(|byte| *byte == data[0]));
        rounds.push(data[0]);
    }
    assert!(rounds.iter().all(|round| *round == rounds[0]));
    rounds[0]
}

#[test]
fn killed_at_any_moment() {
    if let Some(path) = std::env::var_os("HURRAY_TEST_KILLED") {
        for round in (1..=u8::MAX).cycle() {
            write(Path::new(&path), round).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.hrry");
    write(&path, 0).unwrap();
    let mut replaced = 0;
    let mut left_over = 0;
    for attempt in 0..60_u32 {
        let before = round_of(&path);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_at_any_moment"])
            .env("HURRAY_TEST_KILLED", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the time that a start and a few rounds take.
        let wait = Duration::from_micros(u64::from(attempt.wrapping_mul(7919) % 40_000));
        let start = Instant::now();
        while start.elapsed() < wait {
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        replaced += u32::from(round_of(&path) != before);

        let mut beside = 0;
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "model.hrry" {
                assert!(name.starts_with(".model.hrry.") && name.ends_with(".tmp"), "{name}");
                std::fs::remove_file(folder.path().join(&name)).unwrap();
                beside += 1;
            }
        }
        assert!(beside <= 1);
        left_over += beside;
    }
    println!("replaced in {replaced} of 60 runs, {left_over} files left over");
    assert!(replaced > 0, "the child never came to its end");
}
