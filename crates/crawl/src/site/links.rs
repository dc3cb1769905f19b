//! Links of pages, which a mirror and a sync follow, and the files that belong to pages of the Web, which a mirror
//! fetches too. A long page of HTML is read in pieces, as its layout takes many times the memory of its octets.

use geomys_load::check::ReceivedPage;
use geomys_page::document::{Kind, Link, Shape, css_references, pieces};
use rfc1738::Url;

use super::path_of;

/// Returns true for a kind of page whose links are followed.
pub(crate) fn has_links(kind: Result<Shape, Kind>) -> bool {
    matches!(
        kind,
        Ok(Shape::Menu | Shape::Gemtext | Shape::Html | Shape::Feed)
    )
}

/// The links of a page.
#[derive(Debug, Default)]
pub(crate) struct PageLinks {
    /// Those that a person may follow.
    pub(crate) pages: Vec<Url>,
    /// The files of the page that no row shows: style sheets, icons, scripts, pictures; of a style sheet, those that it
    /// names.
    pub(crate) files: Vec<Url>,
}

/// Returns the links of a page, compressed or not. Takes time for a long one.
pub(crate) fn links_of(page: ReceivedPage, url: &Url) -> PageLinks {
    let page = page.decompressed(url);
    let mut links = PageLinks::default();
    if is_style_sheet(&page, url) {
        let css = String::from_utf8_lossy(&page.octets);
        let files = css_references(&css).into_iter();
        let files = files.filter_map(|reference| url.resolve(&reference).ok());
        links
            .files
            .extend(files.map(|file| file.without_fragment()));
        return links;
    }
    let kind = page.kind(url);
    let Some(shape) = kind.ok().filter(|_| has_links(kind) && page.is_text()) else {
        return links;
    };
    if shape != Shape::Html {
        links.add(&page, url);
        return links;
    }
    let ReceivedPage { head, octets, .. } = page;
    for piece in pieces(shape, &octets) {
        let piece = ReceivedPage {
            head: head.clone(),
            octets: piece.into_owned(),
            cut: None,
            is_whole: true,
        };
        links.add(&piece, url);
    }
    links
}

/// Returns true for a style sheet: by the media type that was sent, else by the name.
fn is_style_sheet(page: &ReceivedPage, url: &Url) -> bool {
    let sent = page.head.file_name.media_type.as_deref();
    match sent {
        Some(sent) => (sent.split(';').next())
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("text/css")),
        None => path_of(url).is_some_and(|path| path.ends_with(b".css")),
    }
}

impl PageLinks {
    /// Adds the links of a page, or of a piece of it.
    fn add(&mut self, page: &ReceivedPage, url: &Url) {
        let document = page.document(url);
        let targets = |links: Vec<Link>| {
            let links = links.into_iter().filter(|link| link.form.is_none());
            let urls = links.filter_map(|link| link.target.ok());
            urls.map(|url| url.without_fragment())
        };
        for row in 0..document.count() {
            self.pages.extend(targets(document.starting_links(row)));
        }
        self.files.extend(targets(document.hidden_links()));
    }
}

#[cfg(test)]
mod tests {
    use geomys_load::{PageHead, ServerFileName};
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn long_page_has_the_links_of_all_its_pieces_and_none_of_its_comments() {
        let rows = |from: usize| {
            let rows =
                (from..from + 10_000).map(|number| format!("<li><a href=p{number}>x</a></li>\n"));
            rows.collect::<String>()
        };
        let hidden = format!(
            "<!--{}-->",
            "<li><a href=hidden>x</a></li>\n".repeat(20_000)
        );
        let page = format!(
            "<html><head><base href='/base/'><title>t</title></head><ul>{}{hidden}{}</ul>",
            rows(0),
            rows(10_000)
        );
        let page = ReceivedPage {
            head: PageHead {
                file_name: ServerFileName {
                    media_type: Some("text/html".to_owned()),
                    ..ServerFileName::default()
                },
                ..PageHead::new(Shape::Text)
            },
            octets: page.into_bytes(),
            cut: None,
            is_whole: true,
        };
        let url = Dialect::Extended.parse("http://h.example/x/").unwrap();
        let links = links_of(page, &url).pages;
        assert_eq!(links.len(), 20_000);
        for number in [0, 9_999, 10_000, 19_999] {
            let expected = format!("http://h.example/base/p{number}");
            assert_eq!(links[number].as_str(), expected);
        }
    }
}
