//! Where cookies go, how long they stay, and how many there are.

use proptest::prelude::*;
use rfc1738::Dialect;

use super::*;

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

/// Sets cookies as the answer of `from`, and returns the field for a request of `to`.
fn sent(from: &str, fields: &[&str], to: &str) -> String {
    let jar = CookieJar::default();
    let place = Place::of(&url(from)).unwrap();
    for field in fields {
        let now = SystemTime::now();
        if let Some(cookie) = Cookie::parse(field.as_bytes(), &place, now) {
            jar.set(cookie, &place, now);
        }
    }
    jar.field_for(&url(to)).unwrap_or_default()
}

/// Checks whether a cookie that one URL sets is sent to another.
fn check(cases: &[(&str, &str, &str, bool)]) {
    for (from, field, to, is_sent) in cases {
        let expected = if *is_sent { "a=1" } else { "" };
        assert_eq!(sent(from, &[field], to), expected, "{from} {field} {to}");
    }
}

#[test]
fn cookie_goes_to_its_host_and_with_a_domain_to_its_twin() {
    check(&[
        ("http://x.org/", "a=1", "http://x.org/", true),
        ("http://x.org/", "a=1", "http://X.org:8080/b?c", true),
        ("http://x.org/", "a=1", "http://www.x.org/", false),
        (
            "http://x.org/",
            "a=1; Domain=x.org",
            "http://www.x.org/",
            true,
        ),
        (
            "http://www.x.org/",
            "a=1; domain=.X.ORG",
            "http://x.org/",
            true,
        ),
        (
            "http://www.x.org/",
            "a=1; Domain=www.x.org",
            "http://x.org/",
            true,
        ),
        (
            "http://x.org/",
            "a=1; Domain=x.org",
            "http://a.x.org/",
            false,
        ),
        (
            "http://a.x.org/",
            "a=1; Domain=x.org",
            "http://a.x.org/",
            true,
        ),
        (
            "http://a.x.org/",
            "a=1; Domain=x.org",
            "http://x.org/",
            false,
        ),
        (
            "http://a.x.org/",
            "a=1; Domain=x.org",
            "http://b.x.org/",
            false,
        ),
        ("http://x.org/", "a=1; Domain=y.org", "http://x.org/", false),
        (
            "http://x.org/",
            "a=1; Domain=a.x.org",
            "http://x.org/",
            false,
        ),
        (
            "http://ax.org/",
            "a=1; Domain=x.org",
            "http://ax.org/",
            false,
        ),
        ("http://www.com/", "a=1; Domain=com", "http://com/", false),
        (
            "http://10.0.0.1/",
            "a=1; Domain=10.0.0.1",
            "http://10.0.0.1/",
            true,
        ),
        ("http://x.org/", "a=1; Secure", "http://x.org/", false),
        ("https://x.org/", "a=1; Secure", "https://x.org/", true),
        ("https://x.org/", "a=1; Secure", "http://x.org/", false),
        ("https://x.org/", "a=1; HttpOnly", "http://x.org/", true),
        ("http://x.org/b/c", "a=1", "http://x.org/b/d", true),
        ("http://x.org/b/c", "a=1", "http://x.org/b", true),
        ("http://x.org/b/c", "a=1", "http://x.org/bc", false),
        ("http://x.org/b/c", "a=1; Path=/", "http://x.org/", true),
        ("http://x.org/b/c", "a=1; Path=b", "http://x.org/", false),
    ]);
}

#[test]
fn cookie_ends_by_its_age_else_by_its_date() {
    check(&[
        ("http://x.org/", "a=1; Max-Age=0", "http://x.org/", false),
        ("http://x.org/", "a=1; Max-Age=-5", "http://x.org/", false),
        (
            "http://x.org/",
            "a=1; Max-Age=99999999999999999999999",
            "http://x.org/",
            true,
        ),
        ("http://x.org/", "a=1; Max-Age=soon", "http://x.org/", true),
        (
            "http://x.org/",
            "a=1; Expires=Thu, 01-Jan-70 00:00:01 GMT",
            "http://x.org/",
            false,
        ),
        (
            "http://x.org/",
            "a=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=60",
            "http://x.org/",
            true,
        ),
        (
            "http://x.org/",
            "a=1; Expires=Fri, 31 Dec 9990 23:59:59 GMT",
            "http://x.org/",
            true,
        ),
        ("http://x.org/", "a=1; Expires=never", "http://x.org/", true),
        ("http://x.org/", "a", "http://x.org/", false),
        ("http://x.org/", "=1", "http://x.org/", false),
        ("http://x.org/", "a=1\u{1}", "http://x.org/", false),
    ]);
}

#[test]
fn cookie_is_replaced_removed_and_sorted_by_its_path() {
    let here = "http://x.org/b/c";
    assert_eq!(sent(here, &["a=1", "a=2"], here), "a=2");
    assert_eq!(sent(here, &["a=1", "a=; Max-Age=0"], here), "");
    assert_eq!(sent(here, &["a=1; Path=/", "a=2"], here), "a=2; a=1");
    assert_eq!(
        sent(here, &["a=x=y; Path=/", "b=\"q\"; Path=/"], here),
        "a=x=y; b=\"q\""
    );
    // Without TLS nothing takes the place of a cookie that is for TLS alone.
    let jar = CookieJar::default();
    let now = SystemTime::now();
    for (from, field) in [("https://x.org/", "a=1; Secure"), ("http://x.org/", "a=2")] {
        let place = Place::of(&url(from)).unwrap();
        let cookie = Cookie::parse(field.as_bytes(), &place, now).unwrap();
        jar.set(cookie, &place, now);
    }
    assert_eq!(
        jar.field_for(&url("https://x.org/")).as_deref(),
        Some("a=1")
    );
}

#[test]
fn number_and_size_of_cookies_are_limited() {
    let of_host: Vec<String> = (0..60).map(|number| format!("n{number}=1")).collect();
    let of_host: Vec<&str> = of_host.iter().map(String::as_str).collect();
    let field = sent("http://x.org/", &of_host, "http://x.org/");
    assert_eq!(field.split("; ").count(), MAX_COOKIES_OF_HOST);
    assert!(!field.contains("n9=") && field.contains("n59="), "{field}");
    let long = format!("a={}", "x".repeat(MAX_COOKIE_BYTES));
    assert_eq!(sent("http://x.org/", &[&long], "http://x.org/"), "");
    let jar = CookieJar::default();
    let now = SystemTime::now();
    for host in 0..1200 {
        let place = Place::of(&url(&format!("http://h{host}.org/"))).unwrap();
        let cookie = Cookie::parse(b"a=1", &place, now).unwrap();
        jar.set(cookie, &place, now);
    }
    assert_eq!(format!("{jar:?}"), "1000 cookies");
}

proptest! {
    #[test]
    fn no_field_panics_or_leaves_its_site(field in "\\PC{0,80}", host in "(www\\.)?[a-c]\\.(org|x\\.org)") {
        let field = format!("a=1;{field}");
        let from = format!("http://{host}/");
        prop_assert_eq!(sent(&from, &[&field], "http://other.org/"), "");
        let jar_field = sent(&from, &[&field], &format!("http://sub.{host}/"));
        prop_assert_eq!(jar_field, "");
    }

    #[test]
    fn any_date_is_one_or_none(written in "\\PC{0,40}") {
        let _ = date(&written);
    }
}
