//! Going up: to the level above a page, by its server's own rules where it has told some.
//!
//! What is above a selector of Gopher only its server knows. Its caps.txt may say: it is asked for once a session and
//! server, when the first key asks what is above one of its pages, and never else. A server that does not say so within
//! a moment is read as most are: the selector is cut at its last slash.

use super::browse::Where;
use super::{App, Effect, Focus, WorkId};
use crate::load::{HostRules, Request, above};
use crate::url::{Parts, Url};

/// The way up that waits for a server's rules.
#[derive(Clone, Debug)]
pub(super) struct Climb {
    work: WorkId,
    /// The page it starts from.
    from: Url,
}

impl App {
    /// A level up, or to the root.
    pub(super) fn climb(&mut self, to_root: bool) -> Vec<Effect> {
        self.focus = Focus::Panes;
        // RFC 1738 has no nntp URL for a whole server: what is above its groups is every group, asked there.
        if let Some(request) = self.all_groups(to_root) {
            return self.open_request(request, None, Where::Here);
        }
        let Some(url) = self.page().map(|page| page.url.clone()) else {
            return Vec::new();
        };
        if to_root {
            return self.open_above(url.root());
        }
        let Some((host, caps)) = caps_of(&url) else {
            return self.open_above(url.up());
        };
        if let Some((_, rules)) = self.rules.iter().find(|(known, _)| *known == host) {
            let up = above(&url, rules.as_ref()).or_else(|| url.up());
            return self.open_above(up);
        }
        let work = self.next_work();
        self.climb = Some(Climb { work, from: url });
        self.tell("asking the server what is above this");
        let mut request = Request::show(caps);
        self.complete(&mut request);
        vec![Effect::Rules(work, host, Box::new(request))]
    }

    fn open_above(&mut self, up: Option<Url>) -> Vec<Effect> {
        match up {
            Some(url) => self.open(url, None, Where::Here),
            None => {
                self.tell("there is nothing above this");
                Vec::new()
            }
        }
    }

    /// A server has told its rules, or has not: the way up goes on, if somebody still stands where it starts.
    pub(super) fn ruled(
        &mut self,
        work: WorkId,
        host: String,
        rules: Option<HostRules>,
    ) -> Vec<Effect> {
        self.rules.retain(|(known, _)| *known != host);
        self.rules.push((host, rules));
        let Some(climb) = self.climb.take_if(|climb| climb.work == work) else {
            return Vec::new();
        };
        let is_there = self.page().is_some_and(|page| page.url == climb.from);
        let is_loading = self.pane().is_some_and(|pane| pane.incoming.is_some());
        if !is_there || is_loading || self.overlay.is_some() {
            return Vec::new();
        }
        self.notice = None;
        self.climb(false)
    }
}

/// The server of a page that needs a rule, and where its caps.txt is; nothing for a page that is not Gopher's, or has
/// nothing above it anyway.
fn caps_of(url: &Url) -> Option<(String, Url)> {
    let Parts::Gopher(gopher) = url.reading() else {
        return None;
    };
    if gopher.selector.as_str().is_empty() || gopher.item_type() == b'2' {
        return None;
    }
    // However an address spells a server, it is one server, and is asked once.
    let root = url.root()?.canonical();
    let caps = Url::accept(&format!("{root}0caps.txt")).ok()?;
    Some((root.to_string(), caps))
}

#[cfg(test)]
mod tests {
    use super::caps_of;
    use crate::url::Url;

    #[test]
    fn a_server_has_its_rules_however_it_is_spelled() {
        let of = |text: &str| caps_of(&Url::accept(text).unwrap()).unwrap();
        let (host, caps) = of("gopher://h.example/1/a");
        assert_eq!(caps.as_str(), "gopher://h.example/0caps.txt");
        for same in [
            "gopher://H.Example/1/b",
            "GOPHER://h.example:70/0c",
            "gopher://h.example:070/1d",
        ] {
            assert_eq!(of(same), (host.clone(), caps.clone()), "{same}");
        }
        for other in ["gophers://h.example/1/a", "gopher://h.example:71/1/a"] {
            assert_ne!(of(other).0, host, "{other}");
        }
    }
}
