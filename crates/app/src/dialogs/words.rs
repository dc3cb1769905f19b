//! The words that people type for a command, a setting or a topic, besides its name: synonyms, and the names that lynx,
//! tin, lftp and lagrange have for the same. The palette, the help and the prompt for a URL use this one table.

use crate::action::Action;

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A command.
    Command(Action),
    /// A setting, by its name.
    Setting(&'static str),
    /// A topic of the manual, by its name.
    Topic(&'static str),
    /// A file of the configuration, by its name.
    File(&'static str),
}

use Meaning::{Command, File, Setting, Topic};

/// The words, in the order of the alphabet. The first meaning of a word is the closest one.
const WORDS: &[(&str, &[Meaning])] = &[
    ("addressbook", &[Command(Action::Bookmarks)]),
    ("archive", &[Command(Action::Copies), Topic("scripts")]),
    ("bookmark", &[Command(Action::BookmarkPage)]),
    ("browse", &[Command(Action::Go)]),
    (
        "cancel",
        &[Command(Action::Stop), Command(Action::CancelArticle)],
    ),
    ("cat", &[Command(Action::Open)]),
    ("catchup", &[Command(Action::CatchUp)]),
    ("certificates", &[Command(Action::Identities)]),
    (
        "clipboard",
        &[Command(Action::CopyLink), Command(Action::CopyUrl)],
    ),
    (
        "close",
        &[Command(Action::CloseTab), Command(Action::ClosePane)],
    ),
    ("cls", &[Command(Action::Reload)]),
    (
        "color",
        &[
            Setting("theme"),
            Setting("colours"),
            Command(Action::Colours),
        ],
    ),
    ("cookies", &[Topic("web")]),
    (
        "copy",
        &[Command(Action::CopyLink), Command(Action::CopyUrl)],
    ),
    (
        "delete",
        &[
            Command(Action::RemoveBookmark),
            Command(Action::RemoveVisit),
        ],
    ),
    (
        "downloads",
        &[Command(Action::Transfers), Setting("downloads")],
    ),
    ("du", &[Command(Action::Info)]),
    ("edit keymap", &[File("keys")]),
    ("encoding", &[Command(Action::Charset), Setting("charset")]),
    ("exit", &[Command(Action::Quit)]),
    ("export", &[Topic("bookmarks")]),
    ("favourites", &[Command(Action::Bookmarks)]),
    (
        "feed",
        &[
            Command(Action::Follow),
            Command(Action::NextUnread),
            Topic("offline"),
        ],
    ),
    (
        "feeds",
        &[
            Command(Action::NextUnread),
            Command(Action::Follow),
            Topic("offline"),
        ],
    ),
    ("followup", &[Command(Action::FollowUp)]),
    (
        "fullscreen",
        &[Command(Action::ZoomSession), Command(Action::ZoomFit)],
    ),
    ("get", &[Command(Action::Download)]),
    ("goto", &[Command(Action::Go)]),
    ("identity", &[Command(Action::Identities)]),
    ("images", &[Topic("pictures"), Setting("pictures.show")]),
    ("jobs", &[Command(Action::Transfers)]),
    ("jump", &[Command(Action::Go)]),
    (
        "keep",
        &[Command(Action::SaveForLater), Command(Action::Later)],
    ),
    ("keys", &[Command(Action::Help), Topic("keys")]),
    ("kill", &[Command(Action::Rule)]),
    ("lcd", &[Setting("downloads")]),
    ("login", &[Command(Action::EditUrl), Topic("network")]),
    ("main", &[Command(Action::Home)]),
    (
        "mget",
        &[Command(Action::Download), Command(Action::MarkRow)],
    ),
    ("options", &[Command(Action::Config)]),
    ("outbox", &[Command(Action::Drafts), Command(Action::Sync)]),
    ("pget", &[Command(Action::Download)]),
    ("post", &[Command(Action::PostArticle)]),
    ("print", &[Command(Action::Pipe), Command(Action::Save)]),
    ("q!", &[Command(Action::Quit)]),
    (
        "queue",
        &[Command(Action::Transfers), Command(Action::Later)],
    ),
    ("rate", &[Command(Action::LimitRate)]),
    ("refresh", &[Command(Action::Reload)]),
    ("rename", &[Command(Action::EditBookmark)]),
    (
        "reply",
        &[Command(Action::ReplyByMail), Command(Action::FollowUp)],
    ),
    ("restore", &[Topic("bookmarks")]),
    ("set", &[Command(Action::Config)]),
    ("settings", &[Command(Action::Config)]),
    ("sidebar", &[Command(Action::Bookmarks)]),
    (
        "split",
        &[Command(Action::OpenBeside), Command(Action::StackPanes)],
    ),
    (
        "tab",
        &[
            Command(Action::OpenTab),
            Command(Action::NewTab),
            Command(Action::CloseTab),
        ],
    ),
    (
        "tabs",
        &[
            Command(Action::NextTab),
            Command(Action::NewTab),
            Command(Action::OpenTab),
        ],
    ),
    ("tag", &[Command(Action::MarkRow), Command(Action::Tags)]),
    ("theme", &[Setting("theme"), Command(Action::Colours)]),
    (
        "thread",
        &[Command(Action::WholeThread), Command(Action::FoldThread)],
    ),
    ("version", &[Command(Action::About)]),
    ("watch", &[Command(Action::Follow)]),
    ("wq", &[Command(Action::Quit)]),
    ("x", &[Command(Action::Quit)]),
    (
        "yank",
        &[Command(Action::AllGroups), Command(Action::OnlyUnread)],
    ),
];

/// Returns what this word means, the closest first; nothing for a word that is in no table.
pub fn meanings(word: &str) -> &'static [Meaning] {
    let found = WORDS
        .iter()
        .find(|(typed, _)| typed.eq_ignore_ascii_case(word));
    found.map_or(&[], |(_, meanings)| meanings)
}

/// Returns true if the word is the name of a command, or in the table.
pub(crate) fn is_known(word: &str) -> bool {
    Action::named(word).is_some() || !meanings(word).is_empty()
}

/// Returns the words with a meaning for which this is true.
pub fn words_for(is_meant: impl Fn(&Meaning) -> bool) -> impl Iterator<Item = &'static str> {
    let is_wanted = move |(_, meanings): &&(&str, &[Meaning])| meanings.iter().any(&is_meant);
    WORDS.iter().filter(is_wanted).map(|(word, _)| *word)
}

/// The words of the descriptions for what is typed.
const SYNONYMS: [(&str, &str); 8] = [
    ("browse", "open"),
    ("cancel", "stop"),
    ("close", "quit"),
    ("delete", "remove"),
    ("erase", "remove"),
    ("refresh", "reload"),
    ("remove", "delete"),
    ("search", "find"),
];

/// Returns the text with the words of the descriptions in place of their synonyms.
pub(crate) fn with_synonyms(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().map(synonym).collect();
    words.join(" ")
}

/// Returns the word that the descriptions use for this one.
pub(crate) fn synonym(word: &str) -> &str {
    let synonym = SYNONYMS.iter().find(|(typed, _)| *typed == word);
    synonym.map_or(word, |(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::{TOPICS, setting_lines};

    #[test]
    fn each_synonym_means_a_word_of_a_description() {
        for (typed, meaning) in SYNONYMS {
            let has_word = |action: &&Action| action.doc().to_lowercase().contains(meaning);
            let actions = Action::ALL.iter().filter(has_word).count();
            assert!(actions > 0, "{typed}: {meaning}");
        }
    }

    #[test]
    fn words_are_sorted_and_mean_what_exists() {
        assert!(WORDS.is_sorted_by_key(|(word, _)| word));
        let settings = setting_lines();
        for (word, meanings) in WORDS {
            for meaning in *meanings {
                let exists = match meaning {
                    Command(action) => action.name() != *word,
                    Setting(name) => settings.iter().any(|(setting, _)| setting == name),
                    File(name) => *name == "keys",
                    Topic(name) => TOPICS.iter().any(|topic| topic.name == *name),
                };
                assert!(exists, "{word}: {meaning:?}");
            }
        }
    }

    #[test]
    fn words_of_other_programs_are_known() {
        let lynx = "exit print options jump info main";
        let tin = "catchup subscribe unsubscribe followup reply post thread tag kill yank pipe";
        let lftp = "get mget pget mirror cat queue jobs du cls lcd bookmark set";
        let lagrange = "feeds identity split sidebar tabs import export";
        let others = "color encoding feed outbox downloads theme login clipboard fullscreen images follow offline home";
        for program in [lynx, tin, lftp, lagrange, others] {
            for word in program.split(' ') {
                assert!(is_known(word), "{word}");
            }
        }
    }
}
