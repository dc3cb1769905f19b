//! Where the user's files are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::BOOKMARKS;
use crate::files::bookmarks::Store;
use crate::text;

/// Where the user's files are.
#[derive(Clone, Debug)]
pub struct Places {
    /// Of settings, keys, theme and bookmarks.
    pub config: PathBuf,
    /// Of what Geomys writes down by itself.
    pub data: PathBuf,
    /// The file that is to be the bookmarks, instead of the one in `config`.
    pub bookmarks: Option<PathBuf>,
    /// Of pages that are kept.
    pub cache: PathBuf,
}

impl Places {
    /// As the platform has them, or all under one directory.
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

    /// Takes the rights of others away from the directories of data and cache, where an earlier version left them.
    pub fn restrict(&self) {
        for directory in [&self.data, &self.cache] {
            let Ok(metadata) = fs::metadata(directory) else {
                continue;
            };
            if metadata.is_dir() && metadata.permissions().mode() & 0o077 != 0 {
                // Somebody else's directory stays as it is; the files in it are private all the same.
                let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
            }
        }
    }

    /// The servers that have offered TLS.
    pub fn offered(&self) -> PathBuf {
        self.data.join("tls-offers.txt")
    }

    /// The certificates that were accepted.
    pub fn trust(&self) -> PathBuf {
        self.data.join("trust.txt")
    }

    /// What was read of news servers and which threads are folded, two files for each.
    pub fn newsrcs(&self) -> PathBuf {
        self.data.join("newsrc")
    }

    /// The rules for articles.
    pub fn score(&self) -> PathBuf {
        self.config.join("score.txt")
    }

    /// The transfers that have not ended.
    pub fn transfers(&self) -> PathBuf {
        self.data.join("transfers.txt")
    }

    /// Where the files of downloaded directories came from.
    pub fn sources(&self) -> PathBuf {
        self.data.join("sources")
    }

    /// What is known of the URLs of bookmarks.
    pub fn checks(&self) -> PathBuf {
        self.data.join("checks.jsonl")
    }

    /// What was seen at watched ones.
    pub fn watched(&self) -> PathBuf {
        self.data.join("watched.jsonl")
    }

    /// The directory of articles and letters that are being written.
    pub fn drafts(&self) -> PathBuf {
        self.data.join("drafts")
    }

    /// The secret that the keys of Cancel-Locks are made of.
    pub fn cancel_secret(&self) -> PathBuf {
        self.data.join("cancel-secret")
    }

    /// The bookmark file. The shipped bookmarks are for the user's own alone: a file that was named and does not exist
    /// holds nothing.
    pub fn bookmarks(&self) -> Store {
        let states = self.data.join("bookmarks");
        match &self.bookmarks {
            Some(named) => Store::new(named, "").keeping(states.join(one_name(named))),
            None => Store::new(self.config.join("bookmarks.txt"), BOOKMARKS).keeping(states),
        }
    }
}

/// A file name for a path, whichever way leads there: its own name for eyes, and what tells it from others.
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
