//! The actions that follow the answers to questions.

use crate::app::Context;
use crate::app::bookmarks::add::ask_links_folder;
use crate::app::bookmarks::bulk_edit::MAX_TABS_UNASKED;
use crate::app::compose::DraftJob;
use crate::app::dialogs::choice::{ChoiceKind, LocalFileAction};
use crate::app::name::host_of;
use crate::app::news::mark::add_rule;
use crate::app::tabs::external::ask_where;
use crate::app::tabs::open::OpenIn;
use crate::app::requester::{PendingRequest, Requester};
use crate::app::{App, Effect};
use crate::load::{Caution, FormAnswers, Request, with_type};
use crate::text::file_name;
use crate::transfer::download::PartialFilePolicy;
use crate::url::{Encoded, Parts};

impl App {
    /// Carries out the answer with a letter to a question.
    pub(crate) fn chosen_answer(&mut self, kind: ChoiceKind, letter: char) {
        match kind {
            ChoiceKind::UnknownType(pending) => {
                let gtype = match letter {
                    't' => '0',
                    'm' => '1',
                    _ => return save_unknown(pending, &mut self.cx),
                };
                let url = with_type(&pending.request.url, gtype);
                let url = url.unwrap_or_else(|| pending.request.url.clone());
                let request = Request {
                    url,
                    ..pending.request.clone()
                };
                self.load(PendingRequest { request, ..pending });
            }
            ChoiceKind::PlainLoginConsent(pending, authority) => {
                self.credentials
                    .accept_plain_login(pending, authority, &mut self.cx);
            }
            ChoiceKind::AcceptHazards(mut pending) => {
                let host = host_of(&pending.request.requested_url());
                self.credentials.accepted_hazards.extend(host);
                pending.request.caution = Caution::Confirmed;
                self.load(pending);
            }
            ChoiceKind::SendForm(mut pending) => {
                pending.request.answers = FormAnswers::Confirmed;
                self.load(pending);
            }
            ChoiceKind::SendFile(path) => self.tabs.read_file(path, &mut self.cx),
            ChoiceKind::SaveReply(path) => self.tabs.confirm_reply_path(path, &mut self.cx),
            ChoiceKind::LocalFile(request, label, LocalFileAction::Open(open_in)) => {
                self.open_request(*request, Some(label), open_in);
            }
            ChoiceKind::LocalFile(request, ..) => self.transfers.download(*request, &mut self.cx),
            ChoiceKind::RunProgram(_, Some(url)) if letter == 'i' => {
                self.tabs.open_unsupported(url, &mut self.cx)
            }
            ChoiceKind::RunProgram(arguments, _) => {
                self.tabs.run_confirmed(arguments, &mut self.cx)
            }
            ChoiceKind::Charset => self.tabs.choose_charset(letter, &mut self.cx),
            ChoiceKind::CatchUp(server, group, numbers) => {
                self.news
                    .catch_up(&server, &group, numbers, &mut self.tabs, &mut self.cx)
            }
            ChoiceKind::Rule {
                group,
                author,
                subject,
            } => add_rule(letter, &group, &author, &subject, &mut self.cx),
            ChoiceKind::GopherQuery(url, search) => {
                let url = if letter == 's' { search } else { url };
                self.open(url, None, OpenIn::ThisPane);
            }
            ChoiceKind::ViewFile(pending, name, viewing) if letter == 'v' => {
                self.tabs.fetch_to_view(
                    pending.request,
                    name,
                    viewing,
                    &mut self.transfers,
                    &self.credentials,
                    &mut self.cx,
                );
            }
            ChoiceKind::ViewFile(pending, name, _) => ask_where(pending, name, "", &mut self.cx),
            ChoiceKind::Certificate(error, pending) => {
                self.credentials
                    .trust(&error, pending, letter == 'a', &mut self.cx)
            }
            ChoiceKind::FileChanged(pending) => match pending.requester {
                Requester::Transfer(id) if letter == 'f' => {
                    self.transfers
                        .set_partial_policy(id, PartialFilePolicy::Restart);
                }
                Requester::Transfer(id) => {
                    self.transfers
                        .set_partial_policy(id, PartialFilePolicy::ResumeAlways);
                }
                Requester::Pane(_) | Requester::Draft => {}
            },
            ChoiceKind::WholeDirectory(pending) => match pending.requester {
                Requester::Transfer(id) => self.transfers.find_destination(id, &mut self.cx),
                Requester::Pane(_) | Requester::Draft => {}
            },
            ChoiceKind::MergeDirectory(pending) => match pending.requester {
                Requester::Transfer(id) if letter == 'o' => {
                    self.transfers.find_destination(id, &mut self.cx)
                }
                Requester::Transfer(id) => self.transfers.merge(id),
                Requester::Pane(_) | Requester::Draft => {}
            },
            ChoiceKind::Oversize(pending) => match pending.requester {
                Requester::Transfer(id) => self.transfers.accept_oversize(id),
                Requester::Pane(_) | Requester::Draft => {}
            },
            ChoiceKind::EraseTransfer(id) => self.transfers.erase(id, &mut self.cx),
            ChoiceKind::RemoveDraft(path) => self.cx.emit(Effect::Write(DraftJob::Remove(path))),
            ChoiceKind::StoreLogin(scope, login) => {
                self.cx.emit(Effect::StorePassword(scope, login))
            }
            ChoiceKind::Draft => self
                .compose
                .answer_draft(letter, &self.credentials, &mut self.cx),
            ChoiceKind::ReopenGroup(url) => self.tabs.reload_group(url, &mut self.cx),
            ChoiceKind::RemoveBookmarks(from, items) => {
                self.bookmarks.remove_from(&from, &items, &mut self.cx)
            }
            ChoiceKind::OpenInTabs(mut addresses) => {
                if letter == 'f' {
                    addresses.truncate(MAX_TABS_UNASKED);
                }
                self.open_in_tabs(addresses);
            }
            ChoiceKind::DuplicateBookmark(form, from, other) => {
                self.bookmarks
                    .answer_duplicate(form, &from, other, letter, &mut self.cx);
            }
            ChoiceKind::WatchBookmarks(from, items) => {
                self.bookmarks
                    .answer_watch(letter, &from, &items, &self.credentials, &mut self.cx)
            }
            ChoiceKind::RepairUrls(from, repairs) => {
                self.bookmarks.repair(&from, &repairs, &mut self.cx)
            }
            ChoiceKind::BookmarkLinks(drafts, title) => {
                ask_links_folder(drafts, &title, &mut self.cx)
            }
            ChoiceKind::CheckBookmarks(from, sets) => {
                let mut sets = sets.into_iter();
                let chosen = sets.find(|(choice, _)| *choice == letter);
                if let Some((_, items)) = chosen {
                    self.bookmarks
                        .check(from, items, &self.credentials, &mut self.cx);
                }
            }
        }
    }
}

fn save_unknown(pending: PendingRequest, cx: &mut Context) {
    let selector = match pending.request.url.base_parts() {
        Parts::Gopher(gopher) => gopher.selector,
        _ => Encoded::default(),
    };
    let name = file_name(&selector.octets(), "gopher-file");
    ask_where(pending, name, "", cx);
}
