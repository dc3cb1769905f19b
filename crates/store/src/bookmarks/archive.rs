//! Archives of the pages of others: the URL at which an archive has a page that its server does not have any more.
//!
//! ```text
//! template    = *( text / placeholder )
//! placeholder = "{url}"            ; the URL of the page as it is written, without its fragment
//!             / "{url-encoded}"    ; the same with "%" for all that has a meaning in a URL
//!             / "{date}"           ; year to second in UTC: 20261102193000, as the Wayback Machine takes it
//!             / "{ticks}"          ; 100 ns since the year 1 in UTC, as Delorean of Kennedy takes it
//! ```
//!
//! A template without a placeholder is the text before the URL of the page. An archive answers with the copy nearest to
//! the date.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rfc1738::{Dialect, Protocol, Url, encoded};

/// The seconds between the year 1 and 1970, and the ticks of a second.
const YEAR_1: i64 = 62_135_596_800;
const TICKS: i64 = 10_000_000;

/// The URL of a page at an archive, with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveTemplate(String);

impl ArchiveTemplate {
    /// Parses a template; `None` if it makes no URL of another page.
    pub fn parse(written: &str) -> Option<Self> {
        let template = if written.contains('{') {
            written.to_owned()
        } else {
            format!("{written}{{url}}")
        };
        let template = Self(template);
        let example = Dialect::Extended.parse("http://h.example/a").ok()?;
        let has_page = template.0.contains("{url}") || template.0.contains("{url-encoded}");
        let filled = template.fill(&example, Timestamp::UNIX_EPOCH)?;
        (has_page && filled != example).then_some(template)
    }

    /// Returns the URL of a page at a date.
    fn fill(&self, page: &Url, date: Timestamp) -> Option<Url> {
        let page = page.without_password().without_fragment();
        let utc = date.to_zoned(TimeZone::UTC);
        let ticks = date.as_second().checked_add(YEAR_1)?.checked_mul(TICKS)?;
        // The page comes last: it may have the text of a placeholder.
        let filled = self.0.replace("{ticks}", &ticks.to_string());
        let filled = filled.replace("{date}", &utc.strftime("%Y%m%d%H%M%S").to_string());
        let mut url = String::new();
        let mut rest = filled.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            url.push_str(before);
            let (name, behind) = behind.split_once('}')?;
            match name {
                "url" => url.push_str(page.as_str()),
                "url-encoded" => url.push_str(&encoded(page.as_str().as_bytes())),
                _ => return None,
            }
            rest = behind;
        }
        url.push_str(rest);
        Dialect::Extended.parse(&url).ok()
    }
}

/// The archives that are offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archives {
    /// That of the Web and of FTP.
    pub web: Option<ArchiveTemplate>,
    /// Those of schemes, by name; they come before that of the Web.
    pub schemes: BTreeMap<String, ArchiveTemplate>,
}

impl Archives {
    /// Returns the URL of a page at its archive, nearest to a date. There is none for a page without a host, with a
    /// login or with a secret in its URL.
    pub fn url(&self, page: &Url, date: Timestamp) -> Option<Url> {
        let parts = page.base_parts();
        let is_public = parts.login().is_none_or(|login| login.user.is_none());
        if parts.address().is_none() || page.has_secret() || !is_public {
            return None;
        }
        let is_of_web = page.is_web() || matches!(page.protocol(), Protocol::Ftp(_));
        let web = self.web.as_ref().filter(|_| is_of_web);
        self.schemes
            .get(page.scheme_name())
            .or(web)?
            .fill(page, date)
    }

    /// Returns the reason why no archive is offered for a page, where the settings are not the reason.
    pub fn reason(&self, page: &Url) -> Option<&'static str> {
        let is_gopher = matches!(page.protocol(), Protocol::Gopher(_));
        let is_set = self.schemes.contains_key(page.scheme_name());
        (is_gopher && !is_set).then_some("No archive of Gopher answers by URL")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Dialect::Extended.parse(text).unwrap()
    }

    fn archived(web: &str, gemini: &str, page: &str) -> Option<String> {
        let template = |written: &str| ArchiveTemplate::parse(written);
        let schemes = template(gemini).map(|template| ("gemini".to_owned(), template));
        let archives = Archives {
            web: template(web),
            schemes: schemes.into_iter().collect(),
        };
        let date = "2026-11-02T19:30:00+01:00".parse().unwrap();
        archives.url(&url(page), date).map(|url| url.to_string())
    }

    #[test]
    fn placeholders_are_filled_for_the_scheme_of_the_page() {
        let wayback = "https://web.archive.org/web/{date}/{url}";
        let delorean = "gemini://k.example/cached?url={url-encoded}&t={ticks}&raw=False";
        let found = |page| archived(wayback, delorean, page);
        assert_eq!(
            found("http://h.example/a?b=%7Bdate%7D#part").as_deref(),
            Some("https://web.archive.org/web/20261102183000/http://h.example/a?b=%7Bdate%7D")
        );
        assert_eq!(
            found("gemini://h.example/a%20b").as_deref(),
            Some(
                "gemini://k.example/cached?url=gemini%3A%2F%2Fh.example%2Fa%2520b&t=639292410000000000&raw=False"
            )
        );
        for page in [
            "gopher://h.example/1/",
            "finger://h.example/ada",
            "mailto:a@h.example",
            "ftp://ada@h.example/",
        ] {
            assert_eq!(found(page), None, "{page}");
        }
        assert_eq!(archived(wayback, "", "gemini://h.example/"), None);
    }

    #[test]
    fn template_without_a_placeholder_is_a_prefix() {
        let found = archived("https://web.archive.org/web/", "", "ftp://h.example/a");
        assert_eq!(
            found.as_deref(),
            Some("https://web.archive.org/web/ftp://h.example/a")
        );
        for wrong in [
            "",
            "{url}",
            "the archive",
            "https://h.example/{uri}",
            "https://h.example/{date}",
            "https://h.example/{url",
        ] {
            assert_eq!(ArchiveTemplate::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn gopher_says_why_nothing_is_offered() {
        let mut archives = Archives::default();
        let page = url("gopher://h.example/0/a");
        assert!(archives.reason(&page).unwrap().contains("Gopher"));
        assert_eq!(archives.reason(&url("http://h.example/")), None);
        let own = ArchiveTemplate::parse("http://own.example/?{url-encoded}").unwrap();
        archives.schemes.insert("gopher".to_owned(), own);
        assert_eq!(archives.reason(&page), None);
        assert!(archives.url(&page, Timestamp::UNIX_EPOCH).is_some());
    }
}
