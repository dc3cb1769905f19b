//! The attributes of the items of a menu (Gopher+, section 2.7).

use std::sync::Arc;

use geomys_page::document::menu;
use geomys_wire::net::Security;
use geomys_wire::protocol::gopher::attributes::items;
use rfc1738::{Parts, Url};

/// The attributes of all items of a menu, as the server sent them.
#[derive(Clone, Debug)]
pub struct GopherAttributes {
    pub(super) octets: Arc<[u8]>,
    /// The security of the connection.
    pub security: Security,
}

impl GopherAttributes {
    /// Returns the attributes of the item of `url`: the same octets as the reply to a request for this item alone.
    pub fn item(&self, url: &Url) -> Option<&[u8]> {
        let item = items(&self.octets).find(|item| {
            let target = item
                .info()
                .and_then(|item| menu::target_on_page(&item, item.gtype, url).ok());
            target.is_some_and(|target| is_same(&target, url))
        })?;
        // A server that sends only the rows here may send more for each single item.
        item.blocks().nth(1)?;
        Some(item.octets())
    }
}

/// Returns true if two URLs are of the same item. The type is not part of a request, so it is ignored.
fn is_same(one: &Url, other: &Url) -> bool {
    match (one.base_parts(), other.base_parts()) {
        (Parts::Gopher(one), Parts::Gopher(other)) => {
            one.is_same_server(&other) && one.selector.octets() == other.selector.octets()
        }
        _ => false,
    }
}
