//! Tokens in URLs: masked and removed wherever they are.

use proptest::prelude::*;

use super::super::{Dialect, mask, without_secrets};

#[test]
fn token_is_masked_and_removed_in_every_text() {
    for (text, expected) in [
        (
            "titan://h/a;size=3;token=s3cret",
            "titan://h/a;size=3;token=***",
        ),
        (
            "TITAN://h/a;TOKEN=s3cret;mime=a/b",
            "TITAN://h/a;TOKEN=***;mime=a/b",
        ),
        (
            "titan://h/a;token=s3/?cret#part",
            "titan://h/a;token=***#part",
        ),
        (
            "see titan://h/a;token=s3cret and more",
            "see titan://h/a;token=*** and more",
        ),
        (
            "<URL:titan://h/a;token=s3cret>",
            "<URL:titan://h/a;token=***>",
        ),
        (
            "titan://u:pw@h/a;token=x;token=y",
            "titan://u:***@h/a;token=***;token=***",
        ),
        (
            "http://h/?u=titan%3A%2F%2Fh%2Fa%3Btoken%3Ds3%20cret&b=c",
            "http://h/?u=titan%3A%2F%2Fh%2Fa%3Btoken%3D***&b=c",
        ),
        ("titan://h/a;token=", "titan://h/a;token="),
        ("http://h/a;token=public", "http://h/a;token=public"),
    ] {
        assert_eq!(mask(text), expected);
        if let Ok(url) = Dialect::Extended.parse(text) {
            assert_eq!(url.masked(), expected);
        }
    }
    let url = Dialect::Extended
        .parse("titan://u:pw@h/a;token=s3cret;size=3")
        .unwrap();
    assert!(url.has_secret());
    assert_eq!(url.without_password().as_str(), "titan://u@h/a;size=3");
    assert_eq!(without_secrets(url.as_str()), "titan://u@h/a;size=3");
    assert!(!format!("{url:?}").contains("s3cret"));
}

proptest! {
    #[test]
    fn no_token_of_any_url_is_shown(
        before in "(gopher://h/0|http://h/\\?|see |)",
        path in "[a-z/]{0,9}(;size=3)?",
        token in "[a-zA-Z0-9%/?:@=&]{3,12}",
        after in "(;mime=a/b|#part| and more|)",
    ) {
        let token = format!("Q{token}Q");
        let masked = mask(&format!("{before}titan://h/{path};token={token}{after}")).into_owned();
        prop_assert!(!masked.contains(&token), "{masked}");
        prop_assert_eq!(mask(&masked).into_owned(), masked);
    }
}
