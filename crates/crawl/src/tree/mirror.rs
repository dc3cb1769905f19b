//! Mirrors: which files of a directory are fetched, and which local ones are deleted.
//!
//! Only a file whose record names a URL below that of the mirror is ever deleted, and nothing is deleted after a walk
//! in which anything failed. The server has to say that a file is gone: by a whole listing without it, or, of a site,
//! by its answer to a request for the page.

use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use geomys_wire::protocol::nntp::glob;
use geomys_wire::task::blocking;
use geomys_wire::text::{self, Text, system_message};
use rfc1738::{Dialect, Url};

use super::listing::ItemKind;
use super::{SiteOptions, TreeWalk};
use geomys_store::transfer::records::{DirectoryRecord, locked, root};

/// Number of files from which on not more than half of a mirror is deleted.
const MIN_GUARDED: usize = 10;

/// Options of a mirror.
#[derive(Clone, Debug, Default)]
pub struct MirrorOptions {
    /// Treatment of files that the server does not have any more.
    pub vanished: VanishedFiles,
    /// Real or dry run.
    pub run: RunMode,
    /// Names to fetch.
    pub filter: NameFilter,
    /// Pause before each file but the first.
    pub pause: Duration,
    /// Pages to fetch, of a site.
    pub site: SiteOptions,
}

/// Treatment of local files that the server does not have any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VanishedFiles {
    /// The files stay.
    #[default]
    Keep,
    /// The files are deleted, if they are at most half of the mirror or it is small.
    Delete,
    /// The files are deleted, however many they are.
    DeleteAll,
}

/// Kind of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunMode {
    /// Files are fetched and deleted.
    #[default]
    Real,
    /// Nothing is written; the summary holds what would be done.
    Dry,
}

/// Patterns of the names to fetch: `*` is any text, `?` any character. A pattern with a slash is compared with the path
/// below the directory, another one with the name alone; with a slash at its end it matches directories only.
#[derive(Clone, Debug, Default)]
pub struct NameFilter {
    /// If there are any, only files that match one are fetched.
    pub include: Vec<String>,
    /// Files that match one are not fetched, directories that match one not entered.
    pub exclude: Vec<String>,
}

impl NameFilter {
    /// Returns true if a path, or one above it, matches a pattern of what is left out.
    pub(crate) fn excludes(&self, path: &[u8]) -> bool {
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let path = Path::new(OsStr::from_bytes(path));
        let is_below = |pattern: &String| {
            let mut above = path.ancestors().skip(1);
            let is_file = matches(pattern, path, ItemKind::File);
            is_file || above.any(|above| matches(pattern, above, ItemKind::Directory))
        };
        self.exclude.iter().any(is_below)
    }

    /// Returns true if the entry of this path below the directory is fetched or entered.
    pub(super) fn admits(&self, path: &Path, kind: ItemKind) -> bool {
        let matches = |pattern: &String| matches(pattern, path, kind);
        let is_included = kind == ItemKind::Directory || self.include.is_empty();
        (is_included || self.include.iter().any(matches)) && !self.exclude.iter().any(matches)
    }

    /// Returns true if the entry of this path is fetched, and all directories above it are entered.
    pub(super) fn admits_below(&self, path: &Path, kind: ItemKind) -> bool {
        let above = path.ancestors().skip(1);
        let mut above = above.filter(|above| !above.as_os_str().is_empty());
        self.admits(path, kind) && above.all(|above| self.admits(above, ItemKind::Directory))
    }
}

fn matches(pattern: &str, path: &Path, kind: ItemKind) -> bool {
    let directory = pattern.strip_suffix('/');
    if directory.is_some() && kind != ItemKind::Directory {
        return false;
    }
    let pattern = directory.unwrap_or(pattern);
    let path = path.as_os_str().as_encoded_bytes();
    let name = path.rsplit(|&octet| octet == b'/').next();
    let compared = match pattern.strip_prefix('/') {
        Some(pattern) => return glob(pattern.as_bytes(), path),
        None if pattern.contains('/') => path,
        None => name.unwrap_or_default(),
    };
    glob(pattern.as_bytes(), compared)
}

/// Fate of a file that the server does not have any more.
enum Vanished {
    /// The file was deleted, or would be in a real run.
    Deleted,
    /// The file was edited here, and stays.
    Edited,
    /// There is no such file here.
    Missing,
}

impl TreeWalk<'_> {
    /// Deletes the files that came from below the URL of the walk and were not listed by the server any more.
    pub(super) async fn delete_vanished(&mut self) {
        if !self.deletes() {
            return;
        }
        if self.summary.failures > 0 {
            self.note("nothing was deleted: the directory could not be read completely".to_owned());
            return;
        }
        if let Some(first) = self.unconfirmed.first() {
            self.note(format!(
                "nothing was deleted: the server did not confirm the end of {first}"
            ));
            return;
        }
        let Some(record) = self.record.clone() else {
            return;
        };
        let files = self.mirrored_files(&locked(&record));
        let is_vanished = |(_, url): &(PathBuf, String)| match &self.site {
            Some(site) => site.gone.contains(url),
            None => {
                let is_unknown = self.unlisted.iter().any(|above| is_below(url, above))
                    || (self.without_hidden.iter()).any(|above| is_hidden_below(url, above));
                !self.listed.contains(&self.hasher.hash_one(url.as_str())) && !is_unknown
            }
        };
        let vanished = files.into_iter().filter(is_vanished);
        let vanished = present(&self.order.into, vanished.collect()).await;
        if !self.may_delete(vanished.len()) {
            return;
        }
        let (run, into) = (self.order.mirror.run, self.order.into.clone());
        let deleting = blocking(move || {
            let mut record = locked(&record);
            let deleted = vanished.into_iter().map(|name| {
                let path = into.join(&name);
                if is_regular(&path) && record.is_edited(&name) {
                    return (path, Ok(Vanished::Edited));
                }
                let result = match run {
                    RunMode::Real => delete(&into, &name).inspect(|_| {
                        // The file is gone; a record that cannot be written is noticed with the next file.
                        let _ = record.forget(&name);
                    }),
                    RunMode::Dry => Ok(is_regular(&path)),
                };
                let result = result.map(|is| {
                    if is {
                        Vanished::Deleted
                    } else {
                        Vanished::Missing
                    }
                });
                (path, result)
            });
            deleted.collect::<Vec<_>>()
        });
        for (path, result) in deleting.await {
            match result {
                Ok(Vanished::Deleted) => {
                    self.summary.deleted += 1;
                    self.plan_line("delete", &path);
                }
                Ok(Vanished::Edited) => {
                    self.note(format!("{} was edited here: not deleted", path.display()));
                }
                Ok(Vanished::Missing) => {}
                Err(error) => {
                    let shown = path.display().to_string();
                    let why = format!("not deleted: {}", system_message(&error));
                    self.fail(Text::of(&shown), why);
                }
            }
        }
    }

    /// Returns the recorded files of the mirror, with their URLs.
    pub(super) fn mirrored_files(&self, record: &DirectoryRecord) -> Vec<(PathBuf, String)> {
        let Some(site) = &self.site else {
            return record.files_below(&self.order.request.url);
        };
        let is_of_site = |url: &str| {
            let url = Dialect::Extended.parse(url);
            url.is_ok_and(|url| site.covers(&url))
        };
        let files = record.files().filter(|(_, url)| is_of_site(url));
        files
            .map(|(name, url)| (name.to_owned(), url.to_owned()))
            .collect()
    }

    /// Counts the files of the mirror that are here before the walk, if it may delete any.
    pub(super) async fn count_mirrored(&mut self) {
        if let (Some(record), true) = (&self.record, self.deletes()) {
            let files = self.mirrored_files(&locked(record));
            self.mirrored = present(&self.order.into, files).await.len();
        }
    }

    /// Returns true if files that the server does not have any more are deleted.
    pub(super) fn deletes(&self) -> bool {
        self.order.mirror.vanished != VanishedFiles::Keep
    }

    /// Returns false, and says so, if the number of files to delete is more than half of the mirror.
    fn may_delete(&mut self, vanished: usize) -> bool {
        let is_most = self.mirrored >= MIN_GUARDED && vanished > self.mirrored / 2;
        if !is_most || self.order.mirror.vanished == VanishedFiles::DeleteAll {
            return true;
        }
        let shown = Text::of(&self.order.request.url.masked());
        let (vanished, all) = (text::count(vanished), text::count(self.mirrored));
        let why = format!(
            "nothing was deleted: {vanished} of {all} files are gone from the server, which is more than half \
             (--delete=all deletes them)"
        );
        self.fail(shown, why);
        false
    }

    /// Adds a line to what a dry run would do.
    pub(super) fn plan_line(&mut self, verb: &str, path: &Path) {
        if self.order.mirror.run == RunMode::Dry {
            let line = format!("{verb} {}", path.display());
            self.summary.planned.push(line);
        }
    }
}

/// Returns the names of the files that are here. Blocks on no thread of the walk.
async fn present(into: &Path, files: Vec<(PathBuf, String)>) -> Vec<PathBuf> {
    let into = into.to_owned();
    let names = files.into_iter().map(|(name, _)| name);
    blocking(move || names.filter(|name| is_regular(&into.join(name))).collect()).await
}

/// Returns true if the text of a URL is that of `above`, or below it, or in it if that is an archive.
fn is_below(url: &str, above: &Url) -> bool {
    let rest = url.strip_prefix(&root(above));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ';', '#']))
}

/// Returns true if the way from a directory to a URL begins with a name that begins with a dot.
fn is_hidden_below(url: &str, above: &Url) -> bool {
    let rest = url.strip_prefix(&root(above));
    rest.is_some_and(|rest| rest.trim_start_matches('/').starts_with('.'))
}

fn is_regular(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|is| is.is_file())
}

/// Deletes a file below a directory, and the directories that it leaves empty. Returns false if there is none.
pub(crate) fn delete(directory: &Path, name: &Path) -> std::io::Result<bool> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let path = directory.join(name);
    if !name.components().all(is_plain) || !is_regular(&path) {
        return Ok(false);
    }
    let real = path.parent().unwrap_or(directory).canonicalize()?;
    if !real.starts_with(directory.canonicalize()?) {
        // A symbolic link has taken the place of a directory.
        return Ok(false);
    }
    std::fs::remove_file(&path)?;
    let above = name.ancestors().skip(1);
    for above in above.filter(|above| !above.as_os_str().is_empty()) {
        // A directory with other files stays, and so do those above it.
        if std::fs::remove_dir(directory.join(above)).is_err() {
            break;
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_matches_names_and_paths() {
        let filter = NameFilter {
            include: vec!["*.txt".to_owned(), "a/*.bin".to_owned()],
            exclude: vec!["old*".to_owned(), "tmp/".to_owned(), "/b/x.txt".to_owned()],
        };
        for (path, kind, is_admitted) in [
            ("x.txt", ItemKind::File, true),
            ("d/x.txt", ItemKind::File, true),
            ("x.bin", ItemKind::File, false),
            ("a/x.bin", ItemKind::File, true),
            ("b/a/x.bin", ItemKind::File, false),
            ("old.txt", ItemKind::File, false),
            ("d", ItemKind::Directory, true),
            ("d/old", ItemKind::Directory, false),
            ("tmp", ItemKind::Directory, false),
            ("tmp", ItemKind::File, false),
            ("b/x.txt", ItemKind::File, false),
            ("c/b/x.txt", ItemKind::File, true),
        ] {
            assert_eq!(
                filter.admits(Path::new(path), kind),
                is_admitted,
                "{path} {kind:?}"
            );
        }
        assert!(NameFilter::default().admits(Path::new("x"), ItemKind::File));
    }

    #[test]
    fn url_is_below_its_directory_only() {
        let above = Dialect::Extended.parse("ftp://ada:x@h/pub/").unwrap();
        for (url, expected) in [
            ("ftp://ada@h/pub/a", true),
            ("ftp://ada@h/pub", true),
            ("ftp://ada@h/public/a", false),
            ("ftp://h/pub/a", false),
        ] {
            assert_eq!(is_below(url, &above), expected, "{url}");
        }
    }
}
