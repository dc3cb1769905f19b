//! Links of pages, which a mirror and a sync follow. A long page of HTML is read in pieces, as its layout takes many
//! times the memory of its octets.

use geomys_load::check::ReceivedPage;
use geomys_page::document::{Kind, Shape, pieces};
use rfc1738::Url;

/// Returns true for a kind of page whose links are followed.
pub(crate) fn has_links(kind: Result<Shape, Kind>) -> bool {
    matches!(
        kind,
        Ok(Shape::Menu | Shape::Gemtext | Shape::Html | Shape::Feed)
    )
}

/// Returns the links of a page, compressed or not. Takes time for a long one.
pub(crate) fn links_of(page: ReceivedPage, url: &Url) -> Vec<Url> {
    let page = page.decompressed(url);
    let kind = page.kind(url);
    let Some(shape) = kind.ok().filter(|_| has_links(kind) && page.is_text()) else {
        return Vec::new();
    };
    if shape != Shape::Html {
        return links_of_piece(&page, url);
    }
    let ReceivedPage { head, octets, .. } = page;
    let links = pieces(shape, &octets).flat_map(|piece| {
        let piece = ReceivedPage {
            head: head.clone(),
            octets: piece.into_owned(),
            cut: None,
            is_whole: true,
        };
        links_of_piece(&piece, url)
    });
    links.collect()
}

fn links_of_piece(page: &ReceivedPage, url: &Url) -> Vec<Url> {
    let document = page.document(url);
    let rows = 0..document.count();
    let links = rows.flat_map(|row| document.starting_links(row));
    let links = links.filter(|link| link.form.is_none());
    let urls = links.filter_map(|link| link.target.ok());
    urls.map(|url| url.without_fragment()).collect()
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
        let links = links_of(page, &url);
        assert_eq!(links.len(), 20_000);
        for number in [0, 9_999, 10_000, 19_999] {
            let expected = format!("http://h.example/base/p{number}");
            assert_eq!(links[number].as_str(), expected);
        }
    }
}
