//! All actions of the browser with their names: keys.toml, the help page and the palette use this list.

/// The part of the screen that an action works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
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
}

/// What an action may do besides showing something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// It deletes, sends or forgets something.
    Explicit,
    /// It asks a server, or starts another program.
    Fetches,
}

/// The names of actions of earlier versions, with those that replace them.
const FORMER: &[(&str, &str)] = &[
    ("bookmark-article", "bookmark-page"),
    ("copy-news-url", "copy-url"),
];

macro_rules! actions {
    ($( $variant:ident $name:literal $doc:literal $scope:ident $(as $care:ident)? $handler:expr; )*) => {
        /// An action that a key or the palette can start.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $( #[doc = $doc] $variant, )*
            /// go to a tab by number
            Tab(u8),
        }

        impl Action {
            /// All actions except those with a number, in the order of the help page.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// Returns the description for the help page and the palette.
            pub fn doc(self) -> &'static str {
                match self {
                    $( Self::$variant => $doc, )*
                    Self::Tab(_) => "go to a tab by number",
                }
            }

            /// Returns the name in keys.toml.
            pub const fn name(self) -> &'static str {
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

            /// Returns true for an action that deletes, sends or forgets something: a part of its name is not enough to
            /// run it.
            pub fn needs_whole_name(self) -> bool {
                self.care() == Some(Care::Explicit)
            }

            /// Returns true for an action that deletes, sends and fetches nothing.
            pub(crate) fn is_harmless(self) -> bool {
                self.care().is_none()
            }

            fn care(self) -> Option<Care> {
                let care: &[Care] = match self {
                    $( Self::$variant => &[ $( Care::$care )? ], )*
                    Self::Tab(_) => &[],
                };
                care.first().copied()
            }

            /// Returns the part of the screen that the action works on.
            pub(crate) fn scope(self) -> Scope {
                match self {
                    $( Self::$variant => Scope::$scope, )*
                    Self::Tab(_) => Scope::Any,
                }
            }

            /// Returns the name of the action that does the work of a former one.
            pub fn replacement(name: &str) -> Option<&'static str> {
                let former = FORMER.iter().find(|(former, _)| *former == name);
                former.map(|(_, replacement)| *replacement)
            }

            /// Returns the action with a name, or with one of an earlier version.
            pub fn named(name: &str) -> Option<Self> {
                let name = Self::replacement(name).unwrap_or(name);
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

/// The table of all actions, as the arguments of another macro: variant, name in keys.toml, description, the part of
/// the screen that it works on, `as` what it may do besides showing something, and the handler for what the shown view
/// ignores.
macro_rules! with_actions {
    ($macro:ident) => { $macro! {
    RowDown "row-down" "move one row down" Any |app| app.move_cursor(Motion::Rows(1));
    RowUp "row-up" "move one row up" Any |app| app.move_cursor(Motion::Rows(-1));
    PageDown "page-down" "scroll one screen down" Any |app| app.move_cursor(Motion::Screens(1, 1));
    PageUp "page-up" "scroll one screen up" Any |app| app.move_cursor(Motion::Screens(-1, 1));
    ReadOn "read-on" "scroll a screen; at the end read on" Any as Fetches |app| app.read_on();
    HalfPageDown "half-page-down" "scroll half a screen down" Any |app| app.move_cursor(Motion::Screens(1, 2));
    HalfPageUp "half-page-up" "scroll half a screen up" Any |app| app.move_cursor(Motion::Screens(-1, 2));
    Top "top" "go to the top" Any |app| app.move_cursor(Motion::Edge(Edge::Top));
    Bottom "bottom" "go to the bottom" Any |app| app.move_cursor(Motion::Edge(Edge::Bottom));
    NextLink "next-link" "go to the next link" Page |app| app.cx.notify("No links on this page");
    PreviousLink "previous-link" "go to the previous link" Page |app| app.cx.notify("No links on this page");
    LinkDown "link-down" "next visible link, or scroll down" Page |app| app.step_link_or_scroll(true);
    LinkUp "link-up" "previous visible link, or scroll up" Page |app| app.step_link_or_scroll(false);
    ScrollLeft "scroll-left" "scroll left" Page |app| app.cx.notify("No text here");
    ScrollRight "scroll-right" "scroll right" Page |app| app.cx.notify("No text here");
    Open "open" "open the link" Link as Fetches |app| app.open_selected(OpenIn::ThisPane);
    OpenBeside "open-beside" "open in a new pane" Link as Fetches |app| app.open_selected(OpenIn::NewPane);
    OpenTab "open-tab" "open in a new tab" Link as Fetches |app| app.open_selected(OpenIn::NewTab);
    SearchSimilar "search-similar" "search similar (WAIS)" Link as Fetches |app| app.cx.notify("Not a result of a WAIS search");
    Hints "hints" "open a link by its letters" Page |app| app.cx.notify("No link on this screen");
    Back "back" "go back" Page as Fetches |app| app.tabs.go_in_history(false, &mut app.cx);
    Forward "forward" "go forward" Page as Fetches |app| app.tabs.go_in_history(true, &mut app.cx);
    Up "up" "go up one level" Page as Fetches |app| app.tabs.go_up(false, &app.credentials, &mut app.cx);
    Root "root" "go to the server's root" Page as Fetches |app| app.tabs.go_up(true, &app.credentials, &mut app.cx);
    Home "home" "go to the home page" Any go_home;
    Go "go" "open a URL" Any |app| app.cx.ask(Dialog::url_input());
    EditUrl "edit-url" "edit this page's URL" Page |app| edit_url(&app.tabs, &mut app.cx);
    Reload "reload" "reload the page" Page as Fetches |app| app.tabs.reload(&mut app.compose, &mut app.cx);
    SaveForLater "save-for-later" "keep the link or the page" Link |app| app.save_for_later();
    Sync "sync" "get what is new, send what waits" Any as Explicit |app| start_sync(&app.library, &app.tabs, &mut app.cx);
    Copies "copies" "find copies of a dead page" Any as Fetches offer_copies;
    Later "later" "show or hide the kept pages" Any |app| toggle_later(&app.tabs, &mut app.cx);
    RemoveLater "remove-later" "remove a kept page, a certificate" Page as Explicit |app| app.cx.notify("X removes only kept pages and certificates");
    Identities "identities" "show or hide client certificates" Any |app| toggle_identities(&app.tabs, &mut app.cx);
    Offline "offline" "toggle offline mode (copies only)" Any |app| toggle_offline(&mut app.cx);
    Stop "stop" "stop; clear find and filter; close" Any |app| if !app.stop() { app.leave_tour(); };
    Find "find" "find text in the page" Page |app| app.cx.notify("No text here");
    FindNext "find-next" "go to the next match" Page |app| app.cx.notify("No text here");
    FindPrevious "find-previous" "go to the previous match" Page |app| app.cx.notify("No text here");
    Search "search" "search all stored pages" Any |app| open_builtin(builtin::SEARCH, &mut app.cx);
    Download "download" "download (or marked rows)" Link as Fetches |app| app.download_selected();
    Mirror "mirror" "mirror the page's directory or site (asks)" Page as Fetches |app| app.mirror_page();
    Archive "archive" "archive the directory or site (asks)" Page as Fetches |app| app.archive_page();
    DownloadAs "download-as" "download as another name" Link |app| app.download_selected_as();
    MarkRow "mark-row" "mark the row, or lines of a text" Page |app| app.cx.notify("No link on this row");
    MarkRows "mark-rows" "mark all rows, or remove all marks" Page |app| app.cx.notify("No list to mark rows of");
    InvertMarks "invert-marks" "mark the rows that are not marked" Page |app| app.cx.notify("No list to mark rows of");
    MarkPattern "mark-pattern" "mark the rows that match a pattern" Page |app| app.cx.notify("No list to mark rows of");
    Pipe "pipe" "pipe the page or rows to a command" Page |app| ask_pipe(&app.tabs, &app.credentials, &mut app.cx);
    SaveThread "save-thread" "save the thread as a mailbox" Any as Fetches |app| save_thread(&mut app.transfers, &app.tabs, &app.credentials, &mut app.cx);
    SaveBinary "save-binary" "join and save the binary attachment" Any as Fetches |app| app.transfers.save_binary(&app.tabs, &app.credentials, &mut app.cx);
    Transfers "transfers" "show or hide the transfers" Any |app| app.transfers.toggle(&mut app.cx);
    Pause "pause" "pause or resume the transfer" Transfers as Fetches |app| app.transfers.pause(&mut app.cx);
    PauseAll "pause-all" "pause or resume all transfers" Any as Fetches |app| app.transfers.pause_all(&mut app.cx);
    LimitRate "limit-rate" "limit the rate of all transfers" Any |app| app.open_setting("transfers.rate-limit");
    Retry "retry" "retry what failed, skip waits" Transfers as Fetches |app| app.transfers.retry(&mut app.cx);
    ShiftDown "shift-down" "move the transfer down" Transfers |app| app.transfers.shift_transfer(true, &mut app.cx);
    ShiftUp "shift-up" "move the transfer up" Transfers |app| app.transfers.shift_transfer(false, &mut app.cx);
    RemoveTransfer "remove-transfer" "remove transfer, keep partial file" Transfers as Explicit |app| app.transfers.remove_transfer(&mut app.cx);
    EraseTransfer "erase-transfer" "remove transfer and partial file" Transfers as Explicit |app| app.transfers.ask_erase(&mut app.cx);
    ClearDone "clear-done" "remove finished transfers" Transfers as Explicit |app| app.transfers.clear_done(&mut app.cx);
    History "history" "show or hide the history" Any |app| toggle_history(&app.tabs, &mut app.cx);
    RemoveVisit "remove-visit" "remove the page from the history" Page as Explicit |app| notify_no_history(&mut app.cx);
    Save "save" "save the page" Page |app| ask_save(&app.tabs, &mut app.cx);
    Card "card" "save a picture of the screen (asks)" Any ask_card;
    BookmarkPage "bookmark-page" "bookmark the page" Page |app| app.bookmarks.bookmark_page(&app.tabs, &mut app.cx);
    BookmarkLink "bookmark-link" "bookmark the link" Link |app| app.bookmark_link();
    Follow "follow" "follow the page: new entries and changes" Page as Fetches |app| app.bookmarks.follow_page(&app.tabs, &mut app.cx);
    Bookmarks "bookmarks" "show or hide the bookmarks" Any |app| app.bookmarks.toggle(&mut app.cx);
    BookmarkLinks "bookmark-links" "bookmark all links of the page" Any |app| ask_bookmark_links(&app.tabs, &mut app.cx);
    FilterBookmarks "filter-bookmarks" "find bookmarks by words or #tags" Bookmarks |app| app.bookmarks.sidebar.ask_filter(&app.bookmarks.checks, &mut app.cx);
    EditBookmark "edit-bookmark" "edit bookmark, or rename folder" Bookmarks |app| edit_bookmark(&app.bookmarks.sidebar, &mut app.cx);
    RemoveBookmark "remove-bookmark" "delete the bookmark, or marked ones" Bookmarks as Explicit |app| app.bookmarks.remove_bookmark(&mut app.cx);
    Undo "undo" "undo a change of bookmarks or marks" Any |app| app.undo();
    Redo "redo" "redo the undone change" Any |app| app.redo();
    Fold "fold" "fold or unfold the folder" Bookmarks |app| { app.bookmarks.listed_mut().fold(); app.cx.reveal_all(); };
    FoldFolders "fold-folders" "fold or unfold all folders" Bookmarks |app| { app.bookmarks.listed_mut().fold_all(); app.cx.reveal_all(); };
    OpenFolder "open-folder" "unfold folder, or open the bookmark" Bookmarks |app| app.bookmarks.open_folder(&mut app.cx);
    CloseFolder "close-folder" "fold folder, or go to its parent" Bookmarks |app| app.bookmarks.listed_mut().close();
    Mark "mark" "mark or unmark the bookmark" Bookmarks |app| app.bookmarks.mark_bookmark(&mut app.cx);
    MarkAll "mark-all" "mark or unmark all shown bookmarks" Bookmarks |app| app.bookmarks.mark_all_bookmarks(&mut app.cx);
    Cut "cut" "cut the bookmark, or marked ones" Bookmarks as Explicit |app| app.bookmarks.cut_selected(&mut app.cx);
    Paste "paste" "paste below" Bookmarks |app| app.bookmarks.paste_bookmarks(false, &mut app.cx);
    PasteCopies "paste-copies" "paste copies below" Bookmarks |app| app.bookmarks.paste_bookmarks(true, &mut app.cx);
    EntryDown "entry-down" "move the bookmark down" Bookmarks |app| app.bookmarks.shift(true, &mut app.cx);
    EntryUp "entry-up" "move the bookmark up" Bookmarks |app| app.bookmarks.shift(false, &mut app.cx);
    NewFolder "new-folder" "create a folder" Bookmarks |app| app.cx.ask(Dialog::input("New folder:", TextInput::new(BookmarkInput::NewFolder, "")));
    Import "import" "import bookmarks from a file or directory" Any |app| ask_import(&mut app.cx);
    BookmarksHistory "bookmarks-history" "restore an earlier state of bookmarks" Any |app| app.cx.emit(BookmarkEffect::ListStates);
    SortBookmarks "sort-bookmarks" "sort the list by title or date" Bookmarks |app| ask_order(app.bookmarks.sidebar.order(), &mut app.cx);
    Tags "tags" "edit tags" Bookmarks |app| ask_tags(&app.bookmarks.sidebar, &mut app.cx);
    Note "note" "edit the note" Bookmarks |app| ask_note(&app.bookmarks.sidebar, &mut app.cx);
    NextFault "next-fault" "go to the next malformed URL" Bookmarks |app| app.bookmarks.sidebar.go_to_fault(&mut app.cx);
    Repair "repair" "repair the bookmark's URL" Bookmarks |app| ask_repair(&app.bookmarks.sidebar, &mut app.cx);
    RepairAll "repair-all" "repair all malformed URLs" Bookmarks as Explicit |app| ask_repair_all(&app.bookmarks.sidebar, &mut app.cx);
    OpenAll "open-all" "open the folder's bookmarks in tabs" Bookmarks as Fetches |app| ask_open_all(&app.bookmarks.sidebar, &mut app.cx);
    Widen "widen" "toggle the width of the bookmarks" Bookmarks |app| app.bookmarks.sidebar.is_wide ^= true;
    Check "check" "check the link, or the site's links (asks)" Any as Fetches |app| app.check();
    CheckAll "check-all" "check all links" Bookmarks as Fetches |app| app.bookmarks.checks.ask_check(&app.bookmarks.sidebar, &app.credentials, &mut app.cx);
    NextDead "next-dead" "go to the next dead or moved link" Bookmarks |app| app.bookmarks.go_to_next_problem(&mut app.cx);
    AcceptMove "accept-move" "accept the new URL of a moved link" Bookmarks as Explicit |app| app.bookmarks.accept_move(&app.credentials, &mut app.cx);
    Merge "merge" "merge bookmarks of the same page" Bookmarks as Explicit |app| app.bookmarks.merge(&mut app.cx);
    FetchTitles "fetch-titles" "fetch the title from the page" Bookmarks as Fetches |app| app.bookmarks.fetch_titles(&app.credentials, &mut app.cx);
    Info "info" "show details of the link" Link |app| app.show_info();
    CopyLink "copy-link" "copy the link's URL" Link |app| app.copy_link();
    CopyUrl "copy-url" "copy the page's URL" Page |app| copy_url(&app.tabs, &mut app.cx);
    Source "source" "toggle the source" Page |app| app.cx.notify("No text here");
    Charset "charset" "choose the charset" Page |app| app.cx.notify("No text here");
    Wrap "wrap" "toggle wrapping" Page |app| app.cx.notify("No text here");
    Colours "colours" "toggle the page's colours" Page |app| app.cx.notify("No text here");
    SortName "sort-name" "sort by name, or reverse" Page |app| app.cx.notify("Nothing to sort here");
    SortSize "sort-size" "sort by size, or reverse" Page |app| app.cx.notify("Nothing to sort here");
    SortDate "sort-date" "sort by date, or reverse" Page |app| app.cx.notify("Nothing to sort here");
    SortKind "sort-kind" "sort by kind, or reverse" Page |app| app.cx.notify("Nothing to sort here");
    DirectoriesFirst "directories-first" "toggle directories first" Any |app| app.cx.notify("Nothing to sort here");
    Filter "filter" "filter rows by words" Any |app| notify_no_list(&mut app.cx);
    SortThread "sort-thread" "sort by thread, or reverse" Any |app| app.cx.notify("Nothing to sort here");
    SortAuthor "sort-author" "sort by author, or reverse" Any |app| app.cx.notify("Nothing to sort here");
    SortSubject "sort-subject" "sort by subject, or reverse" Any |app| app.cx.notify("Nothing to sort here");
    SortScore "sort-score" "sort by score, or reverse" Any |app| app.cx.notify("Nothing to sort here");
    NextUnread "next-unread" "read the next unread article, entry" Any as Fetches |app| app.next_unread();
    NextGroup "next-group" "go to the next unread group" Any as Fetches |app| app.next_group();
    MarkArticle "mark-article" "mark the article read or unread" Any |app| app.news.mark_article(&mut app.tabs, &mut app.cx);
    MarkThread "mark-thread" "mark the thread read or unread" Any |app| app.news.mark_thread(&mut app.tabs, &mut app.cx);
    CatchUp "catch-up" "mark the group read (asks)" Any as Explicit |app| ask_catch_up(None, &app.tabs, &mut app.cx);
    ResetGroup "reset" "mark the group unread (asks)" Any as Explicit |app| ask_catch_up(Some(CatchUpRange::Reset), &app.tabs, &mut app.cx);
    Subscribe "subscribe" "subscribe to the group" Any |app| app.news.subscribe(true, &mut app.tabs, &mut app.cx);
    Unsubscribe "unsubscribe" "unsubscribe from the group" Any |app| app.news.subscribe(false, &mut app.tabs, &mut app.cx);
    ToggleSubscription "toggle-subscription" "subscribe or unsubscribe" Any |app| app.news.toggle_subscription(&mut app.tabs, &mut app.cx);
    FoldThread "fold-thread" "fold or unfold the thread" Any |app| app.news.fold_thread(None, &mut app.tabs, &mut app.cx);
    FoldThreads "fold-threads" "fold or unfold all threads" Any |app| app.news.fold_all(&mut app.tabs, &mut app.cx);
    AllGroups "all-groups" "toggle subscribed groups only" Any |app| app.cx.notify("Not a list of groups");
    OnlyUnread "only-unread" "toggle unread articles only" Any |app| app.cx.notify("Not a group");
    ShowHidden "show-hidden" "toggle hidden articles or names" Any |app| app.cx.notify("Nothing hidden here");
    Parent "parent" "go to the parent article" Any as Fetches |app| app.tabs.go_to_related(Relation::Parent, &mut app.cx);
    ThreadRoot "thread-root" "go to the thread's first article" Any as Fetches |app| app.tabs.go_to_related(Relation::Root, &mut app.cx);
    NextReply "next-reply" "go to the first reply" Any as Fetches |app| app.tabs.go_to_related(Relation::Reply, &mut app.cx);
    WholeThread "whole-thread" "show the thread in its group" Any as Fetches |app| app.news.whole_thread(&mut app.tabs, &mut app.cx);
    GoToArticle "go-to-article" "open article by number, Message-ID" Any as Fetches |app| ask_article(&mut app.cx);
    OlderArticles "older-articles" "load older articles (Esc stops)" Any as Fetches |app| load_older(app.tabs.page(), OverviewGoal::All, &mut app.cx);
    Rule "rule" "score an author, subject or thread" Any |app| ask_rule(&app.tabs, &mut app.cx);
    NextPane "next-pane" "go to the next pane" Any |app| app.move_focus(true);
    PreviousPane "previous-pane" "go to the previous pane" Any |app| app.move_focus(false);
    WidenPane "widen-pane" "widen the pane, or the bookmarks" Any |app| widen(true, app.tabs.tab_mut(), &mut app.bookmarks, &mut app.cx);
    NarrowPane "narrow-pane" "narrow the pane, or the bookmarks" Any |app| widen(false, app.tabs.tab_mut(), &mut app.bookmarks, &mut app.cx);
    StackPanes "stack-panes" "stack the panes, or side by side" Any |app| if let Some(tab) = app.tabs.tab_mut() { tab.stack(&mut app.cx); };
    ClosePane "close-pane" "close the pane, then the tab" Any |app| app.close_pane();
    NextTab "next-tab" "go to the next tab" Any |app| app.tabs.switch_tab(true, &mut app.cx);
    PreviousTab "previous-tab" "go to the previous tab" Any |app| app.tabs.switch_tab(false, &mut app.cx);
    NewTab "new-tab" "open a new tab" Any |app| app.tabs.new_tab(&mut app.cx);
    CloseTab "close-tab" "close the tab" Any |app| app.tabs.close_tab(&mut app.cx);
    ReopenTab "reopen-tab" "reopen the tab closed last" Any as Fetches |app| app.library.session.reopen(&mut app.tabs, &mut app.cx);
    PrivateTab "private-tab" "open a private tab, store nothing" Any |app| app.tabs.new_private_tab(&mut app.cx);
    Outline "outline" "list the headings of the page" Any |app| app.cx.notify("No headings on this page");
    FoldBlocks "fold-blocks" "fold or unfold preformatted text" Any |app| app.cx.notify("No preformatted blocks on this page");
    FoldQuotations "fold-quotations" "fold or unfold long quotations" Any |app| app.cx.notify("No long quotations here");
    FoldHeaders "fold-headers" "show or fold headers" Any |app| app.cx.notify("No folded headers here");
    Rot13 "rot13" "toggle ROT13" Any |app| app.cx.notify("ROT13 works only in articles");
    PostArticle "post-article" "post a new article (asks)" Any as Explicit |app| app.compose.write_new(&app.tabs, &mut app.cx);
    FollowUp "follow-up" "reply in the group (asks)" Any as Explicit |app| app.compose.write_follow_up(&mut app.tabs, &mut app.cx);
    ReplyByMail "reply-by-mail" "reply by mail (asks)" Any as Explicit |app| app.compose.write_about(Action::ReplyByMail, "answered", |parent| DraftKind::MailReply(parent, MailReplyReason::UserChoice), &mut app.tabs, &mut app.cx);
    ForwardArticle "forward-article" "forward by mail (asks)" Any as Explicit |app| app.compose.write_about(Action::ForwardArticle, "forwarded", DraftKind::Forward, &mut app.tabs, &mut app.cx);
    CancelArticle "cancel-article" "cancel my article (asks)" Any as Explicit |app| app.compose.write_about(Action::CancelArticle, "cancelled", DraftKind::Cancel, &mut app.tabs, &mut app.cx);
    Supersede "supersede" "supersede my article (asks)" Any as Explicit |app| app.compose.write_about(Action::Supersede, "superseded", DraftKind::Supersede, &mut app.tabs, &mut app.cx);
    Drafts "drafts" "list the outbox" Any |app| app.cx.emit(DraftJob::ListDrafts);
    NextField "next-field" "go to the next field" Any |app| app.cx.notify("No form here");
    PreviousField "previous-field" "go to the previous field" Any |app| app.cx.notify("No form here");
    SendForm "send-form" "send the form" Any as Explicit |app| app.cx.notify("No form here");
    LeaveForm "leave-form" "leave the form unsent" Any as Explicit |app| app.cx.notify("No form here");
    SessionKeys "session-keys" "switch keys: session or browser" Any |app| app.cx.notify("Not a terminal session");
    ZoomSession "zoom-session" "toggle full screen" Page |app| app.cx.notify("Not a terminal session");
    SendEscape "send-escape" "send Ctrl-] to the session" Page as Explicit |app| app.cx.notify("Not a terminal session");
    AreYouThere "are-you-there" "ask the server whether it is there (AYT)" Page as Explicit |app| app.cx.notify("Not a terminal session");
    SendBreak "send-break" "send a break to the server" Page as Explicit |app| app.cx.notify("Not a terminal session");
    ZoomIn "zoom-in" "enlarge the picture" Page |app| app.cx.notify("No picture on this page");
    ZoomOut "zoom-out" "reduce the picture" Page |app| app.cx.notify("No picture on this page");
    ZoomFit "zoom-fit" "show the whole picture" Page |app| app.cx.notify("No picture on this page");
    OpenExternally "open-externally" "open by another program (asks)" Link as Fetches open_on_desktop;
    Palette "palette" "open the palette" Any |app| app.dialogs.open_palette("", &app.tabs, &app.bookmarks, &app.library, &mut app.cx);
    Help "help" "show the keys" Any |app| open_help(&app.tabs, &mut app.cx);
    Config "config" "show all settings and mistakes" Any |app| open_config(&app.tabs, &mut app.cx);
    About "about" "show the version" Any |app| app.cx.notify(concat!("Geomys ", env!("CARGO_PKG_VERSION")));
    ToggleMouse "toggle-mouse" "toggle the mouse" Any |app| toggle_mouse(&mut app.cx);
    Redraw "redraw" "redraw the screen" Any |app| app.cx.emit(Effect::Redraw);
    Suspend "suspend" "suspend Geomys" Any |app| app.cx.emit(Effect::Suspend);
    BackOrQuit "back-or-quit" "go back; without a page back quit" Any as Fetches |app| app.back_or_quit();
    Quit "quit" "quit" Any |app| app.quit();
    } };
}

pub(crate) use with_actions;

with_actions!(actions);
