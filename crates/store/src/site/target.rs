//! A URL that a check of a site requests: its status, the places of its links, and what its page tells.

use geomys_page::document::ReferenceFault;
use geomys_page::load::check::{LinkStatus, ReceivedPage};
use geomys_page::load::{GopherRequest, Purpose, Request};
use rfc1738::{Parts, Url};

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
}

impl Target {
    /// Returns the faults of the target, without a place.
    pub(super) fn faults(&self) -> Vec<SiteFault> {
        let new = |kind, words, moved| SiteFault {
            kind,
            page: None,
            row: 0,
            target: Some(self.request.url.clone()),
            reference: None,
            words,
            moved,
        };
        let status = self.status.as_ref();
        let by_status = status.and_then(|status| {
            let (kind, moved) = match status {
                LinkStatus::Alive => return None,
                LinkStatus::Moved(to) => (FaultKind::Moved, Some(to.clone())),
                LinkStatus::Dead(_) => (FaultKind::Dead, None),
                LinkStatus::Refused(_) => (FaultKind::Refused, None),
                LinkStatus::Unreachable(_) => (FaultKind::Unreachable, None),
                LinkStatus::NotChecked(_) => (FaultKind::NotChecked, None),
            };
            Some(new(kind, status.words(), moved))
        });
        let own = self.fault.as_ref();
        let own = own.map(|(kind, words)| new(*kind, words.clone(), None));
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
        };
        let is_read = is_own && report.error.is_none() && report.type_fault.is_none();
        if !is_read || page.kind(url).is_err() {
            return report;
        }
        let document = page.document(url);
        report.faults = page_faults(url, page, &document, lint);
        for row in 0..document.count() {
            let links = document.starting_links(row).into_iter();
            let links = links.filter(|link| link.form.is_none());
            report.links.extend(links.map(|link| {
                let fault = link.fault.map(|fault| *fault);
                (row + 1, link.target.map_err(drop), fault)
            }));
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
        ..request
    }
}

/// Returns true for an item that needs words or a program of its own: it is only checked.
pub(super) fn needs_answers(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    matches!(gopher.item_type(), b'2' | b'7' | b'8' | b'T') || gopher.plus.is_some()
}
