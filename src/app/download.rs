//! Downloads of the selected link.

use crate::app::{App, Dialog};

impl App {
    /// Adds the target of the selected link to the queue: a file at once, a directory after a question.
    pub(crate) fn download_selected(&mut self) {
        if self.tabs.ask_save_attachment(&mut self.cx).is_some() || self.download_marked().is_some()
        {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => self.cx.ask(Dialog::local_file(request, label, &page, None)),
            None => self.transfers.download(request, &mut self.cx),
        }
    }

    /// Asks for the path of the selected link's target, and for the treatment of a file that is there.
    pub(crate) fn download_selected_as(&mut self) {
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => self.cx.ask(Dialog::local_file(request, label, &page, None)),
            None => self.transfers.download_as(request, &mut self.cx),
        }
    }
}
