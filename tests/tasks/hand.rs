//! The hand of a person who has read nothing.

use std::path::Path;

use crate::support::screen::{Browser, Ended, Session};

/// The two sizes of the screen.
pub const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// The most rows that the arrow is pressed over.
const MAX_ROWS: usize = 80;

/// The way to the command of a task.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// Its key is on the screen, with its verb.
    Shown,
    /// Its key is on the home page.
    Home,
    /// It is in the help, found by this word.
    Help(&'static str),
}

/// A session whose keys are pressed only while the screen shows them.
pub struct Hand {
    session: Session,
    way: Way,
}

/// The words of the screen between single blanks, without the brackets of messages and buttons.
fn words(screen: &str) -> String {
    let text = screen.replace(['(', ')', '[', ']', '│', '▌', '…'], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    format!(" {} ", words.join(" "))
}

/// Returns true if the cursor of a list or a form stands on these words.
fn is_chosen(line: &str, words: &str) -> bool {
    let mut rows = line.split('▌').skip(1);
    rows.any(|row| {
        let row = row.split('│').next().unwrap_or_default();
        row.contains(words) && !row.contains(" Search ")
    })
}

impl Hand {
    pub fn start(browser: Browser, size: (u16, u16), way: Way) -> Self {
        Self {
            session: browser.size(size).start(),
            way,
        }
    }

    /// Waits until the screen shows a key with its verb.
    pub async fn wait_for_key(&self, key: &str, verb: &str) {
        let hint = format!(" {key} {verb} ");
        self.session
            .wait_until(&hint, |screen| words(screen).contains(&hint))
            .await;
    }

    /// Presses a key once the screen shows it with its verb.
    pub async fn shown(&self, key: &str, verb: &str) {
        self.session.settle().await;
        self.wait_for_key(key, verb).await;
        self.session.press(key);
    }

    /// Runs the command of the task: by its key, or by the row of the help that has this description.
    pub async fn command(&self, key: &str, verb: &str, row: &str) {
        match self.way {
            Way::Shown | Way::Home => self.shown(key, verb).await,
            Way::Help(_) => self.help(row).await,
        }
    }

    /// Runs a command without a key: by its name among the commands, or by the row of the help.
    pub async fn named(&self, name: &str, row: &str) {
        match self.way {
            Way::Shown | Way::Home => self.palette(name).await,
            Way::Help(_) => self.help(row).await,
        }
    }

    /// Runs a command by its name in the palette.
    pub async fn palette(&self, name: &str) {
        self.shown(":", "commands").await;
        self.wait_for_key("Enter", "run").await;
        self.type_in(name);
        self.session.wait(&format!("▌ {name}")).await;
        self.shown("Enter", "run").await;
    }

    /// Finds a row of the help by the word of the task, and runs it.
    pub async fn help(&self, row: &str) {
        let Way::Help(word) = self.way else {
            panic!("{row} has to be shown");
        };
        self.shown("?", "help").await;
        self.session.wait("Most used").await;
        self.type_in(word);
        self.session.wait(&format!("Help: {word}")).await;
        self.go_down_until(row, |screen, (_, line)| {
            let line = screen.lines().nth(usize::from(line));
            line.is_some_and(|line| line.contains(row))
        })
        .await;
        self.shown("Enter", "run").await;
    }

    /// Goes to a row by the arrow, which nobody has to be told.
    pub async fn go_down_to(&self, words: &str) {
        self.go_down_until(words, |screen, _| {
            screen.lines().any(|line| is_chosen(line, words))
        })
        .await;
    }

    async fn go_down_until(&self, what: &str, is_there: impl Fn(&str, (u16, u16)) -> bool) {
        for _ in 0..MAX_ROWS {
            self.session.settle().await;
            let screen = self.session.screen();
            if is_there(&screen, self.session.cursor().unwrap_or_default()) {
                return;
            }
            self.session.press("Down");
        }
        panic!("no row {what}:\n{}", self.session.screen());
    }

    /// Goes to a field of a form.
    pub async fn go_to_field(&self, name: &str) {
        for _ in 0..MAX_ROWS {
            let screen = self.session.screen();
            if screen.lines().any(|line| is_chosen(line, name)) {
                return;
            }
            self.shown("Tab", "next field").await;
        }
        panic!("no field {name}:\n{}", self.session.screen());
    }

    /// Runs a command by the name that the screen shows with its argument.
    pub async fn typed_command(&self, name: &str, argument: &str) {
        self.wait_for_key(&format!(":{name}"), argument).await;
        self.session.press(":");
        self.wait_for_key("Enter", "run").await;
        self.type_in(name);
        self.shown("Enter", "run").await;
    }

    /// Presses an arrow, which takes a message away.
    pub async fn take_message_away(&self) {
        self.session.settle().await;
        self.session.press("Up");
    }

    /// Deletes the last letters of a line of input.
    pub fn delete(&self, letters: usize) {
        self.session.press(&"Backspace ".repeat(letters));
    }

    /// Deletes what a line of input has, letter by letter.
    pub fn clear_input(&self) {
        self.session.press("End");
        self.delete(100);
    }

    /// Opens a URL.
    pub async fn open(&self, url: &str) {
        self.shown("o", "URL").await;
        self.session.wait_in_prompt("URL (gopher").await;
        self.type_in(url);
        self.shown("Enter", "open").await;
        self.session.wait_until_absent("Enter open  Down").await;
    }

    pub fn type_in(&self, text: &str) {
        self.session.type_in(text);
    }

    /// Clicks on these words.
    pub async fn click(&self, words: &str) {
        self.session.settle().await;
        self.session
            .wait_until(words, |screen| screen.contains(words))
            .await;
        self.session.click(words);
    }

    pub async fn wait(&self, text: &str) {
        self.session.wait(text).await;
    }

    pub async fn wait_in_prompt(&self, text: &str) {
        self.session.wait_in_prompt(text).await;
    }

    pub async fn wait_until(&self, what: &str, fits: impl Fn(&str) -> bool) {
        self.session.wait_until(what, fits).await;
    }

    pub async fn wait_until_absent(&self, text: &str) {
        self.session.wait_until_absent(text).await;
    }

    /// The copied texts.
    pub fn copied(&self) -> Vec<String> {
        self.session.copied.lock().unwrap().clone()
    }

    pub fn bookmarks(&self) -> String {
        self.session.bookmarks()
    }

    /// The directory of the profile.
    pub fn path(&self) -> &Path {
        self.session.path()
    }

    /// The text of a file of the profile; empty if there is none.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    pub async fn end(self) -> Ended {
        self.session.end().await
    }
}
