//! What a request wants of an archive: the path of a member, and how it is opened.

use std::path::PathBuf;
use std::sync::Arc;

use geomys_page::archive::{LinkTarget, MemberVersion, Packing, Spool, segments};
use geomys_wire::net::Limits;
use rfc1738::{Encoded, Protocol, Url};

use crate::archives::{ArchiveStore, MAX_ARCHIVE_BYTES};
use crate::{NameHints, PageHead, Purpose, Request, file_name_of, server_file_name};

/// The size from which on a zip is opened by parts, in octets.
const MIN_PARTIAL_BYTES: u64 = 16 * 1024 * 1024;

/// The octets of the members of an archive that are saved without a question, however small it is.
pub const MAX_UNASKED_BYTES: u64 = 1024 * 1024 * 1024;

/// The size of the members of an archive that are saved without a question, as a multiple of its own.
const MAX_UNASKED_RATIO: u64 = 100;

/// Returns the octets that the members of an archive of this size may have to be saved without a question.
pub(super) fn unasked_bytes(packed: u64) -> u64 {
    packed
        .saturating_mul(MAX_UNASKED_RATIO)
        .max(MAX_UNASKED_BYTES)
}

/// The plan to open the file that arrives.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of the request for itself"
)]
pub(crate) struct UnpackPlan {
    /// True to save a member as it is stored.
    pub(super) is_raw: bool,
    /// True if a file that cannot be shown ends the load with a question.
    pub(super) asks: bool,
    /// The most octets of a page: a few octets may be decompressed without end.
    pub(super) limit: u64,
    pub(super) url: Url,
    pub(super) hints: NameHints,
    /// The path of the member.
    pub(super) path: Vec<Vec<u8>>,
    pub(super) version: Option<MemberVersion>,
    pub(super) store: Arc<ArchiveStore>,
    /// True if the archive is to be stored.
    pub(super) is_stored: bool,
    /// True if any number of octets may be saved.
    pub(super) is_unbounded: bool,
    /// True if the server may be asked for parts of the file.
    pub(super) may_ask_for_parts: bool,
    /// True if all members are wanted: a file that can be stored is fetched once.
    pub(super) wants_all: bool,
    /// The directory for a spool of all members.
    spool_in: Option<PathBuf>,
}

impl UnpackPlan {
    /// Returns the plan for a request, whose URL has its fragment; None if files stay as they are.
    pub(crate) fn of(request: &Request, limits: &Limits) -> Option<Self> {
        let fragment = request.url.fragment().map(Encoded::octets);
        let lists_members = request.save.lists_members;
        let is_opened = match request.purpose {
            Purpose::Show | Purpose::Picture => true,
            Purpose::Save => fragment.is_some() || lists_members,
            Purpose::Check => false,
        };
        is_opened.then(|| Self {
            is_raw: request.purpose == Purpose::Save && !lists_members,
            asks: request.purpose == Purpose::Show,
            limit: match request.limit {
                _ if request.purpose != Purpose::Show => u64::MAX,
                Some(limit) if limit < u64::MAX => limit,
                Some(_) | None => limits.page,
            },
            url: request.url.without_fragment(),
            hints: request.name_hints.clone(),
            wants_all: lists_members && fragment.as_ref().is_none_or(|path| path.is_empty()),
            spool_in: request.save.spool_in.clone().filter(|_| lists_members),
            path: segments(&fragment.unwrap_or_default()),
            version: None,
            is_stored: request.settings.archives.is_on(),
            store: Arc::clone(&request.settings.archives),
            is_unbounded: request.consents.unpack,
            // A form would be sent again for each part.
            may_ask_for_parts: request.posted().is_none()
                && matches!(
                    request.url.protocol(),
                    Protocol::Ftp(_) | Protocol::Http(_) | Protocol::File(_)
                ),
        })
    }

    /// Returns the plan, which stores nothing if the archive is stored already.
    pub(crate) fn storing(self, is_new: bool) -> Self {
        Self {
            is_stored: self.is_stored && is_new,
            may_ask_for_parts: self.may_ask_for_parts && is_new,
            ..self
        }
    }

    /// Returns the plan for a server that does not send parts of a file.
    pub(crate) fn without_parts(self) -> Self {
        Self {
            may_ask_for_parts: false,
            ..self
        }
    }

    /// Returns the plan for another member.
    pub(crate) fn with_target(self, target: LinkTarget) -> Self {
        let LinkTarget { path, version } = target;
        Self {
            path,
            version,
            ..self
        }
    }

    /// Returns an empty spool for the members of an archive with this head, if all are wanted. There is none where it
    /// cannot be created: then the archive is read for each.
    pub(super) fn spool(&self, head: &PageHead) -> Option<Spool> {
        let directory = self
            .spool_in
            .as_ref()?
            .ancestors()
            .find(|path| path.is_dir());
        let file = tempfile::tempfile_in(directory?).ok()?;
        let room = if self.is_unbounded {
            u64::MAX
        } else {
            unasked_bytes(head.size.unwrap_or_default())
        };
        Some(Spool::new(file, room))
    }

    /// Returns true if a zip of this size is opened by parts.
    pub(super) fn asks_for_parts(&self, size: u64) -> bool {
        let is_stored = self.wants_all && self.is_stored && size <= MAX_ARCHIVE_BYTES as u64;
        self.may_ask_for_parts && size >= MIN_PARTIAL_BYTES && !is_stored
    }

    /// Returns true if an attachment is to be saved, if the file is a message.
    pub(crate) fn saves_attachment(&self) -> bool {
        self.is_raw && self.has_path()
    }

    /// Returns true if a member is wanted, if the file is an archive.
    pub(super) fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Returns the name of the file, as far as it is known.
    pub(super) fn name(&self, head: &PageHead) -> String {
        let name = file_name_of(&self.url, &NameHints::default());
        server_file_name(&name, &self.url, head.url.as_ref(), &head.file_name)
    }

    /// Returns the packing of a file that begins with `start`; None if it is opened as it is. Documents in zip are for
    /// other programs.
    pub(super) fn packing(&self, head: &PageHead, start: &[u8]) -> Option<Packing> {
        let packing = Packing::of(self.name(head).as_bytes(), start)?;
        (!self.is_raw || packing.is_archive() || self.has_path()).then_some(packing)
    }
}
