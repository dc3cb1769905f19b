//! The messages and commands to the tabs.

use geomys_page::load::Request;

use crate::app::tabs::Tabs;
use crate::app::tabs::external::run;
use crate::app::view::context::Outcome;
use crate::app::{Context, Credentials, Dialogs, Mailcaps, News, Page, TabsCommand, TabsMessage};

impl Tabs {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: TabsMessage,
        dialogs: &Dialogs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        cx.pages_changed();
        cx.questions_changed();
        match message {
            TabsMessage::Graphics(graphics) => cx.graphics = graphics,
            TabsMessage::Rules(from, host, rules, usage) => {
                self.server_rules_loaded(&from, (host, rules), usage, dialogs, credentials, cx);
            }
            TabsMessage::Viewers(entries) => {
                cx.settings.viewers.extend(entries);
                cx.settings.mailcaps = Mailcaps::Read;
            }
            TabsMessage::ProgramEnded(result) => cx.report(result),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: TabsCommand,
        news: &News,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            // The page explains that the scheme is not supported.
            TabsCommand::OpenUnsupported(url) => {
                self.open_page(Request::show(url).into(), cx);
            }
            TabsCommand::ReadFormFile(path) => {
                if let Some(form) = self.page_mut().and_then(Page::form_mut) {
                    form.read_file(path, cx);
                }
            }
            TabsCommand::ConfirmReplyPath(path) => {
                let form = self.page_mut().and_then(Page::form_mut);
                let outcome = form.map(|form| form.confirm_reply_path(path, cx));
                Self::follow(outcome.unwrap_or(Outcome::Ignored), cx);
            }
            TabsCommand::FocusPane(pane) => self.focus_pane(pane),
            TabsCommand::Run(arguments) => run(arguments, true, cx),
            TabsCommand::RunOnDesktop(arguments) => run(arguments, false, cx),
            TabsCommand::RequestListChanges => self.request_list_changes(news, credentials, cx),
            TabsCommand::LoadArticles(server, group, goal) => {
                self.load_articles(&server, &group, goal, (news, credentials), cx);
            }
        }
    }
}
