//! Piping of pages to a program: of the marked rows, of the shown text, or of the link under the cursor.

use geomys_store::files::mailcap;
use geomys_wire::text::{self, Text};

use crate::action::Action;
use crate::dialogs::text_input::{PathInput, TextInput};
use crate::news::next_unread::CurrentArticle;
use crate::transfers::message::{PipeInput, PipeJob, PipeTarget};
use crate::{Context, Credentials, Dialog, Effect, Page, Tabs, TransferEffect, Transfers};

/// Asks for the program that gets the marked rows, or else the page, its attachment or the link under the cursor.
pub(crate) fn ask_pipe(tabs: &Tabs, credentials: &Credentials, cx: &mut Context) {
    let Some(page) = tabs.page() else {
        return;
    };
    let rows = page.rows();
    let marked = rows.map(|rows| rows.marks.links(&rows.document));
    let mut links = marked.unwrap_or_default();
    if links.is_empty() && page.is_list() {
        links.extend(page.link());
    }
    let targets = links.into_iter().filter_map(|link| link.target.ok());
    let targets = targets.filter(|url| tabs.remote_page_to_file(url, cx).is_none());
    let requests = targets.map(|url| {
        let mut request = tabs.request_from_page(url);
        credentials.apply_defaults(&mut request, &cx.settings);
        PipeInput::Request(Box::new(request))
    });
    let mut inputs: Vec<PipeInput> = requests.collect();
    if !page.is_list() {
        let document = page.attachment().or_else(|| page.own_document().cloned());
        inputs.extend(document.map(Box::new).map(PipeInput::Document));
    }
    if inputs.is_empty() {
        return cx.notify("Nothing to pipe");
    }
    let input = TextInput::new(PathInput::Pipe(inputs), "");
    cx.ask(Dialog::input("Pipe to", input));
}

/// Saves the thread of the shown article, or of the article under the cursor of a group, as a mailbox.
pub(crate) fn save_thread(
    transfers: &mut Transfers,
    tabs: &Tabs,
    credentials: &Credentials,
    cx: &mut Context,
) {
    let Some(shown) = CurrentArticle::of(tabs) else {
        return cx.notify("No article of a group here");
    };
    let page = tabs.group_page(&shown.server, &shown.group);
    let found = page.and_then(Page::own_document).and_then(|group| {
        let line = group.numbered_article(shown.number)?.line;
        let root = group.thread_root(line).unwrap_or(line);
        let (_, subject) = group.author_and_subject(root)?;
        Some((group, group.thread_numbers(line), subject))
    });
    let Some((group, numbers, subject)) = found else {
        let open = cx.key_of(Action::WholeThread);
        return cx.notify(&format!("Open the group first ({open})"));
    };
    let numbers = numbers.ranges().flat_map(|(first, last)| first..=last);
    let links = numbers.filter_map(|number| {
        let link = group.article_link(group.numbered_article(number)?.line)?;
        link.target.ok()
    });
    let inputs = links.map(|url| {
        let mut request = tabs.request_from_page(url);
        credentials.apply_defaults(&mut request, &cx.settings);
        PipeInput::Request(Box::new(request))
    });
    let inputs: Vec<PipeInput> = inputs.collect();
    let name = text::file_name(format!("{subject}.mbox").as_bytes(), "thread.mbox");
    let path = cx.settings.downloads.join(name);
    let count = text::count(inputs.len());
    let load = transfers.begin_download(Text::of(&subject), None, cx);
    cx.notify(&format!("Fetching {count} articles"));
    let target = PipeTarget::Mailbox(path);
    let job = PipeJob { inputs, target };
    cx.emit(Effect::Transfers(TransferEffect::Pipe(load, Box::new(job))));
}

impl Transfers {
    /// Pipes pages to the program that the user typed.
    pub(crate) fn pipe(&mut self, inputs: Vec<PipeInput>, typed: &str, cx: &mut Context) {
        let arguments = match mailcap::command_words(typed) {
            Ok(arguments) => arguments,
            Err(reason) => return cx.report_error(&format!("Cannot run {typed}: {reason}")),
        };
        let Some(program) = arguments.first() else {
            return;
        };
        let load = self.begin_download(Text::of(program), None, cx);
        let target = PipeTarget::Program(arguments);
        let job = PipeJob { inputs, target };
        cx.emit(Effect::Transfers(TransferEffect::Pipe(load, Box::new(job))));
    }
}
