//! The screen as a picture in a file, to be posted.

use std::path::PathBuf;

use geomys_wire::text;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::message::CardEnd;
use crate::name::name_of;
use crate::tabs::tab::{Tab, shows_private};
use crate::{App, Command, Context, Dialog, Effect, Page};

/// The name of the file, unless the user types another one.
pub(crate) const CARD: &str = "screen.svg";

/// Asks for the file of the picture, unless the screen shows what is nobody else's business.
pub(crate) fn ask_card(app: &mut App) {
    let tab = app.tabs.tab();
    let mut pages = tab
        .into_iter()
        .flat_map(Tab::panes)
        .filter_map(|pane| pane.page());
    let refusal = if shows_private(tab) {
        "No picture of a private tab"
    } else if pages.any(Page::is_confidential) {
        "No picture of a page behind a login"
    } else if app.waiting_questions() > 0 || app.dialogs.overlay.is_some() {
        "No picture of a question: answer it first"
    } else {
        let path = app.cx.settings.downloads.join(CARD).display().to_string();
        let input = TextInput::new(PathInput::Card, &path);
        return app.cx.ask(Dialog::input("Save the screen as", input));
    };
    app.cx.notify(refusal);
}

/// Takes the end of writing the picture. A file that is there is replaced after a question.
pub(crate) fn card_ended(end: CardEnd, cx: &mut Context) {
    match end {
        CardEnd::Written(path) => cx.notify(&format!("Saved {}", path.display())),
        CardEnd::Taken(path) => {
            // A key press shortly before caused this question.
            cx.by_key = true;
            let name = text::shorten(name_of(&path).as_str(), 40, "…");
            cx.ask(Dialog::confirm(
                &format!("Replace {name}?"),
                Command::ReplaceCard(path),
            ));
        }
        CardEnd::Failed(sentence) => cx.report_error(&sentence),
    }
}

/// Writes the picture over the file.
pub(crate) fn replace_card(path: PathBuf, cx: &mut Context) {
    cx.emit(Effect::SaveCard(path, true));
}
