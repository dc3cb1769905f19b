//! All actions of the browser with their names: keys.toml, the help page and the palette use this list.

use super::browse::OpenIn;
use super::mark::CatchUpRange;
use super::prompt::{Prompt, PromptKind};
use super::write::DraftJob;
use super::{App, Effect};
use crate::document::find::Direction;
use crate::document::{Relation, SortColumn};

/// The part of the screen that an action works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// No part in particular.
    Any,
    /// The selected link; a number that was typed before selects another one.
    Link,
    /// The page of the pane with the focus.
    Page,
    /// The list of bookmarks, which gets the focus.
    Bookmarks,
    /// The list of transfers, which is shown first.
    Transfers,
    /// The form of a page.
    Form,
}

macro_rules! actions {
    ($( $variant:ident $name:literal $doc:literal $scope:ident $handler:expr; )*) => {
        /// An action that a key or the palette can start.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $( #[doc = $doc] $variant, )*
            /// go to a tab by its number
            Tab(u8),
        }

        impl Action {
            /// All actions except those with a number, in the order of the help page.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// Returns the description for the help page and the palette.
            pub fn doc(self) -> &'static str {
                match self {
                    $( Self::$variant => $doc, )*
                    Self::Tab(_) => "go to a tab by its number",
                }
            }

            /// Returns the name in keys.toml.
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $name, )*
                    Self::Tab(1) => "tab-1",
                    Self::Tab(2) => "tab-2",
                    Self::Tab(3) => "tab-3",
                    Self::Tab(4) => "tab-4",
                    Self::Tab(5) => "tab-5",
                    Self::Tab(6) => "tab-6",
                    Self::Tab(7) => "tab-7",
                    Self::Tab(8) => "tab-8",
                    Self::Tab(_) => "tab-9",
                }
            }

            /// Returns the part of the screen that the action works on.
            pub(super) fn scope(self) -> Scope {
                match self {
                    $( Self::$variant => Scope::$scope, )*
                    Self::Tab(_) => Scope::Any,
                }
            }

            /// Runs the action, whatever has the focus.
            pub(super) fn run(self, app: &mut App) {
                match self {
                    $( Self::$variant => {
                        let handler: fn(&mut App) = $handler;
                        handler(app);
                    } )*
                    Self::Tab(number) => app.show_tab(usize::from(number).saturating_sub(1)),
                }
            }

            /// Returns the action with a name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some(Self::$variant), )*
                    _ => {
                        let digit = name.strip_prefix("tab-")?.parse().ok()?;
                        (1..=9).contains(&digit).then_some(Self::Tab(digit))
                    }
                }
            }
        }
    };
}

/// Names that actions had in keys.toml before version 0.2, and those that they have now.
const RENAMED: [(&str, Action); 6] = [
    ("find-bookmarks", Action::FilterBookmarks),
    ("take", Action::Cut),
    ("put", Action::Paste),
    ("put-copies", Action::PasteCopies),
    ("next-gone", Action::NextDead),
    ("take-moved", Action::AcceptMove),
];

impl Action {
    /// The action that had this name before version 0.2.
    pub fn formerly(name: &str) -> Option<Self> {
        let renamed = RENAMED.iter().find(|(former, _)| *former == name);
        renamed.map(|(_, action)| *action)
    }
}

actions! {
    RowDown "row-down" "one row down" Any |app| app.step(1);
    RowUp "row-up" "one row up" Any |app| app.step(-1);
    PageDown "page-down" "one screen down" Any |app| app.page_down();
    PageUp "page-up" "one screen up" Any |app| app.step_page(-1, 1);
    HalfPageDown "half-page-down" "half a screen down" Any |app| app.step_page(1, 2);
    HalfPageUp "half-page-up" "half a screen up" Any |app| app.step_page(-1, 2);
    Top "top" "to the top" Any |app| app.go_to_edge(false);
    Bottom "bottom" "to the bottom" Any |app| app.go_to_edge(true);
    NextLink "next-link" "to the next link" Page |app| app.step_link(true);
    PreviousLink "previous-link" "to the previous link" Page |app| app.step_link(false);
    ScrollLeft "scroll-left" "scroll sideways, to the left" Page |app| app.scroll_sideways(false);
    ScrollRight "scroll-right" "scroll sideways, to the right" Page |app| app.scroll_sideways(true);
    Open "open" "open the link here" Link |app| app.open_selected(OpenIn::ThisPane);
    OpenBeside "open-beside" "open the link in a new pane to the right" Link |app| app.open_selected(OpenIn::NewPane);
    OpenTab "open-tab" "open the link in a new tab" Link |app| app.open_selected(OpenIn::NewTab);
    Hints "hints" "show a letter for every link on screen, and open one by it" Page |app| app.show_hints();
    Back "back" "back to the page before" Page |app| app.go_in_history(false);
    Forward "forward" "forward again" Page |app| app.go_in_history(true);
    Up "up" "up a level" Page |app| app.go_up(false);
    Root "root" "to the server's root" Page |app| app.go_up(true);
    Go "go" "open a URL" Any |app| app.prompt(Prompt::new(PromptKind::Url, ""));
    EditUrl "edit-url" "edit this page's URL and open it" Page |app| app.edit_url();
    Reload "reload" "load this page again" Page |app| app.reload();
    Offline "offline" "go offline, or online again" Any |app| app.toggle_offline();
    Stop "stop" "stop the load, close what is open, clear find and filter" Any |app| app.stop();
    Find "find" "find words in this page" Page |app| app.prompt(Prompt::new(PromptKind::FindInPage, ""));
    FindNext "find-next" "find the next place" Page |app| app.find_again(Direction::Down);
    FindPrevious "find-previous" "find the previous place" Page |app| app.find_again(Direction::Up);
    Download "download" "save what the link leads to" Link |app| app.download_chosen();
    Transfers "transfers" "show the transfers, or the page again" Any |app| app.toggle_transfers();
    Pause "pause" "stop this transfer, or let it go on" Transfers |app| app.pause();
    PauseAll "pause-all" "stop all transfers, or let them go on" Any |app| app.pause_all();
    Retry "retry" "try a transfer again that has failed" Transfers |app| app.retry();
    ShiftDown "shift-down" "move this transfer down" Transfers |app| app.shift_transfer(true);
    ShiftUp "shift-up" "move this transfer up" Transfers |app| app.shift_transfer(false);
    RemoveTransfer "remove-transfer" "remove this transfer, keep its part" Transfers |app| app.remove_transfer();
    EraseTransfer "erase-transfer" "remove this transfer and its part" Transfers |app| app.ask_erase();
    ClearDone "clear-done" "remove the transfers that are done" Transfers |app| app.clear_done();
    Save "save" "save this page" Page |app| app.ask_save();
    BookmarkPage "bookmark-page" "bookmark this page" Page |app| app.bookmark_page();
    BookmarkLink "bookmark-link" "bookmark this link" Link |app| app.bookmark_link();
    Bookmarks "bookmarks" "show or hide the bookmarks" Any |app| app.toggle_bookmarks();
    BookmarkLinks "bookmark-links" "bookmark all links of this page" Any |app| app.bookmark_links();
    FilterBookmarks "filter-bookmarks" "find bookmarks by words or #tags" Bookmarks |app| app.ask_bookmark_filter();
    EditBookmark "edit-bookmark" "edit this bookmark, or folder's name" Any |app| app.edit_bookmark();
    RemoveBookmark "remove-bookmark" "remove this, or what is marked" Any |app| app.remove_bookmark();
    Undo "undo" "undo the last change to the bookmarks" Any |app| app.undo();
    Redo "redo" "do it again" Any |app| app.redo();
    Fold "fold" "open or close the folder" Any |app| app.toggle_folder();
    OpenFolder "open-folder" "open the folder, or the bookmark here" Bookmarks |app| app.open_folder();
    CloseFolder "close-folder" "close the folder, or go out of it" Bookmarks |app| app.close_folder();
    Mark "mark" "mark this, or not, and go down" Bookmarks |app| app.mark_bookmark();
    MarkAll "mark-all" "mark all that is shown, or nothing" Bookmarks |app| app.mark_all_bookmarks();
    Cut "cut" "take this up, or what is marked" Bookmarks |app| app.cut_selected();
    Paste "paste" "put below this what was taken up" Bookmarks |app| app.paste_bookmarks(false);
    PasteCopies "paste-copies" "put copies of what was taken up" Bookmarks |app| app.paste_bookmarks(true);
    EntryDown "entry-down" "move this down by one" Bookmarks |app| app.shift(true);
    EntryUp "entry-up" "move this up by one" Bookmarks |app| app.shift(false);
    NewFolder "new-folder" "make a folder" Bookmarks |app| app.prompt(Prompt::new(PromptKind::NewFolder, ""));
    Tags "tags" "tag this, or what is marked" Bookmarks |app| app.ask_tags();
    Note "note" "put a note on this bookmark" Bookmarks |app| app.ask_note();
    NextFault "next-fault" "to the next bookmark with a fault" Any |app| app.go_to_fault();
    Repair "repair" "repair this bookmark's URL" Any |app| app.ask_repair();
    RepairAll "repair-all" "repair all URLs that can be repaired" Any |app| app.ask_repair_all();
    OpenAll "open-all" "open all of it in tabs" Bookmarks |app| app.ask_open_all();
    Widen "widen" "more room for the bookmarks, or less" Bookmarks |app| app.toggle_width();
    Check "check" "ask whether this bookmark is alive" Any |app| app.check_selected();
    CheckAll "check-all" "ask it of all, or of the folder's" Any |app| app.ask_check();
    NextDead "next-dead" "to the next that is dead, moved or unreachable" Any |app| app.go_to_next_problem();
    AcceptMove "accept-move" "take the new address of what has moved" Any |app| app.accept_move();
    Info "info" "tell what this link is and what would be sent" Link |app| app.show_info();
    CopyLink "copy-link" "copy the link's URL" Link |app| app.copy_link();
    CopyUrl "copy-url" "copy this page's URL" Page |app| app.copy_url();
    Source "source" "show the source, or the page again" Page |app| app.toggle_source();
    Charset "charset" "read the page in another charset" Page |app| app.ask_charset();
    Wrap "wrap" "wrap long lines, or not" Page |app| app.toggle_wrap();
    Colours "colours" "show the page's own colours, or not" Page |app| app.toggle_colours();
    SortName "sort-name" "sort by name (again: reverse)" Page |app| app.sort(crate::document::SortColumn::Name);
    SortSize "sort-size" "sort by size (again: reverse)" Page |app| app.sort(crate::document::SortColumn::Size);
    SortDate "sort-date" "sort by date (again: reverse)" Page |app| app.sort(crate::document::SortColumn::Date);
    SortKind "sort-kind" "sort by kind (again: reverse)" Page |app| app.sort(crate::document::SortColumn::Kind);
    DirectoriesFirst "directories-first" "directories first, or among the rest" Any |app| app.toggle_directories();
    Filter "filter" "show only the rows with some words" Any |app| app.ask_filter();
    SortThread "sort-thread" "sort by thread, the newest first (again: reverse)" Any |app| app.sort(SortColumn::Thread);
    SortAuthor "sort-author" "sort by author (again: reverse)" Any |app| app.sort(SortColumn::Author);
    SortSubject "sort-subject" "sort by subject (again: reverse)" Any |app| app.sort(SortColumn::Subject);
    SortScore "sort-score" "sort by score (again: reverse)" Any |app| app.sort(SortColumn::Score);
    NextUnread "next-unread" "read the next unread article, in the next group after the last" Any |app| app.next_unread();
    NextGroup "next-group" "to the next subscribed group with unread articles" Any |app| app.next_group();
    MarkArticle "mark-article" "mark the article read, or unread again" Any |app| app.mark_article();
    MarkThread "mark-thread" "mark the thread read, or unread again" Any |app| app.mark_thread();
    CatchUp "catch-up" "mark all of the group read, after asking" Any |app| app.ask_catch_up(None);
    ResetGroup "reset" "forget what was read of the group, after asking" Any |app| app.ask_catch_up(Some(CatchUpRange::Reset));
    Subscribe "subscribe" "subscribe to the group" Any |app| app.subscribe(true);
    Unsubscribe "unsubscribe" "subscribe to the group no longer" Any |app| app.subscribe(false);
    FoldThread "fold-thread" "fold the thread into one row, or unfold it" Any |app| app.fold_thread(None);
    FoldThreads "fold-threads" "fold all threads, or unfold them" Any |app| app.fold_all();
    OnlyUnread "only-unread" "show only unread articles, or all" Any |app| app.toggle_read_articles();
    ShowHidden "show-hidden" "show the articles that rules hide, or not" Any |app| app.toggle_hidden_articles();
    Parent "parent" "to the article that this one answers" Any |app| app.go_to_related(Relation::Parent);
    ThreadRoot "thread-root" "to the first article of the thread" Any |app| app.go_to_related(Relation::Root);
    NextReply "next-reply" "to the first answer to this article" Any |app| app.go_to_related(Relation::Reply);
    WholeThread "whole-thread" "to the article in its group, its thread unfolded" Any |app| app.whole_thread();
    Rule "rule" "hide or mark an author or a subject from now on" Any |app| app.ask_rule();
    NextPane "next-pane" "to the next pane" Any |app| app.move_focus(true);
    PreviousPane "previous-pane" "to the previous pane" Any |app| app.move_focus(false);
    ClosePane "close-pane" "close this pane (the last one: the tab)" Any |app| app.close_pane();
    NextTab "next-tab" "to the next tab" Any |app| app.switch_tab(true);
    PreviousTab "previous-tab" "to the previous tab" Any |app| app.switch_tab(false);
    NewTab "new-tab" "open a new tab" Any |app| app.new_tab();
    CloseTab "close-tab" "close this tab" Any |app| app.close_tab();
    FoldQuotations "fold-quotations" "fold long quotations to a row each, or open them" Any |app| app.toggle_quotations();
    Rot13 "rot13" "read the text of an article by ROT13, or as it is" Any |app| app.toggle_rot13();
    PostArticle "post-article" "post a new article to this group" Any |app| app.write_new();
    FollowUp "follow-up" "answer this article in its group" Any |app| app.write_follow_up();
    ReplyByMail "reply-by-mail" "answer this article by mail" Any |app| app.write_mail_reply();
    CancelArticle "cancel-article" "cancel this article, which is your own" Any |app| app.write_cancel();
    Supersede "supersede" "replace this article, which is your own, by a new one" Any |app| app.write_supersede();
    Drafts "drafts" "list the drafts that are kept, to go on with one" Any |app| app.emit(Effect::Write(DraftJob::ListDrafts));
    NextField "next-field" "to the next field of a form" Form |app| app.step_field(true);
    PreviousField "previous-field" "to the previous field of a form" Form |app| app.step_field(false);
    SendForm "send-form" "send the form" Form |app| app.send_form();
    LeaveForm "leave-form" "leave the form, unsent" Form |app| app.close_form();
    SessionKeys "session-keys" "give the keys to the session, or take them from it" Any |app| app.switch_keys();
    Palette "palette" "every action by name" Any |app| app.open_palette();
    Help "help" "this page" Any |app| app.open_help();
    Redraw "redraw" "redraw the screen" Any |app| app.emit(Effect::Redraw);
    Suspend "suspend" "suspend Geomys" Any |app| app.emit(Effect::Suspend);
    Quit "quit" "quit" Any |app| app.quit();
}
