//! The words of a command, and how they match those of an entry (RFC 2378, sections 2.1 and 2.3).
//!
//! ```text
//! word    = [ field "=" ] ( 1*octet / <"> *( octet / "\n" / "\t" / "\" <"> / "\\" ) <"> )
//! pattern = *( octet / "*" / "+" / "?" / "[" 1*octet "]" )
//! ```

/// A word of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text before a `=`.
    pub(super) field: Option<Vec<u8>>,
    pub(super) text: Vec<u8>,
    pub(super) is_quoted: bool,
}

/// The words of a line. Quotes join text with spaces.
pub(super) fn words(line: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let mut inside = false;
    let mut octets = line.iter().copied();
    while let Some(octet) = octets.next() {
        match octet {
            b'"' => {
                inside = !inside;
                word.is_quoted = true;
            }
            b'\\' => match octets.next() {
                Some(b'n') => word.text.push(b'\n'),
                Some(b't') => word.text.push(b'\t'),
                Some(other) => word.text.push(other),
                None => {}
            },
            b' ' | b'\t' if !inside => words.push(std::mem::take(&mut word)),
            b'=' if !inside && word.field.is_none() => {
                word.field = Some(std::mem::take(&mut word.text).to_ascii_lowercase());
            }
            _ => word.text.push(octet),
        }
    }
    words.push(word);
    words.retain(|word| word.is_quoted || word.field.is_some() || !word.text.is_empty());
    words
}

/// Returns true if the words of `pattern` occur in order in `text`, ignoring ASCII case.
pub(super) fn holds(text: &[u8], pattern: &[u8]) -> bool {
    let text: Vec<Vec<u8>> = split(text).collect();
    let pattern: Vec<Vec<u8>> = split(pattern).collect();
    if pattern.is_empty() {
        return false;
    }
    text.windows(pattern.len()).any(|words| {
        words
            .iter()
            .zip(&pattern)
            .all(|(word, one)| fits(word, one))
    })
}

/// The words of a text, separated by spaces and `,`, `;`, `:`.
fn split(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    text.split(|octet| matches!(octet, b' ' | b'\t' | b'\n' | b',' | b';' | b':'))
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_ascii_lowercase)
}

/// Returns true if a word matches a pattern. All positions in the word that the pattern may have reached are tracked,
/// so that no sequence of stars takes long.
fn fits(word: &[u8], pattern: &[u8]) -> bool {
    let mut places = vec![false; word.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    let step = |places: &[bool], is: &dyn Fn(u8) -> bool| -> Vec<bool> {
        let moved = places
            .iter()
            .zip(word)
            .map(|(&here, &octet)| here && is(octet));
        std::iter::once(false).chain(moved).collect()
    };
    let onward = |places: &mut Vec<bool>| {
        let mut reached = false;
        for place in places {
            reached |= *place;
            *place = reached;
        }
    };
    let mut rest = pattern;
    while let Some((&octet, after)) = rest.split_first() {
        rest = after;
        match octet {
            b'*' => onward(&mut places),
            b'+' => {
                places = step(&places, &|_| true);
                onward(&mut places);
            }
            b'?' => places = step(&places, &|_| true),
            b'[' => {
                let end = after.iter().position(|&octet| octet == b']');
                let (set, after) = end
                    .and_then(|end| after.split_at_checked(end))
                    .unwrap_or((after, &[]));
                rest = after.get(1..).unwrap_or_default();
                places = step(&places, &|octet| set.contains(&octet));
            }
            _ => places = step(&places, &|other| other == octet),
        }
    }
    places.last() == Some(&true)
}
