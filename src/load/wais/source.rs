//! A source as a menu: what it says of a database, and the way there.

use crate::document::Shape;
use crate::load::{Begin, Sink, Stop};
use crate::protocol::wais::{Place, source};
use crate::text::{Charset, Text};
use crate::url::Url;

/// Shows a source; what is none is shown as the text it is.
pub(super) async fn show(text: &[u8], sink: &mut Sink) -> Result<(), Stop> {
    let found = source(text).and_then(|place| Some((url(&place)?, place)));
    let Some((url, place)) = found else {
        sink.begin(Begin::new(Shape::Text)).await?;
        return sink.octets(text.to_vec()).await;
    };
    sink.begin(Begin {
        title: Some(Text::new(&place.database, Charset::default())),
        ..Begin::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu(&url, &place)).await
}

fn url(place: &Place) -> Option<Url> {
    let host = std::str::from_utf8(&place.host).ok()?;
    Url::wais(host, place.port, &place.database).ok()
}

fn menu(url: &Url, place: &Place) -> Vec<u8> {
    let mut menu = Vec::new();
    let fit = |octets: &[u8]| -> Vec<u8> {
        let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
        octets.iter().map(blank).collect()
    };
    menu.extend_from_slice(b"7Search ");
    menu.extend(fit(&place.database));
    menu.extend_from_slice(b"\tURL:");
    menu.extend_from_slice(url.as_str().as_bytes());
    menu.extend_from_slice(b"\t\t0\r\n");
    let mut say = |line: &[u8]| {
        menu.push(b'i');
        menu.extend(fit(line));
        menu.extend_from_slice(b"\t\t\t0\r\n");
    };
    say(b"");
    for line in place
        .description
        .trim_ascii_end()
        .split(|&octet| octet == b'\n')
    {
        say(line.strip_suffix(b"\r").unwrap_or(line));
    }
    if !place.maintainer.is_empty() {
        say(b"");
        say(&[b"Kept by ".as_slice(), &place.maintainer].concat());
    }
    menu
}
