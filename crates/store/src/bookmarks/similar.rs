//! Bookmarks that are perhaps of one page, although their links differ: http and https, `www.`, a last `/`, the name of
//! an index page, words by which visitors are counted, and the order of a query. Servers may send two pages for such a
//! pair, so that nothing is decided by it: it is shown, and merged after a question.

use geomys_load::check::is_index_page;
use geomys_page::document::is_tracking;

/// Returns what the links of perhaps one page have in common; `None` for a text that is no URL.
pub(super) fn similar_page(link: &str) -> Option<String> {
    let (scheme, rest) = link.split_once("://")?;
    let is_web = matches!(scheme, "http" | "https");
    let (rest, fragment) = rest
        .split_once('#')
        .map_or((rest, ""), |(rest, part)| (rest, part));
    let (rest, query) = rest
        .split_once('?')
        .map_or((rest, ""), |(rest, query)| (rest, query));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.strip_prefix("www.").filter(|_| is_web).unwrap_or(host);
    let scheme = if is_web { "http" } else { scheme };
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let path = if is_index_page(name) { above } else { path };
    let path = path.trim_end_matches('/');
    // Gopher has the type before the selector: the root is a menu.
    let path = if scheme == "gopher" && path == "1" {
        ""
    } else {
        path
    };
    let mut words: Vec<&str> = query.split('&').filter(|word| !is_tracking(word)).collect();
    words.sort_unstable();
    Some(format!(
        "{scheme}://{host}/{path}?{}#{fragment}",
        words.join("&")
    ))
}

#[cfg(test)]
mod tests {
    use crate::bookmarks::Bookmarks;

    #[test]
    fn spellings_of_perhaps_one_page_are_listed() {
        let file = |urls: &[&str]| {
            let lines: Vec<String> = urls.iter().map(|url| format!("<URL:{url}>\n")).collect();
            Bookmarks::parse(lines.concat().as_bytes())
        };
        for urls in [
            ["http://h.org/a", "https://h.org/a"],
            ["http://www.h.org/a", "http://h.org/a/"],
            ["https://h.org/a/index.html", "https://H.org/a/"],
            ["http://h.org/?b=1&a=2", "http://h.org/?a=2&b=1"],
            ["http://h.org/a?utm_source=x&fbclid=y", "http://h.org/a"],
            ["http://h.org/a/INDEX.HTML?UTM_Source=x", "http://h.org/a"],
            ["gopher://h.org/1/a", "gopher://h.org/1/a/"],
            ["gemini://h.org/index.gmi", "gemini://h.org/"],
            ["http://h.org/~a", "https://h.org/%7Ea"],
        ] {
            assert_eq!(file(&urls).similar(), [[0, 1]], "{urls:?}");
        }
        for urls in [
            ["http://h.org/a", "http://h.org/A"],
            ["http://h.org/a#b", "http://h.org/a#c"],
            ["http://h.org/?a=1", "http://h.org/?a=2"],
            ["gopher://h.org/1/a", "gophers://h.org/1/a"],
            ["gopher://www.h.org/", "gopher://h.org/"],
            ["gopher://h.org/0/a", "gopher://h.org/1/a"],
            // These are duplicates.
            ["http://h.org/a", "HTTP://h.org:80/a"],
            ["news:a.b", "news:a.c"],
        ] {
            assert!(file(&urls).similar().is_empty(), "{urls:?}");
        }
        let four = file(&[
            "http://h.org",
            "http://h.org/",
            "gopher://h.org/",
            "https://h.org/",
        ]);
        assert_eq!(four.similar(), [[0, 3]]);
        let three = file(&["http://h.org/a", "https://h.org/a", "http://www.h.org/a"]);
        assert_eq!(three.similar(), [[0, 1], [0, 2]]);
        assert_eq!(Bookmarks::joined(&three.similar()), [[0, 1, 2]]);
    }
}
