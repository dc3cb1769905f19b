//! Octets as a URL: what parses keeps the laws of a URL, what does not is pointed at.

#![no_main]

use geomys_fuzz::url::{ParseError, Url, mask, meant, repair, typed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    match Url::parse_octets(octets) {
        Ok(url) => {
            assert_eq!(url.as_str().as_bytes(), octets, "prints back as written");
            a_url(&url);
        }
        Err(error) => {
            assert!(error.at <= octets.len(), "{error:?}");
            a_sentence(&error);
        }
    }
    if let Ok(text) = std::str::from_utf8(octets) {
        a_text(text);
    }
});

fn a_url(url: &Url) {
    valid(url);
    let canonical = url.canonical();
    valid(&canonical);
    assert_eq!(canonical.canonical(), canonical, "canonical is its own");
    assert_eq!(canonical.scheme(), url.scheme());
    assert!(url.same_place(&canonical));

    let masked = Url::parse(&url.masked()).expect("a mask leaves a URL");
    assert_eq!(masked.masked(), masked.as_str(), "masked once is masked");
    assert_eq!(masked.has_password(), url.has_password());
    let without = url.without_password();
    valid(&without);
    assert!(!without.has_password());
    if let Some(password) = url.parts().login().and_then(|login| login.password) {
        let secret = format!(":{}@", password.as_str());
        assert!(url.has_password());
        assert!(secret == ":***@" || !head(&masked).contains(&secret));
    }

    let mut here = url.clone();
    let mut steps = 0;
    while let Some(above) = here.up() {
        valid(&above);
        assert_eq!(above.parts().login(), url.parts().login(), "up stays");
        assert_eq!(above.parts().address(), url.parts().address());
        here = above;
        steps += 1;
        assert!(steps <= url.as_str().len() + 1, "up ends at {here}");
    }
    if let Some(root) = url.root() {
        valid(&root);
        assert_eq!(root.root().as_ref(), Some(&root));
        assert_eq!(
            root.parts().login(),
            url.parts().login(),
            "the root is near"
        );
    }
    let _ = (url.reading(), url.explanation(), url.hazards());
    assert!(!format!("{url:?}{:?}", url.parts()).is_empty());
}

fn a_text(text: &str) {
    if let Err(error) = Url::parse(text) {
        a_fault(&error, text.len());
    }
    if let Some(url) = repair(text) {
        valid(&url);
        // `URL:` is a scheme to the parser, and a prefix to whoever takes a wrapper off.
        if !url.scheme_name().eq_ignore_ascii_case("url") {
            assert_eq!(repair(url.as_str()), Some(url), "repaired is repaired");
        }
    }
    match typed(text) {
        Ok(url) => valid(&url),
        Err(error) => a_fault(&error, meant(text).len()),
    }
    let masked = mask(text);
    assert_eq!(mask(&masked), masked);
}

fn valid(url: &Url) {
    assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(url));
}

/// A fault lies inside the text.
fn a_fault(error: &ParseError, len: usize) {
    assert!(error.at + error.len <= len, "{error:?}");
    a_sentence(error);
}

/// What is said of a fault does nothing to a terminal.
fn a_sentence(error: &ParseError) {
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
}

/// All before the slash that ends a host.
fn head(url: &Url) -> String {
    let text = url.as_str();
    text.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}
