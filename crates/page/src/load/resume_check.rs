//! The check whether an interrupted transfer can resume.

use super::{Purpose, Question, Request, Stop, Version};

impl Request {
    /// Returns an error if the transfer resumes and the file has changed.
    ///
    /// # Errors
    /// [`Question::Changed`].
    pub(super) fn check_version(&self, version: &Version) -> Result<(), Stop> {
        match &self.resume {
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
    pub(super) fn resume_offset(&self, version: &Version) -> Result<u64, Stop> {
        let Some(resume) = self
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
