//! A file that takes the place of another whole, or not at all.
//!
//! The bytes go into a file without a name where the system has such files, into a sibling that
//! says what it is elsewhere. Only when everything is written does it get the name it is for, by
//! a rename: whoever opens the path finds the old file or the whole new one, and who has the old
//! one open or mapped keeps it.

use super::system;
use crate::error::{Error, ErrorKind, Result};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// Rights of a file that did not exist before; the process's umask is taken off by the system.
const NEW_FILE: u32 = 0o666;

/// As many links in a row as the system follows.
const LINKS: u32 = 40;

/// The longest name that common file systems take.
const LONGEST_NAME: usize = 255;

/// How often something is tried anew that others can come between.
const TRIES: u32 = 100;

/// A new file on its way to a path.
pub(super) struct Replacement {
    /// The new file, until it is closed.
    file: Option<File>,
    /// The folder, so that it can be made to last too; only when that is asked for.
    folder_handle: Option<File>,
    folder: PathBuf,
    name: OsString,
    /// The sibling that the new file is at the moment, to be removed on failure.
    sibling: Option<PathBuf>,
    rights: Option<Rights>,
}

/// What a file that is replaced hands on.
struct Rights {
    mode: u32,
    owner: u32,
    group: u32,
}

impl Replacement {
    /// Begins a file for `path`, of which nothing is seen there before `commit`.
    ///
    /// Links are followed: what they lead to is replaced. A target that is no regular file is
    /// refused. With `lasting`, commit waits until file and folder are on disk.
    pub(super) fn create(path: &Path, lasting: bool) -> Result<Self> {
        Self::begin(path, lasting, true)
    }

    fn begin(path: &Path, lasting: bool, unnamed: bool) -> Result<Self> {
        let (target, old) = follow(path)?;
        let (Some(name), Some(folder)) = (target.file_name(), target.parent()) else {
            return Err(Error::system("lstat", &io::Error::from_raw_os_error(libc::ENOENT)));
        };
        // The folder as it is now: the process may go elsewhere before the end.
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let folder = fs::canonicalize(here).map_err(|e| Error::system("realpath", &e))?;
        let folder_handle = match lasting {
            true => Some(File::open(&folder).map_err(|e| Error::system("open", &e))?),
            false => None,
        };
        let rights = old.map(|old| Rights { mode: old.mode(), owner: old.uid(), group: old.gid() });
        // Never more rights than the old file had, not even on the way.
        let mode = rights.as_ref().map_or(NEW_FILE, |rights| rights.mode & 0o777);
        let mut new = Self {
            file: None,
            folder_handle,
            folder,
            name: name.to_owned(),
            sibling: None,
            rights,
        };
        new.file = if unnamed { new.open_unnamed(mode) } else { None };
        if new.file.is_none() {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(mode);
            new.file = Some(new.as_sibling("open", |path| options.open(path))?);
        }
        Ok(new)
    }

    /// Where the bytes go.
    pub(super) fn descriptor(&self) -> Result<BorrowedFd<'_>> {
        let gone = || Error::new(ErrorKind::Internal { what: "file written after its end" });
        self.file.as_ref().map(File::as_fd).ok_or_else(gone)
    }

    /// Puts the file in its place. On failure the old one stays there whole; only when making the
    /// folder last fails, at the very end, is the new one there already.
    pub(super) fn commit(mut self) -> Result<()> {
        if let Some(file) = self.file.take() {
            if let Some(rights) = &self.rights {
                rights.hand_on(&file).map_err(|e| Error::system("fchmod", &e))?;
            }
            if self.folder_handle.is_some() {
                file.sync_all().map_err(|e| Error::system("fsync", &e))?;
            }
            if self.sibling.is_none() {
                self.as_sibling("linkat", |path| system::name_file(file.as_fd(), path))?;
            }
            // Some file systems say only here that they had no room.
            system::close(file.into()).map_err(|e| Error::system("close", &e))?;
        }
        if let Some(sibling) = &self.sibling {
            fs::rename(sibling, self.folder.join(&self.name))
                .map_err(|e| Error::system("rename", &e))?;
            self.sibling = None;
        }
        match self.folder_handle.as_ref().map(File::sync_all) {
            // File systems that cannot do this for a folder say EINVAL.
            Some(Err(e)) if e.raw_os_error() != Some(libc::EINVAL) => {
                Err(Error::system("fsync", &e))
            }
            _ => Ok(()),
        }
    }

    /// A file without a name in the folder of the target, if it could be given one later.
    fn open_unnamed(&self, mode: u32) -> Option<File> {
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(libc::O_TMPFILE).mode(mode);
        let file = options.open(&self.folder).ok()?;
        let shown = fs::metadata(system::descriptor_path(file.as_fd())).ok()?;
        let itself = file.metadata().ok()?;
        ((shown.dev(), shown.ino()) == (itself.dev(), itself.ino())).then_some(file)
    }

    /// Makes the new file a sibling of the target, under a name that nothing has yet.
    fn as_sibling<T>(
        &mut self,
        call: &'static str,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> Result<T> {
        let random = RandomState::new();
        let mut last = io::Error::from_raw_os_error(libc::EEXIST);
        for attempt in 0..TRIES {
            let path = self.folder.join(sibling_name(&self.name, random.hash_one(attempt)));
            match make(&path) {
                Ok(made) => {
                    self.sibling = Some(path);
                    return Ok(made);
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
                Err(e) => return Err(Error::system(call, &e)),
            }
        }
        Err(Error::system(call, &last))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(sibling) = &self.sibling {
            // Nobody is left to hear of a failure; the name says what the file is.
            let _ = fs::remove_file(sibling);
        }
    }
}

impl Rights {
    /// Gives a file the mode that the old one had, and its owner and group where the system
    /// allows that. Last of all: writing to a file clears some of its mode.
    fn hand_on(&self, file: &File) -> io::Result<()> {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (self.owner, self.group)
            && fchown(file, Some(self.owner), Some(self.group)).is_err()
        {
            // Not ours to give away, but the group may still be ours to choose.
            let _ = fchown(file, None, Some(self.group));
        }
        let new = file.metadata()?;
        let mut mode = self.mode & 0o7777;
        // Rights to act as somebody are not handed on to somebody else.
        if new.uid() != self.owner {
            mode &= !0o4000;
        }
        if new.gid() != self.group {
            mode &= !0o2000;
        }
        if new.mode() & 0o7777 == mode {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(mode))
    }
}

/// The file that a path leads to, all links followed, and what is there.
fn follow(path: &Path) -> Result<(PathBuf, Option<Metadata>)> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(Error::new(ErrorKind::Argument { what: "path" }));
    }
    system::check_path(path).map_err(|e| Error::system("lstat", &e))?;
    for _ in 0..TRIES {
        let (target, found) = follow_links(path)?;
        if target == path || leads_to(path, found.as_ref())? {
            return Ok((target, found));
        }
        // Somebody else was there meanwhile; where it leads now is as good.
    }
    Err(Error::system("stat", &io::Error::from_raw_os_error(libc::EAGAIN)))
}

fn follow_links(path: &Path) -> Result<(PathBuf, Option<Metadata>)> {
    let mut target = path.to_path_buf();
    for _ in 0..=LINKS {
        if means_a_folder(&target) {
            return Err(Error::new(ErrorKind::NotAFile { what: "target" }));
        }
        match fs::symlink_metadata(&target) {
            Ok(found) if found.is_symlink() => match fs::read_link(&target) {
                Ok(link) => {
                    target = match target.parent() {
                        Some(folder) => folder.join(link),
                        None => link,
                    }
                }
                // No link any more.
                Err(e) if e.kind() == io::ErrorKind::InvalidInput => {}
                Err(e) => return Err(Error::system("readlink", &e)),
            },
            Ok(found) if found.is_file() => return Ok((target, Some(found))),
            Ok(_) => return Err(Error::new(ErrorKind::NotAFile { what: "target" })),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((target, None)),
            Err(e) => return Err(Error::system("lstat", &e)),
        }
    }
    Err(Error::system("lstat", &io::Error::from_raw_os_error(libc::ELOOP)))
}

/// Whether the system, following the links by its own rules, comes to the same file. It refuses
/// some links that can be read, such as those that others have put into a folder that everybody
/// writes to.
fn leads_to(path: &Path, found: Option<&Metadata>) -> Result<bool> {
    let file = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(path) {
        Ok(there) => Ok(found.map(file) == Some(file(&there))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(found.is_none()),
        Err(e) => Err(Error::system("stat", &e)),
    }
}

/// Whether a path can only mean a folder, which is lost when its parts are taken one by one.
fn means_a_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.") || bytes == b"."
}

/// A name for what is not finished: `.model.hrry.k3x9qa.tmp` for `model.hrry`.
fn sibling_name(name: &OsStr, random: u64) -> OsString {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    const AROUND: usize = "..123456.tmp".len();
    let longest = LONGEST_NAME.saturating_sub(AROUND);
    let kept = match name.to_str() {
        Some(text) => text.floor_char_boundary(longest),
        None => name.len().min(longest),
    };
    let mut bytes = vec![b'.'];
    bytes.extend_from_slice(name.as_bytes().get(..kept).unwrap_or_default());
    bytes.push(b'.');
    let letters = random.to_le_bytes().into_iter().take(6);
    bytes.extend(letters.filter_map(|byte| LETTERS.get(usize::from(byte % 32))));
    bytes.extend_from_slice(b".tmp");
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(new: &Replacement, bytes: &[u8]) {
        assert_eq!(system::write(new.descriptor().unwrap(), bytes).unwrap(), bytes.len());
    }

    #[test]
    fn with_and_without_a_name() {
        for unnamed in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model.hrry");
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o604)).unwrap();

            // What a writer that is killed here leaves behind.
            let new = Replacement::begin(&path, true, unnamed).unwrap();
            write(&new, b"new bytes");
            assert_eq!(fs::read(&path).unwrap(), b"old");
            let left = names(folder.path());
            if left.len() > 1 {
                let [sibling, target] = &left[..] else { panic!("{left:?}") };
                assert!(sibling.starts_with(".model.hrry.") && sibling.ends_with(".tmp"));
                assert_eq!(target, "model.hrry");
                let mode = fs::metadata(folder.path().join(sibling)).unwrap().mode();
                assert_eq!(mode & 0o077 & !0o604, 0);
            } else {
                assert!(unnamed);
            }
            drop(new);
            assert_eq!(names(folder.path()), ["model.hrry"]);

            let new = Replacement::begin(&path, true, unnamed).unwrap();
            write(&new, b"new bytes");
            new.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new bytes");
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o604);
            assert_eq!(names(folder.path()), ["model.hrry"]);
        }
    }

    #[test]
    fn a_folder_in_the_way_at_the_end() {
        for unnamed in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model.hrry");
            let new = Replacement::begin(&path, false, unnamed).unwrap();
            write(&new, b"new bytes");
            fs::create_dir(&path).unwrap();
            let error = new.commit().unwrap_err();
            assert!(error.to_string().starts_with("rename failed"), "{error}");
            assert_eq!(names(folder.path()), ["model.hrry"]);
        }
    }

    #[test]
    fn the_names_of_siblings() {
        let short = sibling_name(OsStr::new("model.hrry"), 0x0102_0304_0506).into_string().unwrap();
        assert_eq!(short, ".model.hrry.gfedcb.tmp");
        let long = "é".repeat(127);
        let name = sibling_name(OsStr::new(&long), 0).into_string().unwrap();
        assert!(name.len() <= LONGEST_NAME && name.ends_with("é.aaaaaa.tmp"));
        let bytes = OsStr::from_bytes(&[0xFF; 255]);
        assert_eq!(sibling_name(bytes, 0).len(), LONGEST_NAME);
    }
}
