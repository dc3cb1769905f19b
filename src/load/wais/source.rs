//! Sources as menus: the description of a database, and a link to it.

use crate::document::Shape;
use crate::load::{PageHead, Sink, Stop};
use crate::protocol::wais::{WaisSource, source};
use crate::text::{Charset, Text};
use crate::url::Url;

/// Shows a source; an invalid one is shown as a text.
pub(super) async fn show(text: &[u8], sink: &mut Sink) -> Result<(), Stop> {
    let found = source(text).and_then(|place| Some((url(&place)?, place)));
    let Some((url, place)) = found else {
        sink.begin(PageHead::new(Shape::Text)).await?;
        return sink.octets(text.to_vec()).await;
    };
    sink.begin(PageHead {
        title: Some(Text::new(&place.database, Charset::default())),
        ..PageHead::new(Shape::Menu)
    })
    .await?;
    sink.octets(menu(&url, &place)).await
}

fn url(place: &WaisSource) -> Option<Url> {
    let host = std::str::from_utf8(&place.host).ok()?;
    Url::wais(host, place.port, &place.database).ok()
}

fn menu(url: &Url, place: &WaisSource) -> Vec<u8> {
    let mut menu = Vec::new();
    let blank_controls = |octets: &[u8]| -> Vec<u8> {
        let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
        octets.iter().map(blank).collect()
    };
    menu.extend_from_slice(b"7Search ");
    menu.extend(blank_controls(&place.database));
    menu.extend_from_slice(b"\tURL:");
    menu.extend_from_slice(url.as_str().as_bytes());
    menu.extend_from_slice(b"\t\t0\r\n");
    let mut say = |line: &[u8]| {
        menu.push(b'i');
        menu.extend(blank_controls(line));
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
