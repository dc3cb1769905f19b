//! The command to go up: to the level above a page, by the rules of its server.
//!
//! Only a Gopher server knows what is above a selector. Its caps.txt may contain the rule. The file is requested once
//! per session and server, when the user first goes up from one of its pages, and never otherwise. For a server that
//! does not answer in a short time the usual rule applies: the selector is cut at its last slash.

use geomys_load::{HostRules, Reason, Request, level_above, parent_page};
use rfc1738::{Dialect, Parts, Url};

use crate::requester::NextStep;
use crate::requester::OpenPage;
use crate::tabs::message::RulesUse;
use crate::{Context, Credentials, Dialogs, Focus, Page, Tabs, TabsEffect};

impl Tabs {
    /// Opens the level above the page, or the server's root.
    pub(crate) fn go_up(&self, to_root: bool, credentials: &Credentials, cx: &mut Context) {
        cx.focus = Focus::Panes;
        // RFC 1738 has no nntp URL for a whole server. The level above a group is the list of all groups of its server.
        let url = self.page().and_then(|page| all_groups(&page.url, to_root));
        if let Some(url) = url {
            return cx.open(self.request_from_page(url));
        }
        let Some(url) = self.page().map(|page| page.url.clone()) else {
            return;
        };
        if to_root {
            return self.open_above(url.root(), url, cx);
        }
        if self.page().is_some_and(Page::is_in_archive) {
            return self.open_above(level_above(&url), url, cx);
        }
        let Some((host, caps)) = caps_of(&url) else {
            return self.open_above(url.up(), url, cx);
        };
        if let Some(rules) = self.rules.0.get(&host) {
            let up = parent_page(&url, rules.as_ref()).or_else(|| url.up());
            return self.open_above(up, url, cx);
        }
        cx.notify("Requesting the parent directory");
        let reason = self
            .page()
            .map_or(Reason::Typed, |page| page.request.reason());
        let mut request = Request::show(caps, reason);
        credentials.apply_defaults(&mut request, &cx.settings);
        cx.emit(TabsEffect::Rules(
            url,
            host,
            Box::new(request),
            RulesUse::GoUp,
        ));
    }

    /// Handles the rules of a server, or their absence. The command continues if its page is still shown.
    pub(crate) fn server_rules_loaded(
        &mut self,
        from: &Url,
        (host, rules): (String, Option<HostRules>),
        usage: RulesUse,
        dialogs: &Dialogs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        self.rules.0.insert(host, rules);
        let is_there = self.page().is_some_and(|page| page.url == *from);
        if is_there && self.incoming().is_none() && dialogs.overlay.is_none() {
            cx.notice = None;
            match usage {
                RulesUse::GoUp => self.go_up(false, credentials, cx),
                RulesUse::Open(request, title, open_in) => {
                    let url = self.rules.at_tls_port(request.url.clone(), from);
                    let page = OpenPage::from(Request { url, ..*request });
                    cx.open(page.titled(title).open_in(open_in));
                }
            }
        }
    }

    /// Opens the level above the page `left`, with the cursor on the link to that page.
    fn open_above(&self, up: Option<Url>, left: Url, cx: &mut Context) {
        match up {
            Some(url) => {
                let request = self.request_from_page(url);
                cx.open(OpenPage::from(request).then(NextStep::SelectLink(left)));
            }
            None => cx.notify("No level above"),
        }
    }
}

/// Returns the URL of all groups of the server of a group or an article.
fn all_groups(url: &Url, to_root: bool) -> Option<Url> {
    match url.base_parts() {
        Parts::Nntp(nntp) if to_root || nntp.number.is_none() => Url::parse("news:*").ok(),
        _ => None,
    }
}

/// Returns the server of a page and the URL of its caps.txt; `None` for a page that is not a Gopher page or has nothing
/// above it.
fn caps_of(url: &Url) -> Option<(String, Url)> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    if gopher.selector.as_str().is_empty() || gopher.item_type() == b'2' {
        return None;
    }
    caps_of_server(url)
}

/// Returns the name of a Gopher page's server and the URL of its caps.txt.
pub(crate) fn caps_of_server(url: &Url) -> Option<(String, Url)> {
    // The canonical spelling, so that each server is queried once.
    let root = url.root()?.canonical();
    let caps = Dialect::Extended.parse(&format!("{root}0caps.txt")).ok()?;
    Some((root.to_string(), caps))
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::caps_of;

    #[test]
    fn a_server_has_its_rules_however_it_is_spelled() {
        let of = |text: &str| caps_of(&Dialect::Extended.parse(text).unwrap()).unwrap();
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
