//! What makes a bookmark file as a whole hard to read: the marks of a merge that git left, and line ends of old Macs.

use super::Bookmarks;

/// The beginnings of the lines that git puts around the two sides of a conflict.
const CONFLICT: [&[u8]; 3] = [b"<<<<<<< ", b"=======", b">>>>>>> "];

impl Bookmarks {
    /// Returns a sentence about the file as a whole, without its name; `None` if nothing is wrong with it. Nothing is
    /// changed by it: both sides of a conflict stay.
    pub fn damage(&self) -> Option<String> {
        damage(self.octets())
    }
}

/// Returns a sentence about the content of a bookmark file as a whole.
pub(super) fn damage(octets: &[u8]) -> Option<String> {
    let begins = |line: &[u8], mark: &[u8]| line.starts_with(mark);
    let [ours, middle, theirs] = CONFLICT;
    let mut marks = [ours, middle, theirs].into_iter().peekable();
    let mut first = None;
    for (number, line) in (1_usize..).zip(octets.split(|&octet| octet == b'\n')) {
        if marks.next_if(|mark| begins(line, mark)).is_some() {
            first = first.or(Some(number));
        }
    }
    if let (None, Some(line)) = (marks.peek(), first) {
        return Some(format!(
            "line {line}: a conflict of git: all its sides are read; remove the marks and what is double"
        ));
    }
    let lone = memchr::memchr_iter(b'\r', octets)
        .any(|at| octets.get(at + 1).is_some_and(|next| *next != b'\n'));
    let has_lines = memchr::memchr(b'\n', octets).is_some();
    (lone && !has_lines).then(|| {
        "its lines end with CR alone, so that it is one line: convert it, as with mac2unix"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_git_are_one_mistake_and_both_sides_stay() {
        let text = b"a <URL:gopher://a/>\n<<<<<<< HEAD\nb <URL:gopher://b/>\n=======\nc <URL:gopher://c/>\n>>>>>>> x\n";
        let bookmarks = Bookmarks::parse(text);
        assert!(
            bookmarks
                .damage()
                .unwrap()
                .starts_with("line 2: a conflict")
        );
        assert_eq!(bookmarks.bookmarks().count(), 3);
        // A rule of a text is no conflict.
        for text in [
            "=======\n",
            "<<<<<<< a\n",
            "a\n=======\n>>>>>>> b\n",
            "",
            "a\r\nb\r\n",
            "a\r",
        ] {
            assert_eq!(damage(text.as_bytes()), None, "{text:?}");
        }
        assert!(damage(b"a\rb\r").is_some());
    }
}
