//! Octets as running text: the URLs in it are in their reported ranges, in order.

#![no_main]

use rfc1738::links_in_text;

geomys_fuzz::target!(|octets: &[u8]| {
    let mut end = 0;
    for found in links_in_text(octets) {
        let range = found.range.clone();
        assert!(range.start >= end, "in order: {found:?}");
        assert!(
            range.start < range.end && range.end <= octets.len(),
            "inside: {found:?}"
        );
        assert!(!found.url_text.contains('#'), "no fragment: {found:?}");
        match &found.result {
            Ok(url) => assert_eq!(url.as_str(), found.url_text),
            Err(error) => assert!(error.at + error.len <= range.len(), "{found:?}"),
        }
        if let Some(shorter) = &found.without_hyphen {
            assert!(shorter.len() < found.url_text.len() || found.fragment.is_some());
        }
        end = range.end;
    }
});
