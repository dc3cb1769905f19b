//! Messages to the state of the application, and effects that it requests.

use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use geomys_load::{LoadId, Part, Request, TelnetInput};
use geomys_wire::text::CharsetSetting;

use crate::compose::message::{DraftJob, DraftOutcome};
use crate::config_report::FileLine;
use crate::keymap::Keymap;
use crate::settings::Settings;
use crate::tabs::message::Program;
use crate::view::work::{Work, WorkId, WorkResult};
use crate::{
    BookmarkEffect, BookmarkMessage, CredentialEffect, CredentialMessage, NewsEffect, NewsMessage,
    TabsEffect, TabsMessage, TransferEffect, TransferMessage,
};
use crate::{LibraryEffect, LibraryMessage};

/// Makes the values of the parts of the app values of all parts.
macro_rules! from_parts {
    ($whole:ident { $( $variant:ident($part:ty), )* }) => {
        $( impl From<$part> for $whole {
            fn from(part: $part) -> Self {
                Self::$variant(part)
            }
        } )*
    };
}

pub(super) use from_parts;

from_parts! {
    Message {
        Tabs(TabsMessage),
        Bookmarks(BookmarkMessage),
        Transfers(TransferMessage),
        Library(LibraryMessage),
        News(NewsMessage),
        Compose(DraftOutcome),
        Credentials(CredentialMessage),
    }
}

from_parts! {
    Effect {
        Tabs(TabsEffect),
        Bookmarks(BookmarkEffect),
        Transfers(TransferEffect),
        Library(LibraryEffect),
        News(NewsEffect),
        Compose(DraftJob),
        Credentials(CredentialEffect),
    }
}

/// The end of writing a picture.
#[derive(Debug)]
pub enum CardEnd {
    /// The file was written.
    Written(PathBuf),
    /// There is a file with this name.
    Taken(PathBuf),
    /// It could not be written: the error.
    Failed(String),
}

/// An event that changes the state.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// A button of the mouse was pressed or released, or its wheel or the mouse was moved.
    Mouse(MouseEvent),
    /// The button of the mouse that goes forward, if true, or back was pressed.
    Navigate(bool),
    /// Text was pasted.
    Paste(String),
    /// The text that the user's editor has left, or the error.
    Edited(Result<String, String>),
    /// A setting was stored, with the message about it, or the error.
    SettingStored(Result<String, String>),
    /// The screen was saved as a picture, or not.
    Card(CardEnd),
    /// The configuration was read again; true if the colours have changed.
    Configured(Box<(Keymap, Settings, bool)>),
    /// The terminal was resized to this number of columns and lines.
    Resize(u16, u16),
    /// The system requests the end of the process (SIGTERM, SIGHUP).
    Terminate,
    /// The timer with this id has ended.
    TimerEnded(u64),
    /// The network is down, or is there again.
    NetworkDown(bool),
    /// A write of a user's file has ended, with nothing to be done but to report its error.
    Written(Result<(), String>),
    /// A task has panicked: the error message.
    TaskPanicked(String),
    /// A part of a load has arrived.
    Load(LoadId, Part),
    /// A computation for a view has ended, or a file was read for it.
    Worked(WorkId, WorkResult),
    /// A message to the tabs.
    Tabs(TabsMessage),
    /// A message to the bookmarks.
    Bookmarks(BookmarkMessage),
    /// A message to the transfers.
    Transfers(TransferMessage),
    /// A message to the library.
    Library(LibraryMessage),
    /// A message to the news part.
    News(NewsMessage),
    /// A job for a draft has ended.
    Compose(DraftOutcome),
    /// A message to the credentials.
    Credentials(CredentialMessage),
}

/// A task that the main loop carries out for the state.
#[derive(Debug)]
pub enum Effect {
    /// Start a load.
    Load(LoadId, Request),
    /// Send input to the session that this load holds.
    SendToSession(LoadId, TelnetInput),
    /// Cancel a load, or a download.
    Drop(LoadId),
    /// Carry out a computation for a view.
    Work(WorkId, Work),
    /// Read a file of at most this size that is to be sent with a form.
    ReadFile(WorkId, PathBuf, u64),
    /// Store the charset for the pages of this host.
    StoreCharset(String, CharsetSetting),
    /// A task for the tabs.
    Tabs(TabsEffect),
    /// A task for the bookmarks.
    Bookmarks(BookmarkEffect),
    /// A task for the transfers.
    Transfers(TransferEffect),
    /// A task for the library.
    Library(LibraryEffect),
    /// A task for the news part.
    News(NewsEffect),
    /// Carry out a job for a draft.
    Compose(DraftJob),
    /// A task for the credentials.
    Credentials(CredentialEffect),
    /// Run another program.
    Run(Program),
    /// Run this editor with its arguments on a text, in the terminal.
    EditText(Vec<String>, String),
    /// Turn the offline mode on or off.
    Offline(bool),
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Set the setting with this name in settings.toml to this value, as a user types it.
    StoreSetting(String, String),
    /// Save the screen as a picture in this file; over one that is there only if true.
    SaveCard(PathBuf, bool),
    /// Read the configuration files again.
    ReadConfig,
    /// Run the user's editor on a line of a file.
    EditFile(FileLine),
    /// Send [`Message::TimerEnded`] with this id after this time.
    StartTimer(u64, Duration),
    /// Use the mouse, or leave it to the terminal.
    UseMouse(bool),
    /// Draw the whole screen again.
    Redraw,
    /// Restore the terminal and stop the process until the shell continues it.
    Suspend,
}
