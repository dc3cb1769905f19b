//! Piping of pages to a program: of the marked rows, of the shown text, or of the link under the cursor.

use geomys_load::{LocalTarget, Question};
use geomys_store::files::mailcap;
use geomys_wire::text::{self, Text};

use crate::action::Action;
use crate::dialogs::text_input::{PathInput, TextInput};
use crate::news::next_unread::CurrentArticle;
use crate::transfers::message::{PipeInput, PipeJob, PipeTarget};
use crate::{
    Context, Credentials, Dialog, Effect, Page, Tabs, TransferCommand, TransferEffect, Transfers,
};

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
        cx.copies.accept_answers(&mut request);
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
        if arguments.is_empty() {
            return;
        }
        let target = PipeTarget::Program(arguments);
        self.start_pipe(PipeJob { inputs, target }, cx);
    }

    /// Pipes pages, or saves them as a mailbox.
    pub(crate) fn start_pipe(&mut self, job: PipeJob, cx: &mut Context) {
        let title = match &job.target {
            PipeTarget::Program(arguments) => arguments.first().map(|program| Text::of(program)),
            PipeTarget::Mailbox(path) => path
                .file_name()
                .map(|name| Text::of(&name.to_string_lossy())),
        };
        let load = self.begin_download(title.unwrap_or_default(), None, cx);
        cx.emit(Effect::Transfers(TransferEffect::Pipe(load, Box::new(job))));
    }
}

/// Asks before a page that is piped is fetched from a local address, to which the page of another host led.
pub(crate) fn ask_to_connect(mut job: PipeJob, target: LocalTarget, cx: &mut Context) {
    for input in &mut job.inputs {
        if let PipeInput::Request(request) = input {
            request.consents.local.accept(&target.authority);
        }
    }
    let Some(words) = Question::LocalAddress(target).words() else {
        return;
    };
    let dialog = Dialog::confirm(&words.prompt, TransferCommand::Pipe(Box::new(job)));
    cx.ask(dialog.with_lines(words.remarks));
}
