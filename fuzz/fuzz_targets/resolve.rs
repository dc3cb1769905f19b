//! A line with a base URL, and a reference: resolving a URL returns it unchanged, and no path changes the host.

#![no_main]

use rfc1738::{Dialect, Url};

geomys_fuzz::target!(|text: &str| {
    let (base, reference) = text
        .split_once('\n')
        .unwrap_or(("http://a/b/c/d;p?q", text));
    let Ok(base) = Dialect::Extended.parse(base) else {
        return;
    };
    let resolved = base.resolve(reference);
    match &resolved {
        Ok(url) => assert_eq!(Dialect::Extended.parse(url.as_str()).as_ref(), Ok(url)),
        Err(error) => assert!(error.at + error.len <= reference.len(), "{error:?}"),
    }
    if reference.is_empty() {
        assert_eq!(resolved, Ok(base.without_fragment()), "nothing is the base");
        return;
    }
    if let Ok(url) = Dialect::ExtendedByBase.parse(reference) {
        assert_eq!(resolved, Ok(url), "a URL is itself");
        return;
    }
    let Ok(url) = resolved else { return };
    assert_eq!(url.scheme_name(), base.scheme_name());
    if reference.starts_with("//") {
        return;
    }
    assert_eq!(authority(&url), authority(&base), "{url}");
    assert_eq!(url.rfc1738_parts().login(), base.rfc1738_parts().login());
    assert_eq!(
        url.rfc1738_parts().address(),
        base.rfc1738_parts().address()
    );
    // An extension scheme may be read by its base scheme in only one of the two.
    if let (Some(here), Some(there)) = (base.base_parts().address(), url.base_parts().address()) {
        assert_eq!(here, there);
    }
});

/// Returns the text between `//` and the next slash.
fn authority(url: &Url) -> Option<&str> {
    let (_, rest) = url.before_fragment().split_once("://")?;
    rest.split('/').next()
}
