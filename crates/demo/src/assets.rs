//! The files of `assets/demo/`.
//!
//! Texts have placeholders for the addresses of the servers. Some files are tables: a row a line, with a tab between
//! two columns. Empty lines and lines that begin with `#` are no rows.

use memchr::memmem;

use super::Addresses;
use super::wire;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)).as_slice())),*]
    };
}

/// All files, by path below `assets/demo/`.
const FILES: &[(&str, &[u8])] = files![
    "bookmarks.txt",
    "files/gophermap",
    "files/letters.mbox",
    "files/notes.txt",
    "ftp/INDEX",
    "ftp/README",
    "ftp/diary.txt",
    "ftp/drum.README",
    "ftp/engine-notes.txt",
    "ftp/how-to-fetch.txt",
    "ftp/message.txt",
    "ftp/odd.txt",
    "ftp/potato-soup.txt",
    "ftp/pub-message.txt",
    "ftp/tree.txt",
    "ftp/unsent.txt",
    "ftp/welcome.txt",
    "gemini/gemtext.gmi",
    "gemini/index.gmi",
    "gemini/index.txt",
    "gemini/lamp.gmi",
    "gemini/log.gmi",
    "gemini/old-art.gmi",
    "gopher/about.txt",
    "gopher/addresses.txt",
    "gopher/bell.wav",
    "gopher/caps.txt",
    "gopher/card.txt",
    "gopher/door.png",
    "gopher/dots.txt",
    "gopher/engine.menu",
    "gopher/gallery.menu",
    "gopher/gopher.gif",
    "gopher/gopher.txt",
    "gopher/hostile.menu",
    "gopher/hostile.txt",
    "gopher/index.txt",
    "gopher/latin1.txt",
    "gopher/library.menu",
    "gopher/long-line.txt",
    "gopher/map.menu",
    "gopher/odd.menu",
    "gopher/odd.txt",
    "gopher/page.html",
    "gopher/phlog-1994-03.txt",
    "gopher/phlog-1994-12.txt",
    "gopher/phlog-2026-04.txt",
    "gopher/phlog-2026-11.txt",
    "gopher/phlog.menu",
    "gopher/post.menu",
    "gopher/rates.txt",
    "gopher/root.menu",
    "gopher/rules-de.txt",
    "gopher/rules.html",
    "gopher/rules.txt",
    "gopher/seeds.bin",
    "gopher/sunset.txt",
    "gopher/telegram.ask",
    "gopher/today.txt",
    "gopher/tunnels.txt",
    "gopher/types.menu",
    "gopher/utf8.txt",
    "gopher/weather.menu",
    "gopher/yearbook.txt",
    "nex/index.txt",
    "nex/lamp.txt",
    "news/announce.txt",
    "news/attic.txt",
    "news/groups.txt",
    "news/infosystems.txt",
    "news/weather.txt",
    "phone/fields.txt",
    "phone/people.txt",
    "spartan/index.gmi",
    "wais/almanac.txt",
    "web/feed.xml",
    "web/index.html",
    "web/index.txt",
];

/// The content of a file; empty for the path "".
pub(super) fn file(path: &str) -> &'static [u8] {
    let found = FILES.iter().find(|(name, _)| *name == path);
    found.map_or(b"", |(_, content)| content)
}

/// The rows of a table.
pub(super) fn table<const COLUMNS: usize>(
    path: &str,
) -> impl Iterator<Item = [&'static [u8]; COLUMNS]> {
    let rows = wire::lines(file(path)).filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    // Rows with another number of columns are left out; a test finds them.
    rows.filter_map(|row| {
        let columns: Vec<_> = row.split(|octet| *octet == b'\t').collect();
        columns.try_into().ok()
    })
}

/// A text in UTF-8 from a table.
pub(super) fn text(octets: &[u8]) -> &str {
    std::str::from_utf8(octets).unwrap_or_default()
}

/// The placeholders of the texts, with their replacements.
pub(super) struct Placeholders([(&'static [u8], String); 14]);

impl Placeholders {
    pub(super) fn new(addresses: &Addresses) -> Self {
        let (gopher, phone) = (addresses.gopher, addresses.phone);
        Self([
            (b"{gopher}", gopher.to_string()),
            (b"{ftp}", addresses.ftp.to_string()),
            (b"{news}", addresses.news.to_string()),
            (b"{wais}", addresses.wais.to_string()),
            (b"{web}", addresses.web.to_string()),
            (b"{finger}", addresses.finger.to_string()),
            (b"{gemini}", addresses.gemini.to_string()),
            (b"{spartan}", addresses.spartan.to_string()),
            (b"{nex}", addresses.nex.to_string()),
            (b"{telnet}", addresses.telnet.to_string()),
            (b"{prospero}", addresses.prospero.to_string()),
            // The formats of a menu: no URL of RFC 1738 names a phone book.
            (b"{phone}", format!("{}\t{}", phone.ip(), phone.port())),
            (b"{host}", gopher.ip().to_string()),
            (b"{port}", gopher.port().to_string()),
        ])
    }

    /// Replaces every placeholder in `text`; other octets, Latin-1 included, stay as they are.
    pub(super) fn fill(&self, text: &[u8]) -> Vec<u8> {
        self.0.iter().fold(text.to_vec(), |text, (name, value)| {
            let mut filled = Vec::with_capacity(text.len());
            let mut rest = text.as_slice();
            while let Some((before, after)) = memmem::find(rest, name).and_then(|at| {
                let (before, after) = rest.split_at_checked(at)?;
                Some((before, after.strip_prefix(*name)?))
            }) {
                filled.extend_from_slice(before);
                filled.extend_from_slice(value.as_bytes());
                rest = after;
            }
            filled.extend_from_slice(rest);
            filled
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that each row of a table has these columns, and names an existing file, or none.
    fn assert_table<const COLUMNS: usize>(path: &str, file_of: impl Fn([&[u8]; COLUMNS]) -> &str) {
        let lines = wire::lines(file(path)).filter(|line| !line.is_empty());
        let rows = lines.filter(|line| !line.starts_with(b"#")).count();
        assert!(rows > 0, "{path}");
        assert_eq!(table::<COLUMNS>(path).count(), rows, "{path}");
        for row in table(path) {
            let name = file_of(row);
            let is_known = name.is_empty() || FILES.iter().any(|(known, _)| *known == name);
            assert!(is_known, "{path}: {name}");
        }
    }

    #[test]
    fn tables_have_all_columns_and_name_existing_files() {
        assert_table("gopher/index.txt", |[_, _, file, _, _, _]| text(file));
        assert_table("ftp/tree.txt", |[_, content, _]| {
            let content = text(content);
            let file = content.strip_prefix("text ");
            file.or(content.strip_prefix("octets ")).unwrap_or_default()
        });
        assert_table("news/groups.txt", |[_, _, _, _]| "");
        assert_table("phone/fields.txt", |[_, _, _, _]| "");
        assert_table("wais/almanac.txt", |[_, _, file, _]| text(file));
        assert_table("web/index.txt", |[_, file, _]| text(file));
        assert_table("gemini/index.txt", |[_, file, _]| text(file));
    }
}
