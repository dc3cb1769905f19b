//! `mailto:` URLs (RFC 1738, section 3.5; RFC 6068): the mail of the URL as a text. Nothing is sent.

use rfc1738::Mailto;

use super::{PageHead, Sink, Stop};
use crate::document::Shape;

/// Shows the mail of a `mailto:` URL.
pub(super) async fn load(url: Mailto<'_>, sink: &mut Sink) -> Result<(), Stop> {
    let letter = url.letter();
    let mut text = Vec::new();
    for (name, value) in &letter.headers {
        text.extend([name.as_bytes(), b": ", value, b"\n"].concat());
    }
    for name in &letter.left_out {
        text.extend([b"(", &**name, b" is left out: no address may set it)\n"].concat());
    }
    text.push(b'\n');
    text.extend_from_slice(&letter.body);
    sink.begin(PageHead::new(Shape::Text)).await?;
    sink.octets(text).await
}
