//! A walk into an archive: each page is written to it once its links are read, and its file is removed.

use std::io;
use std::path::Path;

use geomys_load::{Failure, FailureCause, Request, names_packed_file};
use geomys_wire::task::blocking;
use geomys_wire::text::{Text, system_message};
use rfc1738::{Protocol, Url};

use super::job::TreeFileJob;
use super::page::MAX_PAGE_BYTES;
use super::{PendingDirectory, TreeWalk};
use crate::archive::{ArchivedPage, is_public};
use crate::warc::Written;
use geomys_store::transfer::download::Error;

impl TreeWalk<'_> {
    /// Refuses a walk with a login into an archive, which is for others to read.
    pub(super) fn check_archive(&self) -> Result<(), Error> {
        let request = &self.order.request;
        let is_directory = matches!(request.url.protocol(), Protocol::Ftp(_));
        let is_walked = self.site.is_some() || is_directory && !names_packed_file(&request.url);
        let why = if self.order.archive.is_none() {
            return Ok(());
        } else if !is_public(request) {
            "pages that need a login are not written to an archive"
        } else if !is_walked {
            "it has no pages or directories to archive"
        } else {
            return Ok(());
        };
        Err(Error::stopped(Failure::new(why), None))
    }

    /// Returns the page that links to one of the walk, for the archive.
    pub(super) fn via(&self, directory: &PendingDirectory, url: &Url) -> Option<Url> {
        self.order.archive.as_ref()?;
        match &self.site {
            Some(site) => site.found.via(url).cloned(),
            None => Some(directory.url.clone()),
        }
    }

    /// Returns a page of the walk for the archive, if there is one.
    pub(super) fn archived(&self, url: &Url) -> Option<ArchivedPage> {
        let archive = self.order.archive.as_ref()?;
        Some(archive.page(self.net, url, &self.order.into))
    }

    /// Writes what went over the connections of a page. Returns true if the archive had it already.
    pub(super) async fn archive_exchanges(
        &mut self,
        page: &ArchivedPage,
        via: Option<&Url>,
    ) -> bool {
        let added = page.add_exchanges(via, MAX_PAGE_BYTES).await;
        self.archived_as(page.url(), added) == Some(Written::Same)
    }

    /// Writes the file of a job, unless its octets were those of the wire, and removes it.
    pub(super) async fn archive_file(&mut self, job: &TreeFileJob, via: Option<&Url>, path: &Path) {
        let Some(page) = &job.archived else { return };
        let added = page.add_file(via, path).await;
        self.archived_as(page.url(), added);
        let path = path.to_owned();
        // The directory is removed with all that is in it.
        let _ = blocking(move || std::fs::remove_file(path)).await;
    }

    /// Writes the listing of a directory.
    pub(super) async fn archive_listing(
        &mut self,
        page: &ArchivedPage,
        via: Option<&Url>,
        octets: Vec<u8>,
    ) {
        let added = page.add_listing(via, octets).await;
        self.archived_as(page.url(), added.map(Some));
    }

    /// Learns the rules of the host of a request. Returns true if they were not known before.
    pub(super) async fn learn_robots(&mut self, request: &Request) -> bool {
        let page = self.archived(&request.url);
        let net = page.as_ref().map_or(self.net, |page| &page.net);
        let Some(site) = &mut self.site else {
            return false;
        };
        let (_, is_new) = site.robots.of(net, request).await;
        if let Some(page) = page.filter(|_| is_new) {
            self.archive_exchanges(&page, Some(&request.url)).await;
        }
        is_new
    }

    /// Writes the archive to the disk.
    pub(super) async fn sync_archive(&mut self) {
        let Some(archive) = self.order.archive.clone() else {
            return;
        };
        if let Err(error) = archive.sync().await {
            let name = Text::of(&archive.path().display().to_string());
            self.fail(name, system_message(&error));
        }
    }

    /// Notes what is not in the archive.
    fn archived_as(&mut self, url: &Url, added: io::Result<Option<Written>>) -> Option<Written> {
        let shown = Text::of(&url.masked());
        match added {
            Ok(Some(Written::LeftOut(why))) => {
                self.note(format!("{shown} is not in the archive: {why}"));
                Some(Written::LeftOut(why))
            }
            Ok(written) => written,
            Err(source) if FailureCause::of_io(&source) == FailureCause::Local => {
                let path = self
                    .order
                    .archive
                    .as_ref()
                    .map(|archive| archive.path().to_owned());
                let path = path.unwrap_or_default();
                self.stop(&shown, &Error::Create { path, source });
                None
            }
            Err(error) => {
                let why = format!("not written to the archive: {}", system_message(&error));
                self.fail(shown, why);
                None
            }
        }
    }
}
