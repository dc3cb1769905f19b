//! Addresses to write to (RFC 1738, section 3.5; RFC 6068): the letter that one asks for, as a text. Nothing is sent by it.

use super::{Begin, Sink, Stop};
use crate::document::Shape;
use crate::url::Mailto;

/// Shows the letter that a `mailto:` URL asks for.
pub(super) async fn load(url: Mailto<'_>, sink: &mut Sink) -> Result<(), Stop> {
    let letter = url.letter();
    let mut text = Vec::new();
    for (name, value) in &letter.headers {
        text.extend([name.as_bytes(), b": ", value, b"\n"].concat());
    }
    for name in &letter.left_out {
        text.extend(
            [
                b"(",
                name.as_slice(),
                b" is left out: no address may set it)\n",
            ]
            .concat(),
        );
    }
    text.push(b'\n');
    text.extend_from_slice(&letter.body);
    sink.begin(Begin::new(Shape::Text)).await?;
    sink.octets(text).await
}
