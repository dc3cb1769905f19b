//! The earlier states of the bookmark file: a list, of which the user restores one by its number.

use crate::dialogs::text_input::{BookmarkInput, TextInput};
use crate::{BookmarkEffect, Context, Dialog};

/// Asks for the state to restore.
pub(super) fn ask_state(listed: Result<Vec<String>, String>, cx: &mut Context) {
    match listed {
        Err(sentence) => cx.report_error(&sentence),
        Ok(states) if states.is_empty() => {
            cx.notify("No earlier state: each change of the file stores one");
        }
        Ok(states) => ask(states, None, cx),
    }
}

fn ask(states: Vec<String>, error: Option<&str>, cx: &mut Context) {
    // A key press shortly before caused this question.
    cx.by_key = true;
    let question = error.unwrap_or("Restore the bookmarks of state number:");
    let input = TextInput::new(BookmarkInput::State(states), "");
    cx.ask(Dialog::input(question, input));
}

/// Restores the state that the user named.
pub(crate) fn restore_state(states: Vec<String>, answer: &str, cx: &mut Context) {
    match answer.trim().parse() {
        Ok(number) => cx.emit(BookmarkEffect::Restore(number)),
        Err(_) if answer.trim().is_empty() => cx.notify("Nothing restored"),
        Err(_) => ask(states, Some("Not a number of a state:"), cx),
    }
}
