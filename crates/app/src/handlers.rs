//! The handlers of the actions: the last column of the table of actions.

use geomys_load::OverviewGoal;
use geomys_page::document::Relation;
use rfc1738::Url;

use crate::action::{Action, with_actions};
use crate::bookmarks::add::{ask_bookmark_links, edit_bookmark};
use crate::bookmarks::bulk_edit::{ask_note, ask_open_all, ask_tags};
use crate::bookmarks::fix_url::{ask_repair, ask_repair_all};
use crate::bookmarks::import::ask_import;
use crate::bookmarks::sort::ask_order;
use crate::card::ask_card;
use crate::compose::message::DraftJob;
use crate::compose::message::{DraftKind, MailReplyReason};
use crate::desktop::open_on_desktop;
use crate::dialogs::help::HelpOverlay;
use crate::dialogs::palette::commands;
use crate::dialogs::text_input::{BookmarkInput, TextInput};
use crate::library::identities::toggle_identities;
use crate::library::later::toggle_later;
use crate::library::sync::start_sync;
use crate::library::toggle_history;
use crate::motion::{Edge, Motion};
use crate::news::message::CatchUpRange;
use crate::offer_copies;
use crate::panes::widen;
use crate::tabs::articles::ask_article;
use crate::tabs::groups::{ask_catch_up, ask_rule, load_older};
use crate::tabs::offline::toggle_offline;
use crate::tabs::open::{edit_url, open_builtin, open_config};
use crate::transfers::pipe::{ask_pipe, save_thread};
use crate::transfers::save::{ask_save, copy_url};
use crate::view::builtin;
use crate::{App, BookmarkEffect, Command, Context, Dialog, Effect, Focus, OpenIn, Overlay, Tabs};

macro_rules! handlers {
    ($( $variant:ident $name:literal $doc:literal $scope:ident $(as $care:ident)? $handler:expr; )*) => {
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
    let contexts = tabs.contexts(cx);
    let entries = commands(&cx.keymap, &contexts, &cx.settings);
    let help = HelpOverlay::new(&cx.keymap, &contexts, entries);
    cx.show(Overlay::Help(Box::new(help)));
}
