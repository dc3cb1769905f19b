//! What a request tells of a stored file or page: where the transfer resumes, and which copy is there.

use geomys_wire::net::page_url;
use rfc1738::Url;

use crate::{KnownCopy, Purpose, Question, Request, Stop, Version};

impl Request {
    /// Returns the copy of the page with this URL, if a file is not resumed and nothing is sent.
    pub(crate) fn copy_of(&self, here: &Url) -> Option<&KnownCopy> {
        let copy = self.save.copy.as_deref()?;
        let asks_only = self.save.resume.is_none() && !self.sends_answers();
        let is_same = || page_url(here) == page_url(&copy.url);
        (asks_only && is_same()).then_some(copy)
    }

    /// Returns an error if the transfer resumes and the file has changed.
    ///
    /// # Errors
    /// [`Question::Changed`].
    pub(crate) fn check_version(&self, version: &Version) -> Result<(), Stop> {
        match &self.save.resume {
            Some(resume) if !resume.version.may_be(version) => {
                Err(Stop::Needs(Question::Changed {
                    was: resume.version.clone(),
                    is: version.clone(),
                }))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the offset at which the file of this version resumes: 0 when more octets are stored than it has.
    ///
    /// # Errors
    /// [`Question::Changed`].
    pub(crate) fn resume_offset(&self, version: &Version) -> Result<u64, Stop> {
        let Some(resume) = self
            .save
            .resume
            .as_ref()
            .filter(|_| self.purpose == Purpose::Save)
        else {
            return Ok(0);
        };
        self.check_version(version)?;
        let is_longer = version.size.is_some_and(|size| size < resume.offset);
        Ok(if is_longer { 0 } else { resume.offset })
    }
}
