//! The handlers of the actions: the last column of the table of actions.

use geomys_load::OverviewGoal;
use geomys_page::document::Relation;
use rfc1738::Url;

use crate::app::action::{Action, with_actions};
use crate::app::bookmarks::add::{ask_bookmark_links, edit_bookmark};
use crate::app::bookmarks::bulk_edit::{ask_note, ask_open_all, ask_tags};
use crate::app::bookmarks::fix_url::{ask_repair, ask_repair_all};
use crate::app::bookmarks::sort::ask_order;
use crate::app::compose::message::DraftJob;
use crate::app::compose::message::{DraftKind, MailReplyReason};
use crate::app::desktop::open_on_desktop;
use crate::app::dialogs::help::HelpOverlay;
use crate::app::dialogs::text_input::{BookmarkInput, TextInput};
use crate::app::library::identities::toggle_identities;
use crate::app::library::later::toggle_later;
use crate::app::library::sync::start_sync;
use crate::app::library::toggle_history;
use crate::app::motion::{Edge, Motion};
use crate::app::news::message::CatchUpRange;
use crate::app::offer_copies;
use crate::app::panes::widen;
use crate::app::tabs::groups::{ask_catch_up, ask_rule, load_older};
use crate::app::tabs::offline::toggle_offline;
use crate::app::tabs::open::{edit_url, open_builtin, open_config};
use crate::app::transfers::pipe::ask_pipe;
use crate::app::transfers::save::{ask_save, copy_url};
use crate::app::view::builtin;
use crate::app::{App, Command, Context, Dialog, Effect, Focus, OpenIn, Overlay, Tabs};

macro_rules! handlers {
    ($( $variant:ident $name:literal $(| $alias:literal)* $doc:literal $scope:ident $(as $explicit:ident)? $handler:expr; )*) => {
        impl Action {
            /// Runs the action where the shown view has nothing to do, whatever has the focus.
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

/// Goes to the home page, or to the page that the settings have in its place.
fn go_home(app: &mut App) {
    app.cx.focus = Focus::Panes;
    let home = app.cx.settings.home_page.as_ref();
    if app.tabs.shows(home.map_or(builtin::HOME, Url::as_str)) {
        return app.cx.notify("This is the home page");
    }
    app.cx.command(Command::OpenHome);
}

/// Leaves the mouse to the terminal, which selects text with it, or takes it back.
fn toggle_mouse(cx: &mut Context) {
    cx.settings.mouse ^= true;
    cx.emit(Effect::UseMouse(cx.settings.mouse));
    cx.notify(if cx.settings.mouse {
        "Mouse on"
    } else {
        "Mouse off: the terminal selects text with it"
    });
}

/// Tells that the page is not the history.
fn notify_no_history(cx: &mut Context) {
    let key = cx.key_of(Action::History);
    cx.notify(&format!("This page is not the history: {key} shows it"));
}

/// Tells that the page has no rows to filter.
fn notify_no_list(cx: &mut Context) {
    let find = cx.key_of(Action::Find);
    cx.notify(&format!("No list to filter here ({find} find)"));
}

/// Opens the list of the keys of what has the focus.
fn open_help(tabs: &Tabs, cx: &mut Context) {
    let help = HelpOverlay::new(&cx.keymap, &tabs.contexts(cx));
    cx.show(Overlay::Help(Box::new(help)));
}
