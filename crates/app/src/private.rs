//! Private tabs: what is stored is read, and what they change stays in memory.
//!
//! No part asks whether a tab is private. While a message of a private tab is handled, the state that would be stored
//! is another one ([`PrivateState`]), and each effect passes through [`Effect::in_private`], which lets nothing write
//! that the user has not saved by name. What goes to a server is a request, and a private request leaves nothing on the
//! disk either.

use geomys_load::{Privacy, Request};

use crate::bookmarks::message::BookmarkEffect;
use crate::compose::message::DraftJob;
use crate::credentials::message::CredentialEffect;
use crate::library::message::LibraryEffect;
use crate::news::message::{NewsEffect, NewsMessage};
use crate::news::server::NewsAuthority;
use crate::tabs::message::TabsEffect;
use crate::tabs::tab::{is_private_load, shows_private};
use crate::transfers::message::{PipeInput, TransferEffect, TransferJob};
use crate::{App, Effect, Message};

/// Returns true for a message of a private tab: a key while it is shown, and what its loads bring.
pub(super) fn is_private(app: &App, message: &Message) -> bool {
    match message {
        Message::Load(load, _) => {
            is_private_load(app.tabs.tabs(), *load) || app.private.news.owns(*load)
        }
        Message::Compose(_) => app.compose.is_private(),
        Message::Key(_)
        | Message::Mouse(_)
        | Message::Navigate(_)
        | Message::Paste(_)
        | Message::Edited(_)
        | Message::TimerEnded(_)
        | Message::Worked(..)
        | Message::Tabs(_) => shows_private(app.tabs.tab()),
        Message::SettingStored(_)
        | Message::Card(_)
        | Message::Configured(_)
        | Message::Resize(..)
        | Message::Terminate
        | Message::NetworkDown(_)
        | Message::Written(_)
        | Message::TaskPanicked(_)
        | Message::Bookmarks(_)
        | Message::Transfers(_)
        | Message::Library(_)
        | Message::News(_)
        | Message::Credentials(_) => false,
    }
}

/// Does something as a private tab does it, or as another one.
pub(super) fn with_privacy(app: &mut App, is_private: bool, act: impl FnOnce(&mut App)) {
    let before = app.cx.effects.len();
    if is_private {
        app.private
            .exchange(&mut app.news, &mut app.library.home.opened);
    }
    let outer = std::mem::replace(&mut app.cx.found.is_private, is_private);
    act(app);
    app.cx.found.is_private = outer;
    if is_private {
        app.private
            .exchange(&mut app.news, &mut app.library.home.opened);
        // A cancellation may have removed an earlier effect.
        let before = before.min(app.cx.effects.len());
        let new = app.cx.effects.split_off(before);
        let new = new.into_iter().filter_map(Effect::in_private);
        app.cx.effects.extend(new);
    }
}

/// Passes a message to the news. A file that was read is for the private tabs too.
pub(super) fn update_news(app: &mut App, message: NewsMessage) {
    let shared = match &message {
        NewsMessage::Marks(server, 0, _) | NewsMessage::Folds(server, 0, _) => {
            app.private.news.server(server)
        }
        NewsMessage::Messages(0, _) => app.private.news.server(&NewsAuthority::mailboxes()),
        NewsMessage::Marks(..)
        | NewsMessage::Folds(..)
        | NewsMessage::Messages(..)
        | NewsMessage::Due
        | NewsMessage::RefreshDue
        | NewsMessage::Rule(_)
        | NewsMessage::Posted(_) => None,
    };
    let shared = shared.is_some().then(|| message.clone());
    app.news.update(message, &mut app.tabs, &mut app.cx);
    if let Some(message) = shared {
        with_privacy(app, true, |app| {
            app.news.update(message, &mut app.tabs, &mut app.cx);
        });
    }
}

impl Effect {
    /// Returns the effect as a private tab has it: its requests leave nothing on the disk. `None` for one that only
    /// stores what the user has done.
    fn in_private(mut self) -> Option<Self> {
        let is_allowed = match &mut self {
            Self::Load(_, request) => hide(request),
            Self::Tabs(effect) => effect.in_private(),
            Self::Bookmarks(effect) => effect.in_private(),
            Self::Transfers(effect) => effect.in_private(),
            Self::Library(effect) => effect.in_private(),
            Self::News(effect) => effect.in_private(),
            Self::Compose(job) => job.in_private(),
            Self::Credentials(effect) => effect.in_private(),
            Self::StoreCharset(..) => false,
            Self::SendToSession(..)
            | Self::Drop(_)
            | Self::Work(..)
            | Self::ReadFile(..)
            | Self::Run(_)
            | Self::EditText(..)
            | Self::Offline(_)
            | Self::Copy(_)
            | Self::StoreSetting(..)
            | Self::ReadConfig
            | Self::EditFile(_)
            | Self::SaveCard(..)
            | Self::StartTimer(..)
            | Self::UseMouse(_)
            | Self::Redraw
            | Self::Suspend => true,
        };
        is_allowed.then_some(self)
    }
}

/// Lets a request leave nothing on the disk, and allows it.
fn hide(request: &mut Request) -> bool {
    request.settings.privacy = Privacy::Private;
    true
}

impl TabsEffect {
    fn in_private(&mut self) -> bool {
        match self {
            Self::Rules(_, _, request, _) => hide(request),
            Self::Viewers(_) => true,
            Self::CachePage(..) => false,
        }
    }
}

impl BookmarkEffect {
    fn in_private(&self) -> bool {
        match self {
            Self::WriteWatchEvents(_) => false,
            // Bookmarks are edited and checked by name.
            Self::Save(..)
            | Self::Import(_)
            | Self::ListStates
            | Self::Restore(_)
            | Self::Read(_)
            | Self::Filter(..)
            | Self::Sort(..)
            | Self::ReadCheckResults
            | Self::RunBulk(..)
            | Self::WriteCheckResults(..) => true,
        }
    }
}

impl TransferEffect {
    fn in_private(&mut self) -> bool {
        match self {
            Self::Start(_, job) => match &mut **job {
                TransferJob::File(order) => hide(&mut order.request),
                TransferJob::Directory(order) => hide(&mut order.request),
            },
            Self::Fetch(_, request, _) => hide(request),
            Self::Join(_, job) => hide(&mut job.request),
            Self::Site(_, job) => hide(&mut job.request),
            Self::Pipe(_, job) => {
                for input in &mut job.inputs {
                    if let PipeInput::Request(request) = input {
                        hide(request);
                    }
                }
                true
            }
            // The list has no transfer of a private tab; files are saved by name.
            Self::Destination(..)
            | Self::WriteList(..)
            | Self::RemovePartial(..)
            | Self::Save(..)
            | Self::SaveReply(..) => true,
        }
    }
}

impl LibraryEffect {
    fn in_private(&self) -> bool {
        match self {
            Self::Store(..) | Self::MarkRead(_) => false,
            // The session has no private tab; pages are put aside by name.
            Self::Read(_)
            | Self::ScheduleSession
            | Self::SaveSession(_)
            | Self::List(..)
            | Self::ReadGroups(_)
            | Self::ListCached
            | Self::ReadOutbox
            | Self::Sync(..)
            | Self::FindCopies(_)
            | Self::SaveForLater(..)
            | Self::ReadLater
            | Self::QueueLink(..)
            | Self::Agree(..)
            | Self::ListLater(_)
            | Self::RemoveLater(_)
            | Self::Search(..)
            | Self::Identities(..) => true,
        }
    }
}

impl NewsEffect {
    fn in_private(&self) -> bool {
        match self {
            Self::Marks(.., changes) => changes.is_empty(),
            Self::Folds(.., changes) => changes.is_empty(),
            Self::Messages(_, marks) => marks.is_empty(),
            // A rule is added by name.
            Self::Schedule | Self::Refresh(_) | Self::Rule(..) | Self::Posted => true,
        }
    }
}

impl DraftJob {
    fn in_private(&mut self) -> bool {
        match self {
            Self::List(_, request, _) | Self::Send(_, request, ..) => hide(request),
            Self::Create(..)
            | Self::Edit(_)
            | Self::Read(_)
            | Self::ListDrafts
            | Self::Remove(_)
            | Self::Queue(..)
            | Self::QueueUpload(..)
            | Self::Hold(_) => true,
        }
    }
}

impl CredentialEffect {
    fn in_private(&self) -> bool {
        match self {
            // The user has answered the question.
            Self::Pin(..) | Self::Keyring(_) | Self::StorePassword(..) => true,
        }
    }
}
