//! The charset of a session, for received octets and for keys.

use std::borrow::Cow;

use geomys_wire::text::{Charset, CharsetDecoder, CharsetSetting};

/// The charset of a session: UTF-8, unless the user has set another one.
#[derive(Default)]
pub(super) struct SessionCharset(Option<(Charset, CharsetDecoder)>);

impl From<CharsetSetting> for SessionCharset {
    fn from(setting: CharsetSetting) -> Self {
        Self(match setting {
            CharsetSetting::Detected => None,
            CharsetSetting::Set(charset) => Some((charset, charset.decoder())),
        })
    }
}

impl SessionCharset {
    /// Decodes received octets to UTF-8. Without a charset they are returned unchanged.
    pub(super) fn decode<'a>(&mut self, octets: &'a [u8]) -> Cow<'a, [u8]> {
        match &mut self.0 {
            None => Cow::Borrowed(octets),
            Some((_, decoder)) => Cow::Owned(decoder.decode(octets).into_bytes()),
        }
    }

    /// Encodes the octets of keys, which are UTF-8.
    pub(super) fn encode(&self, keys: Vec<u8>) -> Vec<u8> {
        match &self.0 {
            None => keys,
            Some((charset, _)) => charset.encode(&String::from_utf8_lossy(&keys)),
        }
    }
}
