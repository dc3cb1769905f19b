//! Octets as a URL: a parsed URL obeys the invariants, an error has a valid position.

#![no_main]

use rfc1738::{Dialect, Guesses, ParseError, Url, expand_typed, mask, parse_typed, repair};

geomys_fuzz::target!(|octets: &[u8]| {
    match Dialect::Rfc1738.parse(octets) {
        Ok(url) => {
            assert_eq!(url.as_str().as_bytes(), octets, "prints back as written");
            a_url(&url);
        }
        Err(error) => a_fault(&error, octets.len()),
    }
    match Dialect::Extended.parse(octets) {
        Ok(url) => {
            assert_eq!(url.as_str().as_bytes(), octets, "prints back as written");
            an_accepted(&url);
        }
        Err(error) => a_fault(&error, octets.len()),
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
    assert!(url.is_same_resource(&canonical));

    let masked = Url::parse(&url.masked()).expect("a mask leaves a URL");
    assert_eq!(masked.masked(), masked.as_str(), "masked once is masked");
    // The mask of a login without a scheme may cover another one: `u:p://v:@h`.
    assert!(masked.has_password() == url.has_password() || masked.has_secret());
    let without = url.without_password();
    valid(&without);
    assert!(!without.has_password());
    if let Some(password) = url.rfc1738_parts().login().and_then(|login| login.password) {
        let secret = format!(":{}@", password.as_str());
        assert!(url.has_password());
        assert!(secret == ":***@" || !head(&masked).contains(&secret));
    }

    let mut here = url.clone();
    let mut steps = 0;
    while let Some(above) = here.up() {
        accepted(&above);
        assert_eq!(
            above.rfc1738_parts().login(),
            url.rfc1738_parts().login(),
            "up stays"
        );
        assert_eq!(
            above.rfc1738_parts().address(),
            url.rfc1738_parts().address()
        );
        here = above;
        steps += 1;
        assert!(steps <= url.as_str().len() + 1, "up ends at {here}");
    }
    if let Some(root) = url.root() {
        accepted(&root);
        assert_eq!(root.root().as_ref(), Some(&root));
        assert_eq!(
            root.rfc1738_parts().login(),
            url.rfc1738_parts().login(),
            "the root is near"
        );
    }
    let _ = (url.base_parts(), url.explanation(), url.hazards());
    assert!(!format!("{url:?}{:?}", url.rfc1738_parts()).is_empty());
}

fn an_accepted(url: &Url) {
    accepted(url);
    let strict = url.verdict().is_ok();
    assert!(strict || !url.departures().is_empty(), "{url}");
    let canonical = url.canonical();
    accepted(&canonical);
    assert_eq!(canonical.canonical(), canonical, "canonical is its own");
    assert!(canonical.verdict().is_ok() || !strict, "{url} {canonical}");
    accepted(&url.without_password());
    for above in url.up().iter().chain(&url.root()) {
        accepted(above);
    }
}

fn a_text(text: &str) {
    if let Err(error) = Url::parse(text) {
        a_fault(&error, text.len());
    }
    if let Some(url) = repair(text) {
        valid(&url);
        assert_eq!(repair(url.as_str()), Some(url), "repaired is repaired");
    }
    let guesses = Guesses {
        is_group: Some(&|name: &str| name.starts_with("comp.")),
        directory: Some("/home/ada"),
        home: Some("/home/ada"),
    };
    match parse_typed(text, guesses) {
        Ok(url) => accepted(&url),
        Err(error) => a_fault(&error, expand_typed(text, guesses).len()),
    }
    let masked = mask(text);
    assert_eq!(mask(&masked), masked);
}

fn valid(url: &Url) {
    assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(url));
}

fn accepted(url: &Url) {
    assert_eq!(Dialect::Extended.parse(url.as_str()).as_ref(), Ok(url));
}

/// Checks that a fault is inside the text, and that its message contains no control characters.
fn a_fault(error: &ParseError, len: usize) {
    assert!(error.at + error.len <= len, "{error:?}");
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
}

/// Returns the text up to the slash after the host.
fn head(url: &Url) -> String {
    let text = url.as_str();
    text.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}
