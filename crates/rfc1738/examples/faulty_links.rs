//! Lists the faulty URLs of a mail or another text on standard input, each with its line, the place of the fault and
//! the URL that it is repaired to.
//!
//! ```text
//! $ cargo run --example faulty_links < mail.txt
//! line 3: gopher://tilde.example/1/~ada
//!                                  ^ "~" must be encoded as %7E (RFC 1738, section 2.2: selector)
//!         repaired: gopher://tilde.example/1/%7Eada
//! ```

#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::io::{self, Read};

use rfc1738::{LinkPieces, ParseError, Url, UrlMatch, links_in_text, repair};

fn main() -> io::Result<()> {
    let mut mail = io::stdin().lock();
    let mut pieces = LinkPieces::default();
    let mut part = [0; 4096];
    let mut line = 1;
    loop {
        let read = mail.read(&mut part)?;
        pieces.push(part.get(..read).unwrap_or_default());
        let is_end = read == 0;
        let piece = if is_end {
            std::mem::take(&mut pieces).into_rest()
        } else {
            pieces.next_piece()
        };
        for found in links_in_text(&piece) {
            if let Err(fault) = verdict(&found) {
                let before = piece.get(..found.range.start).unwrap_or_default();
                print(line + lines(before), &found, &fault);
            }
        }
        if is_end {
            return Ok(());
        }
        line += lines(&piece);
    }
}

/// The verdict of RFC 1738, which knows no fragments and no other later forms.
fn verdict(found: &UrlMatch<'_>) -> Result<(), ParseError> {
    Url::parse(&found.url_text).map(|_| ())
}

fn lines(text: &[u8]) -> usize {
    text.split(|octet| *octet == b'\n').count() - 1
}

fn print(line: usize, found: &UrlMatch<'_>, fault: &ParseError) {
    let label = format!("line {line}: ");
    let indent = " ".repeat(label.len());
    println!("{label}{}", rfc1738::mask(&found.url_text));
    println!("{indent}{}", fault.masked(&found.url_text).caret());
    if let Some(url) = repair(&found.url_text) {
        println!("{indent}repaired: {}", url.masked());
    }
}
