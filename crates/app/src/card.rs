//! The screen as a picture in a file, to be posted.

use std::path::PathBuf;

use geomys_wire::text;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::message::CardEnd;
use crate::name::name_of;
use crate::tabs::tab::Tab;
use crate::{App, Command, Context, Dialog, Effect, Page};

/// The name of the file, unless the user types another one.
pub(crate) const CARD: &str = "screen.svg";

/// Asks for the file of the picture, unless the screen shows what is nobody else's business.
pub(crate) fn ask_card(app: &mut App) {
    if let Some(refusal) = app.card_refusal() {
        return app.cx.notify(refusal);
    }
    let path = app.cx.settings.downloads.join(CARD).display().to_string();
    let input = TextInput::new(PathInput::Card, &path);
    app.cx.ask(Dialog::input("Save the screen as", input));
}

impl App {
    /// Returns why the screen may not become a picture now; `None` if it may. The tab line has the titles of all tabs.
    pub fn card_refusal(&self) -> Option<&'static str> {
        let tabs = self.tabs.tabs();
        let mut pages = tabs
            .iter()
            .flat_map(Tab::panes)
            .filter_map(|pane| pane.page());
        if tabs.iter().any(|tab| tab.is_private) {
            Some("No picture of a private tab")
        } else if pages.any(Page::is_confidential) {
            Some("No picture of a page behind a login")
        } else if self.waiting_questions() > 0 || self.dialogs.overlay.is_some() {
            Some("No picture of a question: answer it first")
        } else {
            None
        }
    }
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
