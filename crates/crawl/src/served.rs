//! Copies of mirrored sites that can be served again: gophermaps for gophernicus, a capsule for molly-brown.
//!
//! The mirror stays what the server sent. Its copy is another directory, the root of a server: a file has the path that
//! its selector or its URL has, so that absolute links stay right. The copy has a record as every directory that was
//! downloaded has: the next conversion writes what has changed, removes what is gone, and leaves the files alone that
//! were edited here.
//!
//! A server runs nothing of it: files have the mode 0644, no name is one that a server interprets, no row of a menu is
//! a command (see `gophermap.rs`), and each directory of Gopher has a gophermap, as the maps in it would be part of a
//! list of its files.

mod capsule;
mod gophermap;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use geomys_wire::text;
use rfc1738::{Dialect, Parts, Protocol, Url};

use self::capsule::{CapsuleRedirect, molly};
use self::gophermap::{is_menu, link_to, path_of_selector};
use self::write::{Contents, CopyWriter};
use crate::site::{SiteScope, path_of};
use crate::tree::served_name;
use geomys_store::transfer::download::numbered;
use geomys_store::transfer::records::{DirectoryRecord, DirectoryRecords, Error};

/// The file of a capsule that tells media types and redirects.
const MOLLY: &str = ".molly";

/// Maximum number of notes on single pages.
const MAX_NOTES: usize = 1000;

/// The server that a copy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyServer {
    /// gophernicus, over Gopher.
    Gophernicus,
    /// molly-brown, over Gemini.
    MollyBrown,
}

impl CopyServer {
    /// Returns the server for the pages of a URL; `None` if there is none for its protocol.
    pub fn of(url: &Url) -> Option<Self> {
        match url.protocol() {
            Protocol::Gopher(_) => Some(Self::Gophernicus),
            Protocol::Gemini(_) | Protocol::Spartan(_) | Protocol::Nex(_) => Some(Self::MollyBrown),
            _ => None,
        }
    }

    /// Returns the name of the page of a directory.
    const fn index(self) -> &'static str {
        match self {
            Self::Gophernicus => "gophermap",
            Self::MollyBrown => "index.gmi",
        }
    }
}

/// Summary of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopySummary {
    /// Number of files of the copy.
    pub files: usize,
    /// Number of those that were written now.
    pub written: usize,
    /// Number of rows of menus that became texts, as the server would interpret, split or complete them.
    pub texts: usize,
    /// Number of rows without their fields of Gopher+, or with another spelling of their port.
    pub fields: usize,
    /// Number of pages that the server does not send for their URLs.
    pub not_served: usize,
    /// Number of files that were not written, as a symbolic link is on the way to them.
    pub skipped: usize,
    /// Notes about single pages.
    pub notes: Vec<String>,
}

impl CopySummary {
    /// Formats the summary as one line: `12 files to serve; 3 rows became texts; 1 not served`.
    pub fn sentence(&self) -> String {
        let parts = [
            (self.files, "file to serve", "files to serve"),
            (self.texts, "row became a text", "rows became texts"),
            (self.fields, "row lost fields", "rows lost fields"),
            (self.not_served, "not served", "not served"),
            (self.skipped, "skipped", "skipped"),
        ];
        let parts = parts.into_iter().enumerate();
        let parts = parts.filter(|(index, (number, ..))| *index == 0 || *number > 0);
        let parts = parts.map(|(_, (number, one, many))| {
            let what = if number == 1 { one } else { many };
            format!("{} {what}", text::count(number))
        });
        parts.collect::<Vec<_>>().join("; ")
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        }
    }
}

/// Writes the copy of the mirror of a URL into another directory. Blocks.
///
/// # Errors
/// Any [`Error`] of the records.
pub fn convert(
    records: &DirectoryRecords,
    url: &Url,
    server: CopyServer,
    (mirror, into): (&Path, &Path),
) -> Result<CopySummary, Error> {
    let record = records.read(mirror)?;
    let mut writer = CopyWriter::open(records, record.directory(), into)?;
    let mut plan = CopyPlan::new(server, url);
    plan.add_pages(&record);
    match server {
        CopyServer::Gophernicus => plan.add_missing_maps(),
        CopyServer::MollyBrown => plan.add_molly(&record, writer.root()),
    }
    writer.write(&plan.files, url, &mut plan.summary)?;
    plan.summary.files = plan.files.len();
    Ok(plan.summary)
}

/// A page of the mirror.
struct MirroredPage {
    url: Url,
    /// Its file in the mirror.
    file: PathBuf,
    media_type: Option<Box<str>>,
    /// Its path in the copy, before others are known.
    name: PathBuf,
    /// True if the server does not find that by the URL.
    is_renamed: bool,
    /// True for the page of a directory, whose name is fixed.
    is_index: bool,
}

/// The files of a copy.
struct CopyPlan<'a> {
    server: CopyServer,
    top: &'a Url,
    /// The contents of each file, by its path in the copy.
    files: BTreeMap<PathBuf, Contents>,
    types: Vec<(PathBuf, Box<str>)>,
    directories: BTreeSet<PathBuf>,
    summary: CopySummary,
}

impl<'a> CopyPlan<'a> {
    fn new(server: CopyServer, top: &'a Url) -> Self {
        Self {
            server,
            top,
            files: BTreeMap::new(),
            types: Vec::new(),
            directories: BTreeSet::from([PathBuf::new()]),
            summary: CopySummary::default(),
        }
    }

    /// Adds the pages of the mirrored server.
    fn add_pages(&mut self, record: &DirectoryRecord) {
        let scope = SiteScope::of(self.top);
        let is_own = |url: &Url| scope.as_ref().is_some_and(|scope| scope.is_own_server(url));
        let mut pages = Vec::new();
        for (name, url) in record.files() {
            let file = record.directory().join(name);
            if !file.is_file() {
                continue;
            }
            let url = Dialect::Extended.parse(url).ok().filter(is_own);
            let page = url.and_then(|url| {
                let media_type = record.media_type(name).map(Box::from);
                self.page(url, file, media_type)
            });
            match page {
                Some(page) => pages.push(page),
                None => self.summary.not_served += 1,
            }
        }
        for page in &pages {
            let above = page.name.ancestors().skip(1).map(Path::to_owned);
            self.directories.extend(above);
        }
        pages.sort_by_cached_key(|page| (!page.is_index, page.url.to_string()));
        for page in pages {
            self.add_page(page);
        }
    }

    /// Returns a page with its path; `None` if no file can stand for it.
    fn page(&self, url: Url, file: PathBuf, media_type: Option<Box<str>>) -> Option<MirroredPage> {
        let (path, is_index) = match url.base_parts() {
            Parts::Gopher(gopher) if gopher.search.is_none() && gopher.plus.is_none() => {
                (path_of_selector(&gopher.selector.octets())?, is_menu(&url))
            }
            Parts::Http(http) if http.search.is_none() => {
                let path = path_of(&url)?;
                let is_index = path.ends_with(b"/");
                (path, is_index)
            }
            _ => return None,
        };
        // molly-brown has homes of users there, and refuses two dots anywhere.
        let mut is_renamed = self.server == CopyServer::MollyBrown
            && (path.starts_with(b"/~") || memmem(&path, b".."));
        let mut name = PathBuf::new();
        for segment in path.split(|&octet| octet == b'/') {
            if !segment.is_empty() {
                let own = served_name(segment);
                is_renamed |= own.as_bytes() != segment;
                name.push(own);
            }
        }
        if is_index {
            name.push(self.server.index());
        } else if name.as_os_str().is_empty() {
            return None;
        }
        Some(MirroredPage {
            url,
            file,
            media_type,
            name,
            is_renamed,
            is_index,
        })
    }

    /// Adds a page with a free name.
    fn add_page(&mut self, page: MirroredPage) {
        let contents = if is_menu(&page.url) {
            Contents::Menu(page.file)
        } else {
            Contents::Copy(page.file)
        };
        if self
            .files
            .get(&page.name)
            .is_some_and(|other| other.is_same(&contents))
        {
            return;
        }
        let is_taken =
            |path: &PathBuf| self.files.contains_key(path) || self.directories.contains(path);
        let mut names = (1..).map(|number| numbered(&page.name, number));
        let name = names.find(|path| !is_taken(path));
        let name = name.unwrap_or_else(|| page.name.clone());
        if page.is_renamed || name != page.name {
            self.summary.not_served += 1;
            let (shown, name) = (page.url.masked(), name.display());
            self.summary
                .note(format!("{shown} is not served: its file is {name}"));
        }
        if let Some(media_type) = page.media_type {
            self.types.push((name.clone(), media_type));
        }
        self.files.insert(name, contents);
    }

    /// Adds a gophermap to each directory without one: a list of its files would run the maps in it.
    fn add_missing_maps(&mut self) {
        let path = match self.top.base_parts() {
            Parts::Gopher(gopher) if is_menu(self.top) => {
                Some(gopher.selector.octets().into_owned())
            }
            _ => None,
        };
        let is_plain = |path: &Vec<u8>| !path.iter().any(u8::is_ascii_control);
        let path = path.filter(|path| path.starts_with(b"/") && is_plain(path));
        let map = path.map_or_else(Vec::new, |path| link_to(&path));
        for directory in &self.directories {
            let name = directory.join(self.server.index());
            self.files
                .entry(name)
                .or_insert_with(|| Contents::Octets(map.clone()));
        }
    }

    /// Adds the media types and the redirects of a capsule.
    fn add_molly(&mut self, record: &DirectoryRecord, root: &Path) {
        let scope = SiteScope::of(self.top);
        let path = |url: &str| {
            let url = Dialect::Extended.parse(url).ok()?;
            let is_own = scope.as_ref()?.is_own_server(&url);
            let has_query = matches!(url.base_parts(), Parts::Http(http) if http.search.is_some());
            String::from_utf8(path_of(&url)?)
                .ok()
                .filter(|_| is_own && !has_query)
        };
        let mut redirects = Vec::new();
        for (from, to) in record.redirects() {
            match (path(from), path(&to.url)) {
                (Some(from), Some(to_path)) => redirects.push(CapsuleRedirect {
                    is_permanent: to.is_permanent,
                    from,
                    to: to_path,
                }),
                _ => self.summary.not_served += 1,
            }
        }
        redirects.sort();
        // A table with a key twice is none.
        redirects.dedup_by(|one, other| {
            one.is_permanent == other.is_permanent && one.from == other.from
        });
        let files: Vec<&Path> = self.files.keys().map(PathBuf::as_path).collect();
        let mut types: Vec<(&Path, &str)> = self
            .types
            .iter()
            .map(|(name, media_type)| (name.as_path(), &**media_type))
            .collect();
        types.sort_unstable();
        let molly = molly(root, &types, &files, &redirects);
        let molly = Contents::Octets(molly.into_bytes());
        self.files.insert(PathBuf::from(MOLLY), molly);
    }
}

/// Returns true if `needle` stands in `octets`.
fn memmem(octets: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(octets, needle).is_some()
}
