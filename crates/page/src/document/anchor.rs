//! The row that the fragment of a URL names.

use rfc1738::Encoded;

use super::body::Body;
use super::model::Document;
use super::outline::OutlineEntry;

/// The highest number of rows that are searched for a text.
const MAX_ROWS: usize = 20_000;

impl Document {
    /// The row that a fragment names: the element of a Web page with this id or name, else the heading with this text,
    /// else the first row with this text. Letter case and the signs between words do not count in a text. `None` if
    /// there is none, and while rows are filtered.
    pub fn row_of_fragment(&self, fragment: Encoded<'_>) -> Option<usize> {
        if self.filter.is_some() {
            return None;
        }
        let octets = fragment.octets();
        let name = String::from_utf8_lossy(&octets);
        if let Body::Web(web) = &self.body
            && let Some(row) = web
                .row_of_id(&name)
                .or_else(|| web.row_of_id(fragment.as_str()))
        {
            return Some(row);
        }
        let wanted = words(&name);
        if wanted.is_empty() {
            return None;
        }
        let is_wanted = |heading: &OutlineEntry| words(heading.text.as_str()) == wanted;
        let heading = self.outline().into_iter().find(is_wanted);
        let has_text = |row: &usize| {
            let row = self.row(*row);
            row.is_some_and(|row| words(row.text().as_str()).contains(&wanted))
        };
        let row = heading.map(|heading| heading.row);
        row.or_else(|| (0..self.count().min(MAX_ROWS)).find(has_text))
    }
}

/// The letters and digits of a text in lower case, with one blank between words.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
