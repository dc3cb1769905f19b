//! Names on a server by what is shown of them: a person types `größe.txt`, and the server has its octets in an older
//! charset.

use super::{Charset, CharsetSample, CharsetSetting, Text, is_utf8};

/// What is known of the charset in which the names of a directory are shown.
#[derive(Clone, Debug, Default)]
pub struct NameCharset {
    /// The charset that the user chose.
    pub setting: CharsetSetting,
    /// The charset of the page that leads to the directory.
    pub prior: Option<Charset>,
    /// The last label of the host name, for example `ru`.
    pub label: Option<String>,
}

impl NameCharset {
    /// Returns true if a name may be what is shown of another one: it is UTF-8, and not ASCII.
    pub fn may_be_shown(name: &[u8]) -> bool {
        !name.is_ascii() && is_utf8(name)
    }

    /// Returns the name that is shown as `shown`: the chosen charset counts, else the expected one, the one that these
    /// names suggest, and the default. Names in UTF-8 are shown as they are, and are not looked at.
    pub fn find<'a>(
        &self,
        names: impl IntoIterator<Item = &'a [u8]>,
        shown: &[u8],
    ) -> Option<&'a [u8]> {
        if !Self::may_be_shown(shown) {
            return None;
        }
        let names: Vec<&[u8]> = names.into_iter().filter(|name| !is_utf8(name)).collect();
        let shown = Text::new(shown, Charset::default());
        let found = |charset: Charset| {
            let mut names = names.iter().copied();
            names.find(|name| Text::new(name, charset) == shown)
        };
        if let CharsetSetting::Set(charset) = self.setting {
            return found(charset);
        }
        let mut sample = CharsetSample::default();
        for name in &names {
            sample.add(name);
        }
        let detected = sample.charset(self.label.as_deref());
        let charsets = self.prior.into_iter().chain([detected, Charset::default()]);
        charsets.into_iter().find_map(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: [&str; 5] = ["windows-1252", "koi8-r", "cp437", "shift_jis", "gbk"];

    #[test]
    fn name_is_found_in_the_charset_that_the_directory_suggests() {
        let koi = Charset::named("koi8-r").unwrap();
        let names: Vec<Vec<u8>> = ["Архив программ", "Музыка", "readme"]
            .map(|name| koi.encode(name))
            .to_vec();
        let names = || names.iter().map(Vec::as_slice);
        let find = |shown: &str| NameCharset::default().find(names(), shown.as_bytes());
        assert_eq!(find("Музыка"), Some(koi.encode("Музыка").as_slice()));
        assert_eq!(find("Музык"), None);
        assert_eq!(find("readme"), None, "ASCII is sent as it is");
    }

    proptest! {
        #[test]
        fn shown_name_leads_to_its_octets(charset in 0..OLD.len(), octets in "[a-zéüöß. ]{0,8}[éüöß]{1,4}") {
            let charset = Charset::named(OLD[charset]).unwrap();
            let name = charset.encode(&octets);
            prop_assume!(!is_utf8(&name));
            let set = NameCharset { setting: charset.into(), ..NameCharset::default() };
            let shown = Text::new(&name, charset);
            let found = set.find([name.as_slice(), b"other"], shown.as_str().as_bytes());
            prop_assert_eq!(found, NameCharset::may_be_shown(shown.as_str().as_bytes()).then_some(name.as_slice()));
        }
    }
}
