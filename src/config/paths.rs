//! Paths of the user's files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use geomys_store::bookmarks::Store;
use geomys_store::files::draft::posted_beside;
use geomys_store::files::identities::Identities;
use geomys_wire::text;

use super::defaults::CONFIG_FILES;

/// The beginning of a new bookmark file: how it is written.
pub const BOOKMARKS: &str = include_str!("../../config/bookmarks.txt");

/// The paths of the user's files.
#[derive(Clone, Debug)]
pub struct UserPaths {
    /// The directory of settings, keys, theme and bookmarks.
    pub config: PathBuf,
    /// The directory of files that Geomys writes by itself.
    pub data: PathBuf,
    /// The file to use as bookmarks, instead of the one in `config`.
    pub bookmarks: Option<PathBuf>,
    /// The directory of cached pages.
    pub cache: PathBuf,
}

impl UserPaths {
    /// The paths that the platform defines, or all below one directory.
    pub fn new(directory: Option<PathBuf>) -> Option<Self> {
        if let Some(directory) = directory {
            return Some(Self {
                cache: directory.join("cache"),
                config: directory.clone(),
                data: directory,
                bookmarks: None,
            });
        }
        let directories = directories::ProjectDirs::from("", "", "geomys")?;
        Some(Self {
            config: directories.config_dir().to_owned(),
            data: directories.data_dir().to_owned(),
            bookmarks: None,
            cache: directories.cache_dir().to_owned(),
        })
    }

    /// Removes the access rights of other users from the data and cache directories, which a backup or
    /// another program may have left open.
    pub fn restrict(&self) {
        for directory in [&self.data, &self.cache] {
            let Ok(metadata) = fs::metadata(directory) else {
                continue;
            };
            if metadata.is_dir() && metadata.permissions().mode() & 0o077 != 0 {
                // A directory of another owner stays as it is. The files in it are private anyway.
                let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
            }
        }
    }

    /// The settings file.
    pub fn settings(&self) -> PathBuf {
        self.config.join("settings.toml")
    }

    /// The file of servers that have offered TLS.
    pub fn offered(&self) -> PathBuf {
        self.data.join("tls-offers.txt")
    }

    /// The file of accepted certificates.
    pub fn trust(&self) -> PathBuf {
        self.data.join("trust.txt")
    }

    /// The client certificates, and the URLs that they are chosen for.
    pub fn identities(&self) -> Identities {
        Identities::new(
            self.data.join("identities"),
            self.data.join("identities.txt"),
        )
    }

    /// The file of the charsets of hosts.
    pub fn charsets(&self) -> PathBuf {
        self.data.join("charsets.txt")
    }

    /// The directory of read articles and folded threads, two files for each news server.
    pub fn newsrcs(&self) -> PathBuf {
        self.data.join("newsrc")
    }

    /// The file of score rules for articles.
    pub fn score(&self) -> PathBuf {
        self.config.join("score.txt")
    }

    /// The files that the user edits.
    pub fn configuration(&self) -> Vec<PathBuf> {
        let bookmarks = self.bookmarks().path().to_owned();
        let mut files = self.watched_configuration();
        files.push(bookmarks);
        files
    }

    /// The files whose edits change the configuration of the running browser. The bookmarks have a watcher of their
    /// own.
    pub fn watched_configuration(&self) -> Vec<PathBuf> {
        let names = CONFIG_FILES.iter().map(|(name, _)| self.config.join(name));
        names.chain([self.score()]).collect()
    }

    /// The directory of the pages that are saved for later.
    pub fn saved_pages(&self) -> PathBuf {
        self.data.join("later")
    }

    /// The directory of the pages that a sync has brought and that were not shown.
    pub fn synced_pages(&self) -> PathBuf {
        self.data.join("synced")
    }

    /// The file that only one sync at a time locks.
    pub fn sync_lock(&self) -> PathBuf {
        self.data.join("sync.lock")
    }

    /// The file of visited pages.
    pub fn history(&self) -> PathBuf {
        self.data.join("history.jsonl")
    }

    /// The file of the session.
    pub fn session(&self) -> PathBuf {
        self.data.join("session.json")
    }

    /// The file of unfinished transfers.
    pub fn transfers(&self) -> PathBuf {
        self.data.join("transfers.txt")
    }

    /// The file that records the origin of downloaded directories.
    pub fn sources(&self) -> PathBuf {
        self.data.join("sources")
    }

    /// The file of link check results for bookmarks.
    pub fn checks(&self) -> PathBuf {
        self.data.join("checks.jsonl")
    }

    /// The file of the records of bookmarks: when each was added, and where its page was before.
    pub fn bookmark_dates(&self) -> PathBuf {
        self.data.join("added.jsonl")
    }

    /// The file of the last seen states of watched bookmarks.
    pub fn watched(&self) -> PathBuf {
        self.data.join("watched.jsonl")
    }

    /// The directory of drafts of articles and messages.
    pub fn drafts(&self) -> PathBuf {
        self.data.join("drafts")
    }

    /// The file of the Message-IDs of posted articles.
    pub fn posted(&self) -> PathBuf {
        posted_beside(&self.drafts())
    }

    /// The file of the secret from which the keys of Cancel-Locks are made.
    pub fn cancel_secret(&self) -> PathBuf {
        self.data.join("cancel-secret")
    }

    /// The bookmark file. Only the user's own file begins with the explanation of its format: a file given by name that
    /// does not exist is empty.
    pub fn bookmarks(&self) -> Store {
        let states = self.data.join("bookmarks");
        let store = match &self.bookmarks {
            Some(named) => Store::new(named, "").with_history(states.join(one_name(named))),
            None => Store::new(self.config.join("bookmarks.txt"), BOOKMARKS).with_history(states),
        };
        store.with_records(self.bookmark_dates())
    }
}

/// A unique file name for a path, the same for all paths to one file: its own name for readers, and a hash.
fn one_name(path: &Path) -> String {
    let inside = |path: &Path| {
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let parent = fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
        Some(parent.join(path.file_name()?))
    };
    let real = fs::canonicalize(path).ok().or_else(|| inside(path));
    let real = real.unwrap_or_else(|| path.to_owned());
    let name = real.file_name().unwrap_or_default().as_encoded_bytes();
    let digest = ring::digest::digest(&ring::digest::SHA256, real.as_os_str().as_encoded_bytes());
    let digest = digest.as_ref().iter().take(8);
    let digest = digest.fold(0_u64, |digest, octet| digest << 8 | u64::from(*octet));
    format!("{}-{digest:016x}", text::file_name(name, "bookmarks"))
}
