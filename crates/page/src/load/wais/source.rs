//! Sources as menus: the description of a database, and a link to it.

use geomys_wire::protocol::wais::{WaisSource, source};
use rfc1738::{Url, encoded};

use crate::document::Shape;
use crate::load::menu_rows::MenuBuilder;
use crate::load::words::text;
use crate::load::{PageHead, Sink, Stop};

/// Shows a source; an invalid one is shown as a text.
pub(super) async fn show(octets: Vec<u8>, sink: &mut Sink) -> Result<(), Stop> {
    let found = source(&octets).and_then(|place| Some((url(&place)?, place)));
    let Some((url, place)) = found else {
        sink.begin(PageHead::new(Shape::Text)).await?;
        return sink.octets(octets).await;
    };
    let title = text(&place.database);
    sink.begin(PageHead::new(Shape::Menu).with_title(title))
        .await?;
    sink.octets(menu(&url, &place)).await
}

fn url(place: &WaisSource) -> Option<Url> {
    let host = std::str::from_utf8(&place.host).ok()?;
    Url::on_server("wais", host, place.port, &encoded(&place.database)).ok()
}

fn menu(url: &Url, place: &WaisSource) -> Vec<u8> {
    let mut menu = MenuBuilder::default();
    menu.link(b'7', &[b"Search ", &*place.database].concat(), url);
    menu.say(b"");
    let description = place.description.trim_ascii_end();
    for line in description.split(|&octet| octet == b'\n') {
        menu.say(line.strip_suffix(b"\r").unwrap_or(line));
    }
    if !place.maintainer.is_empty() {
        menu.say(b"");
        menu.say(&[b"Kept by ", &*place.maintainer].concat());
    }
    menu.0
}
