//! A URL that a check of a site requests: its status, the places of its links, and what its page tells.

use std::sync::Arc;

use geomys_load::check::{LinkStatus, ReceivedPage};
use geomys_load::{GopherRequest, Purpose, Request, SaveRequest};
use geomys_page::document::{FragmentNames, ReferenceFault};
use rfc1738::Url;

use super::faults::{Lint, error_words, page_faults, type_fault};
use super::report::{FaultKind, SiteFault};

/// The place of a link: the number of its page, and its row.
pub(super) type Place = (usize, usize);

/// A URL of the site, or a link to elsewhere.
pub(super) struct Target {
    pub(super) request: Request,
    /// True if its page is received and its links are read.
    pub(super) is_page: bool,
    pub(super) places: Vec<Place>,
    /// The fragments of links to it.
    pub(super) fragments: Vec<(Place, String)>,
    /// What fragments may name; `None` if it was not read, or is a page of another kind.
    pub(super) names: Option<Arc<FragmentNames>>,
    /// True if its page was read, or its server said that there is none.
    pub(super) is_read: bool,
    /// True if the server answered, whatever it said.
    pub(super) is_answered: bool,
    /// The status; `None` before it was requested.
    pub(super) status: Option<LinkStatus>,
    /// The fault of the answer.
    pub(super) fault: Option<(FaultKind, String)>,
}

/// What a page that was received tells.
pub(super) struct PageReport {
    pub(super) faults: Vec<(usize, FaultKind, String)>,
    pub(super) links: Vec<(usize, Result<Url, ()>, Option<ReferenceFault>)>,
    pub(super) error: Option<String>,
    pub(super) type_fault: Option<String>,
    /// What fragments may name, if all of the page was read.
    pub(super) names: Option<FragmentNames>,
}

impl Target {
    /// Creates a target that was not requested.
    pub(super) fn new(request: Request, is_page: bool) -> Self {
        Self {
            request,
            is_page,
            places: Vec::new(),
            fragments: Vec::new(),
            names: None,
            is_read: false,
            is_answered: false,
            status: None,
            fault: None,
        }
    }

    /// Notes a link to the target.
    pub(super) fn link(&mut self, place: Place, fragment: Option<String>) {
        self.places.push(place);
        self.fragments
            .extend(fragment.map(|fragment| (place, fragment)));
    }

    /// Returns true for a page of the site that should have been read, and was not: it was left out, not reached or
    /// refused.
    pub(super) fn is_unread(&self) -> bool {
        let is_out = matches!(self.status, Some(LinkStatus::NotChecked(_)));
        self.is_page && !self.is_read && !is_out
    }

    /// Returns the places of the links whose fragment names no part of the page, each with its fault.
    pub(super) fn dead_fragments(&self) -> Vec<(Place, SiteFault)> {
        let Some(names) = &self.names else {
            return Vec::new();
        };
        let linked = self.fragments.iter().filter_map(|(place, fragment)| {
            let url = self.request.url.with_fragment(fragment);
            if names.include(url.fragment()?) {
                return None;
            }
            let words = names.missing().to_owned();
            let fault = self.new_fault(FaultKind::DeadFragment, words, None);
            let target = Some(url);
            Some((*place, SiteFault { target, ..fault }))
        });
        linked.collect()
    }

    fn new_fault(&self, kind: FaultKind, words: String, moved: Option<Url>) -> SiteFault {
        SiteFault {
            kind,
            page: None,
            row: 0,
            target: Some(self.request.url.clone()),
            reference: None,
            words,
            moved,
        }
    }

    /// Returns the faults of the target, without a place.
    pub(super) fn faults(&self) -> Vec<SiteFault> {
        let status = self.status.as_ref();
        let by_status = status.and_then(|status| {
            let (kind, moved) = match status {
                LinkStatus::Alive => return None,
                LinkStatus::Moved(to) => (FaultKind::Moved, Some(to.clone())),
                LinkStatus::Dead(_) => (FaultKind::Dead, None),
                LinkStatus::Refused(_) => (FaultKind::Refused, None),
                LinkStatus::Unreachable(_) => (FaultKind::Unreachable, None),
                LinkStatus::NotChecked(_) | LinkStatus::Local(_) => (FaultKind::NotChecked, None),
            };
            Some(self.new_fault(kind, status.words(), moved))
        });
        let own = self.fault.as_ref();
        let own = own.map(|(kind, words)| self.new_fault(*kind, words.clone(), None));
        by_status.into_iter().chain(own).collect()
    }
}

impl PageReport {
    /// Reads a page. The links and the rows of one that is not of the site are not read. Takes time for a long page.
    pub(super) fn of(page: &ReceivedPage, url: &Url, is_own: bool, lint: Lint) -> Self {
        let error = error_words(url, page);
        let mut report = Self {
            faults: Vec::new(),
            links: Vec::new(),
            type_fault: type_fault(url, page).filter(|_| error.is_none()),
            error,
            names: None,
        };
        let is_read = is_own && report.error.is_none() && report.type_fault.is_none();
        if !is_read || page.kind(url).is_err() {
            return report;
        }
        let document = page.document(url);
        report.faults = page_faults(url, page, &document, lint);
        let is_whole = page.is_whole && page.cut.is_none();
        report.names = is_whole.then(|| FragmentNames::of(&document)).flatten();
        let hidden = document.hidden_links().into_iter();
        let shown = (0..document.count()).flat_map(|row| {
            let links = document.starting_links(row).into_iter();
            links.map(move |link| (row + 1, link))
        });
        for (row, link) in hidden.map(|link| (0, link)).chain(shown) {
            if link.form.is_none() {
                let fault = link.fault.map(|fault| *fault);
                report.links.push((row, link.target.map_err(drop), fault));
            }
        }
        report
    }
}

/// Returns the request that receives the page of a URL.
pub(super) fn page_request(request: Request) -> Request {
    Request {
        purpose: Purpose::Save,
        limit: None,
        gopher: GopherRequest {
            keeps_dots: true,
            ..request.gopher
        },
        save: SaveRequest {
            decodes: true,
            ..request.save
        },
        ..request
    }
}
