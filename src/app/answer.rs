//! The actions that follow the answers to questions.

use super::browse::OpenIn;
use super::choice::{ChoiceKind, LocalFileAction};
use super::name::host_of;
use super::pane::{Arrival, IncomingPage};
use super::write::DraftJob;
use super::{App, Effect};
use crate::load::{Caution, FormAnswers, Request, with_type};
use crate::text::file_name;
use crate::transfer::download::PartialFilePolicy;
use crate::url::{Encoded, Parts};

impl App {
    /// Carries out the answer with a letter to a question.
    pub(super) fn chosen_answer(&mut self, kind: ChoiceKind, letter: char) {
        match kind {
            ChoiceKind::UnknownType(incoming) => {
                let gtype = match letter {
                    't' => '0',
                    'm' => '1',
                    _ => return self.save_unknown(incoming),
                };
                let url = with_type(&incoming.request.url, gtype);
                let url = url.unwrap_or_else(|| incoming.request.url.clone());
                let request = Request {
                    url,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival);
            }
            ChoiceKind::PlainLoginConsent(incoming, authority) => {
                self.accept_plain_login(incoming, authority);
            }
            ChoiceKind::AcceptHazards(mut incoming) => {
                let host = host_of(&incoming.request.requested_url());
                self.accepted_hazards.extend(host);
                incoming.request.caution = Caution::Confirmed;
                self.request_incoming(incoming);
            }
            ChoiceKind::SendForm(mut incoming) => {
                incoming.request.answers = FormAnswers::Confirmed;
                self.request_incoming(incoming);
            }
            ChoiceKind::SendFile(path) => self.read_file(path),
            ChoiceKind::SaveReply(path) => self.confirm_reply_path(path),
            ChoiceKind::LocalFile(request, label, LocalFileAction::Open(open_in)) => {
                self.open_request(*request, Some(label), open_in);
            }
            ChoiceKind::LocalFile(request, ..) => self.download(*request),
            ChoiceKind::RunProgram(_, Some(url)) if letter == 'i' => self.open_unsupported(url),
            ChoiceKind::RunProgram(arguments, _) => self.run_confirmed(arguments),
            ChoiceKind::Charset => self.choose_charset(letter),
            ChoiceKind::CatchUp(server, group, numbers) => self.catch_up(&server, &group, numbers),
            ChoiceKind::Rule {
                group,
                author,
                subject,
            } => self.add_rule(letter, &group, &author, &subject),
            ChoiceKind::GopherQuery(url, search) => {
                let url = if letter == 's' { search } else { url };
                self.open(url, None, OpenIn::ThisPane);
            }
            ChoiceKind::ViewFile(incoming, name, viewing) if letter == 'v' => {
                self.fetch_to_view(incoming.request, name, viewing);
            }
            ChoiceKind::ViewFile(incoming, name, _) => self.ask_where(incoming, name, ""),
            ChoiceKind::Certificate(error, incoming) => self.trust(&error, incoming, letter == 'a'),
            ChoiceKind::FileChanged(incoming) => match incoming.arrival {
                Arrival::Transfer(id) if letter == 'f' => {
                    self.set_partial_policy(id, PartialFilePolicy::Restart);
                }
                Arrival::Transfer(id) => {
                    self.set_partial_policy(id, PartialFilePolicy::ResumeAlways);
                }
                Arrival::Append | Arrival::Replace(_) | Arrival::Draft => {}
            },
            ChoiceKind::WholeDirectory(incoming) => match incoming.arrival {
                Arrival::Transfer(id) => self.find_destination(id),
                Arrival::Append | Arrival::Replace(_) | Arrival::Draft => {}
            },
            ChoiceKind::MergeDirectory(incoming) => match incoming.arrival {
                Arrival::Transfer(id) if letter == 'o' => self.find_destination(id),
                Arrival::Transfer(id) => self.merge(id),
                Arrival::Append | Arrival::Replace(_) | Arrival::Draft => {}
            },
            ChoiceKind::Oversize(incoming) => match incoming.arrival {
                Arrival::Transfer(id) => self.accept_oversize(id),
                Arrival::Append | Arrival::Replace(_) | Arrival::Draft => {}
            },
            ChoiceKind::EraseTransfer(id) => self.erase(id),
            ChoiceKind::RemoveDraft(path) => self.emit(Effect::Write(DraftJob::Remove(path))),
            ChoiceKind::StoreLogin(scope, login) => self.emit(Effect::StorePassword(scope, login)),
            ChoiceKind::Draft => self.answer_draft(letter),
            ChoiceKind::ReopenGroup(url) => self.reload_group(url),
            ChoiceKind::RemoveBookmarks(from, items) => self.remove_from(&from, &items),
            ChoiceKind::OpenInTabs(addresses) if letter == 'f' => self.open_first(addresses),
            ChoiceKind::OpenInTabs(addresses) => self.open_all(addresses),
            ChoiceKind::DuplicateBookmark(form, from, other) => {
                self.answer_duplicate(form, &from, other, letter);
            }
            ChoiceKind::WatchBookmarks(from, items) => self.answer_watch(letter, &from, &items),
            ChoiceKind::RepairUrls(from, repairs) => self.repair(&from, &repairs),
            ChoiceKind::BookmarkLinks(drafts, title) => self.ask_links_folder(drafts, &title),
            ChoiceKind::CheckBookmarks(from, sets) => {
                let mut sets = sets.into_iter();
                let chosen = sets.find(|(choice, _)| *choice == letter);
                if let Some((_, items)) = chosen {
                    self.check(from, items);
                }
            }
        }
    }

    fn save_unknown(&mut self, incoming: IncomingPage) {
        let selector = match incoming.request.url.base_parts() {
            Parts::Gopher(gopher) => gopher.selector,
            _ => Encoded::default(),
        };
        let name = file_name(&selector.octets(), "gopher-file");
        self.ask_where(incoming, name, "");
    }
}
