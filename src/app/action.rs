//! All actions of the browser with their names: keys.toml, the help page and the palette use this list.

macro_rules! actions {
    ($( $variant:ident $name:literal $doc:literal; )*) => {
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
    RowDown "row-down" "one row down";
    RowUp "row-up" "one row up";
    PageDown "page-down" "one screen down";
    PageUp "page-up" "one screen up";
    HalfPageDown "half-page-down" "half a screen down";
    HalfPageUp "half-page-up" "half a screen up";
    Top "top" "to the top";
    Bottom "bottom" "to the bottom";
    NextLink "next-link" "to the next link";
    PreviousLink "previous-link" "to the previous link";
    ScrollLeft "scroll-left" "scroll sideways, to the left";
    ScrollRight "scroll-right" "scroll sideways, to the right";
    Open "open" "open the link here";
    OpenBeside "open-beside" "open the link in a new pane to the right";
    OpenTab "open-tab" "open the link in a new tab";
    Hints "hints" "show a letter for every link on screen, and open one by it";
    Back "back" "back to the page before";
    Forward "forward" "forward again";
    Up "up" "up a level";
    Root "root" "to the server's root";
    Go "go" "open a URL";
    EditUrl "edit-url" "edit this page's URL and open it";
    Reload "reload" "load this page again";
    Offline "offline" "go offline, or online again";
    Stop "stop" "stop the load, close what is open, clear find and filter";
    Find "find" "find words in this page";
    FindNext "find-next" "find the next place";
    FindPrevious "find-previous" "find the previous place";
    Download "download" "save what the link leads to";
    Transfers "transfers" "show the transfers, or the page again";
    Pause "pause" "stop this transfer, or let it go on";
    PauseAll "pause-all" "stop all transfers, or let them go on";
    Retry "retry" "try a transfer again that has failed";
    ShiftDown "shift-down" "move this transfer down";
    ShiftUp "shift-up" "move this transfer up";
    RemoveTransfer "remove-transfer" "remove this transfer, keep its part";
    EraseTransfer "erase-transfer" "remove this transfer and its part";
    ClearDone "clear-done" "remove the transfers that are done";
    Save "save" "save this page";
    BookmarkPage "bookmark-page" "bookmark this page";
    BookmarkLink "bookmark-link" "bookmark this link";
    Bookmarks "bookmarks" "show or hide the bookmarks";
    BookmarkLinks "bookmark-links" "bookmark all links of this page";
    FilterBookmarks "filter-bookmarks" "find bookmarks by words or #tags";
    EditBookmark "edit-bookmark" "edit this bookmark, or folder's name";
    RemoveBookmark "remove-bookmark" "remove this, or what is marked";
    Undo "undo" "undo the last change to the bookmarks";
    Redo "redo" "do it again";
    Fold "fold" "open or close the folder";
    OpenFolder "open-folder" "open the folder, or the bookmark here";
    CloseFolder "close-folder" "close the folder, or go out of it";
    Mark "mark" "mark this, or not, and go down";
    MarkAll "mark-all" "mark all that is shown, or nothing";
    Cut "cut" "take this up, or what is marked";
    Paste "paste" "put below this what was taken up";
    PasteCopies "paste-copies" "put copies of what was taken up";
    EntryDown "entry-down" "move this down by one";
    EntryUp "entry-up" "move this up by one";
    NewFolder "new-folder" "make a folder";
    Tags "tags" "tag this, or what is marked";
    Note "note" "put a note on this bookmark";
    NextFault "next-fault" "to the next bookmark with a fault";
    Repair "repair" "repair this bookmark's URL";
    RepairAll "repair-all" "repair all URLs that can be repaired";
    OpenAll "open-all" "open all of it in tabs";
    Widen "widen" "more room for the bookmarks, or less";
    Check "check" "ask whether this bookmark is alive";
    CheckAll "check-all" "ask it of all, or of the folder's";
    NextDead "next-dead" "to the next that is dead, moved or unreachable";
    AcceptMove "accept-move" "take the new address of what has moved";
    Info "info" "tell what this link is and what would be sent";
    CopyLink "copy-link" "copy the link's URL";
    CopyUrl "copy-url" "copy this page's URL";
    Source "source" "show the source, or the page again";
    Charset "charset" "read the page in another charset";
    Wrap "wrap" "wrap long lines, or not";
    Colours "colours" "show the page's own colours, or not";
    SortName "sort-name" "sort by name (again: reverse)";
    SortSize "sort-size" "sort by size (again: reverse)";
    SortDate "sort-date" "sort by date (again: reverse)";
    SortKind "sort-kind" "sort by kind (again: reverse)";
    DirectoriesFirst "directories-first" "directories first, or among the rest";
    Filter "filter" "show only the rows with some words";
    SortThread "sort-thread" "sort by thread, the newest first (again: reverse)";
    SortAuthor "sort-author" "sort by author (again: reverse)";
    SortSubject "sort-subject" "sort by subject (again: reverse)";
    SortScore "sort-score" "sort by score (again: reverse)";
    NextUnread "next-unread" "read the next unread article, in the next group after the last";
    NextGroup "next-group" "to the next subscribed group with unread articles";
    MarkArticle "mark-article" "mark the article read, or unread again";
    MarkThread "mark-thread" "mark the thread read, or unread again";
    CatchUp "catch-up" "mark all of the group read, after asking";
    ResetGroup "reset" "forget what was read of the group, after asking";
    Subscribe "subscribe" "subscribe to the group";
    Unsubscribe "unsubscribe" "subscribe to the group no longer";
    FoldThread "fold-thread" "fold the thread into one row, or unfold it";
    FoldThreads "fold-threads" "fold all threads, or unfold them";
    OnlyUnread "only-unread" "show only unread articles, or all";
    ShowHidden "show-hidden" "show the articles that rules hide, or not";
    Parent "parent" "to the article that this one answers";
    ThreadRoot "thread-root" "to the first article of the thread";
    NextReply "next-reply" "to the first answer to this article";
    WholeThread "whole-thread" "to the article in its group, its thread unfolded";
    Rule "rule" "hide or mark an author or a subject from now on";
    NextPane "next-pane" "to the next pane";
    PreviousPane "previous-pane" "to the previous pane";
    ClosePane "close-pane" "close this pane (the last one: the tab)";
    NextTab "next-tab" "to the next tab";
    PreviousTab "previous-tab" "to the previous tab";
    NewTab "new-tab" "open a new tab";
    CloseTab "close-tab" "close this tab";
    FoldQuotations "fold-quotations" "fold long quotations to a row each, or open them";
    Rot13 "rot13" "read the text of an article by ROT13, or as it is";
    PostArticle "post-article" "post a new article to this group";
    FollowUp "follow-up" "answer this article in its group";
    ReplyByMail "reply-by-mail" "answer this article by mail";
    CancelArticle "cancel-article" "cancel this article, which is your own";
    Supersede "supersede" "replace this article, which is your own, by a new one";
    Drafts "drafts" "list the drafts that are kept, to go on with one";
    NextField "next-field" "to the next field of a form";
    PreviousField "previous-field" "to the previous field of a form";
    SendForm "send-form" "send the form";
    LeaveForm "leave-form" "leave the form, unsent";
    SessionKeys "session-keys" "give the keys to the session, or take them from it";
    Palette "palette" "every action by name";
    Help "help" "this page";
    Redraw "redraw" "redraw the screen";
    Suspend "suspend" "suspend Geomys";
    Quit "quit" "quit";
}
