//! `sitemanager.xml` of `FileZilla`: servers in folders, with a directory each. Only read.
//!
//! ```text
//! <FileZilla3><Servers><Folder>name <Server><Host>h</Host><Port>21</Port><Protocol>0</Protocol><User>u</User><Pass>...</Pass>
//!   <Name>title</Name><Comments>note</Comments><RemoteDir>1 0 3 pub 5 linux</RemoteDir>
//!   <Bookmark><Name>title</Name><RemoteDir>...</RemoteDir></Bookmark></Server></Folder></Servers></FileZilla3>
//! ```
//!
//! A directory is its kind, the length of its prefix with the prefix, and the length and the name of each segment.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FormatError};
use super::xml::{self, XmlEvent};

/// Parser of a site manager.
#[derive(Default)]
struct SiteReader {
    builder: TreeBuilder,
    /// Name of a folder whose first element has not come.
    folder: Option<String>,
    /// Elements of the open server, and of the open bookmark in it.
    server: Option<Fields>,
    bookmark: Option<Fields>,
    bookmarks: Vec<Fields>,
    /// Name of the open element.
    element: String,
}

/// Texts of elements by their names in lower case.
type Fields = BTreeMap<String, String>;

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut reader = SiteReader::default();
    xml::read(text, |part| reader.take(part))?;
    Ok(reader.builder.finish())
}

impl SiteReader {
    fn take(&mut self, part: XmlEvent) {
        match part {
            XmlEvent::Start(name, _) => {
                self.open_folder();
                match name.as_str() {
                    "folder" => self.folder = Some(String::new()),
                    "server" => self.server = Some(Fields::new()),
                    "bookmark" => self.bookmark = Some(Fields::new()),
                    _ => {}
                }
                self.element = name;
            }
            XmlEvent::Text(words) => {
                if let Some(folder) = &mut self.folder {
                    folder.push_str(&words);
                } else if let Some(fields) = self.bookmark.as_mut().or(self.server.as_mut()) {
                    let field = fields.entry(self.element.clone()).or_default();
                    field.push_str(&words);
                }
            }
            XmlEvent::End(name) => {
                self.open_folder();
                match name.as_str() {
                    "folder" => self.builder.close(),
                    "bookmark" => self.bookmarks.extend(self.bookmark.take()),
                    "server" => self.add_server(),
                    _ => {}
                }
                self.element.clear();
            }
        }
    }

    /// Opens the folder whose name has come.
    fn open_folder(&mut self) {
        if let Some(name) = self.folder.take() {
            self.builder.open(name.trim());
        }
    }

    /// Adds the entries of a server, and of the bookmarks in it.
    fn add_server(&mut self) {
        let Some(server) = self.server.take() else {
            return;
        };
        let bookmarks = std::mem::take(&mut self.bookmarks);
        let title = match field(&server, "name") {
            "" => field(&server, "host"),
            name => name,
        };
        let Some(root) = root(&server) else {
            let reason = "its protocol has no URL";
            self.builder.losses().entry(title, reason);
            return;
        };
        let has_password = !field(&server, "pass").is_empty();
        self.builder.losses().part_if(has_password, "passwords");
        let is_anonymous = field(&server, "user").is_empty();
        let url = |fields: &Fields| format!("{root}{}", path(fields, is_anonymous));
        self.builder.entry(&Entry {
            title: title.to_owned(),
            url: url(&server),
            note: field(&server, "comments").to_owned(),
            ..Entry::default()
        });
        for bookmark in bookmarks {
            let name = field(&bookmark, "name");
            self.builder
                .link(&format!("{title}: {name}"), &url(&bookmark));
        }
    }
}

fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map_or("", |value| value.trim())
}

/// Returns the URL of a server without a path; `None` for a protocol that has none here.
fn root(server: &Fields) -> Option<String> {
    let (scheme, usual) = match field(server, "protocol") {
        "" | "0" | "6" => ("ftp", "21"),
        "1" => ("sftp", "22"),
        "3" => ("ftps", "990"),
        // AUTH TLS: without a port it would be implicit TLS.
        "4" => ("ftps", ""),
        _ => return None,
    };
    let host = field(server, "host");
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    let user = match field(server, "user") {
        "" => String::new(),
        user => format!("{}@", encoded(user)),
    };
    let port = match field(server, "port") {
        "" | "0" if usual.is_empty() => ":21".to_owned(),
        "" | "0" => String::new(),
        port if port == usual => String::new(),
        port => format!(":{port}"),
    };
    (!host.is_empty()).then(|| format!("{scheme}://{user}{host}{port}/"))
}

/// Returns the path of a directory as that of a URL, empty without one. It begins at the root of the server, where an
/// anonymous login begins too.
fn path(fields: &Fields, is_anonymous: bool) -> String {
    let mut segments = segments(field(fields, "remotedir")).into_iter();
    let Some(first) = segments.next() else {
        return String::new();
    };
    let root = if is_anonymous { "" } else { "%2F" };
    let mut path = format!("{root}{}/", encoded(first));
    for segment in segments {
        path.push_str(&encoded(segment));
        path.push('/');
    }
    path
}

/// Returns the segments of a directory.
fn segments(written: &str) -> Vec<&str> {
    let mut parts = written.splitn(3, ' ');
    let (_, prefix, rest) = (parts.next(), parts.next(), parts.next());
    let mut rest = match prefix {
        Some("0") => rest.unwrap_or_default(),
        _ => "",
    };
    let mut segments = Vec::new();
    while let Some((length, after)) = rest.split_once(' ') {
        let letters = length.parse::<usize>().unwrap_or_default();
        let end = after.char_indices().nth(letters);
        let end = end.map_or(after.len(), |(end, _)| end);
        let (segment, after) = after.split_at_checked(end).unwrap_or_default();
        if segment.is_empty() {
            break;
        }
        segments.push(segment);
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    segments
}

/// Escapes a part of a URL.
fn encoded(text: &str) -> String {
    let mut url = String::with_capacity(text.len());
    for octet in text.bytes() {
        if octet.is_ascii_alphanumeric() || b"-_.~+".contains(&octet) {
            url.push(char::from(octet));
        } else {
            // A string takes all that is written.
            let _ = write!(url, "%{octet:02X}");
        }
    }
    url
}
