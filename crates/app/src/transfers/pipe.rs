//! Piping of pages to a program: of the marked rows, of the shown text, or of the link under the cursor.

use geomys_store::files::mailcap;
use geomys_wire::text::Text;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::transfers::message::{PipeInput, PipeJob};
use crate::{Context, Credentials, Dialog, Effect, Tabs, TransferEffect, Transfers};

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
        let job = PipeJob { inputs, arguments };
        cx.emit(Effect::Transfers(TransferEffect::Pipe(load, Box::new(job))));
    }
}
