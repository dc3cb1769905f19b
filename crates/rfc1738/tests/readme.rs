//! The statements of the README about this crate beside `url` and `fluent-uri`: each row of its table, and its
//! sentences.

use rfc1738::{Dialect, Url};

const README: &str = include_str!("../README.md");

/// The verdict of each crate on a text, as the table spells it: this crate, `url`, `fluent-uri`.
fn verdicts(text: &str) -> [String; 3] {
    let word = |verdict: Result<(), usize>| match verdict {
        Ok(()) => "yes".to_owned(),
        Err(at) => format!("no, at {at}"),
    };
    let web = match url::Url::parse(text) {
        Ok(url) if url.as_str() == text => "yes".to_owned(),
        Ok(url) => format!("yes, as `{url}`"),
        Err(_) => "no".to_owned(),
    };
    let generic = fluent_uri::Uri::parse(text);
    [
        word(Url::parse(text).map(drop).map_err(|error| error.at)),
        web,
        if generic.is_ok() { "yes" } else { "no" }.to_owned(),
    ]
}

#[test]
fn table_of_the_readme_has_the_verdicts_of_the_crates() {
    let mut wrong = Vec::new();
    let (_, table) = README.split_once("| text |").unwrap();
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let text = cells[0].trim_matches('`');
        let verdicts = verdicts(text);
        if cells[1..] != verdicts {
            wrong.push(format!("| `{text}` | {} |", verdicts.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "the rows are\n{}", wrong.join("\n"));
}

#[test]
fn departures_of_the_readme_are_all_there_are() {
    for departure in rfc1738::Departure::ALL {
        let row = format!("`{}`", departure.code());
        assert!(README.contains(&row), "{row}");
    }
    assert!(Dialect::Extended.parse("http://[::1]/").is_ok());
}
