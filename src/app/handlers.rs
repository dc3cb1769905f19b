//! The handlers of the actions: the last column of the table of actions.

use geomys_page::document::find::Direction;
use geomys_page::document::{Document, Relation, SortColumn};
use geomys_page::load::TelnetInput;
use geomys_wire::protocol::telnet::TelnetCommand;

use crate::app::action::{Action, with_actions};
use crate::app::compose::kind::{DraftKind, MailReplyReason};
use crate::app::compose::message::DraftJob;
use crate::app::desktop::open_on_desktop;
use crate::app::dialogs::text_input::{BookmarkInput, TextInput};
use crate::app::motion::{Edge, Motion};
use crate::app::news::message::CatchUpRange;
use crate::app::panes::widen;
use crate::app::tabs::offline::toggle_offline;
use crate::app::transfers::pipe::ask_pipe;
use crate::app::view::picture::Zoom;
use crate::app::{App, Dialog, Effect, OpenIn};

macro_rules! handlers {
    ($( $variant:ident $name:literal $(| $alias:literal)* $doc:literal $scope:ident $(as $explicit:ident)? $handler:expr; )*) => {
        impl Action {
            /// Runs the action, whatever has the focus.
            pub(crate) fn run(self, app: &mut App) {
                match self {
                    $( Self::$variant => {
                        let handler: fn(&mut App) = $handler;
                        handler(app);
                    } )*
                    Self::Tab(number) => app.tabs.show_tab(usize::from(number).saturating_sub(1), &mut app.cx),
                }
            }
        }
    };
}

with_actions!(handlers);
