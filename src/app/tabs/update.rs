//! The messages and commands to the tabs.

use geomys_page::load::Request;

use crate::app::requester::Arrival;
use crate::app::tabs::Tabs;
use crate::app::tabs::later::notify_saved;
use crate::app::{Context, Credentials, Dialogs, Mailcaps, News, TabsCommand, TabsMessage};

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
            TabsMessage::Finished(work, document) => self.finished(work, document, cx),
            TabsMessage::LaidOut(work, document) => self.laid_out(work, &document, cx),
            TabsMessage::Found(work, found) => self.found(work, found, cx),
            TabsMessage::Counted(work, count) => self.counted(work, count),
            TabsMessage::PictureRendered(work, rendered) => self.picture_rendered(work, rendered),
            TabsMessage::Graphics(graphics) => cx.graphics = graphics,
            TabsMessage::Rules(from, host, rules, usage) => {
                self.server_rules_loaded(&from, (host, rules), usage, dialogs, credentials, cx);
            }
            TabsMessage::Viewers(entries) => {
                cx.settings.viewers.extend(entries);
                cx.settings.mailcaps = Mailcaps::Read;
            }
            TabsMessage::FileRead(work, octets) => self.file_read(work, octets, cx),
            TabsMessage::ProgramEnded(result) => cx.report(result),
            TabsMessage::SavedForLater(saved) => notify_saved(saved, cx),
            TabsMessage::LaterListed(listed, arrival) => {
                self.later_listed(listed, arrival, Some(credentials), cx);
            }
            TabsMessage::LaterRemoved(listed) => {
                self.later_listed(listed, Arrival::Reload, None, cx);
            }
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
            TabsCommand::SetCharset(read_as) => self.set_charset(read_as, cx),
            TabsCommand::ReadFormFile(path) => self.read_file(path, cx),
            TabsCommand::ConfirmReplyPath(path) => self.confirm_reply_path(path, cx),
            TabsCommand::FocusPane(pane) => self.focus_pane(pane),
            TabsCommand::Run(arguments) => self.run_confirmed(arguments, cx),
            TabsCommand::RunOnDesktop(arguments) => Self::run_on_desktop(arguments, cx),
            TabsCommand::ShowFailures(summary, url) => self.show_failures(&summary, url, cx),
            TabsCommand::RequestListChanges => self.request_list_changes(news, credentials, cx),
            TabsCommand::LoadArticles(server, group, goal) => {
                self.load_articles(&server, &group, goal, (news, credentials), cx);
            }
        }
    }
}
