//! What the answers to questions do.

use super::browse::Where;
use super::choice::{Of, OpenLocal};
use super::name::host_of;
use super::pane::{Arrival, Incoming};
use super::write::DraftJob;
use super::{App, Effect};
use crate::files::download::Earlier;
use crate::load::{Answers, Caution, Request, with_type};
use crate::text::file_name;
use crate::url::{Encoded, Parts};

impl App {
    /// Does what the answer of this letter says.
    pub(super) fn chosen_answer(&mut self, of: Of, letter: char) -> Vec<Effect> {
        match of {
            Of::Unknown(incoming) => {
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
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::PlainLogin(incoming, place) => self.accept_plain_login(incoming, place),
            Of::AcceptHazards(incoming) => {
                self.accepted_hazards
                    .extend(host_of(&incoming.request.asked()));
                let request = Request {
                    caution: Caution::Warned,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::Send(incoming) => {
                let request = Request {
                    answers: Answers::Agreed,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::SendFile(path) => self.read_file(path),
            Of::SaveReply(path) => self.agree_to_receipt(path),
            Of::LocalFile(request, label, OpenLocal::Pane(place)) => {
                self.open_request(*request, Some(label), place)
            }
            Of::LocalFile(request, ..) => self.download(*request),
            Of::Run(_, Some(url)) if letter == 'i' => self.open_unspoken(url),
            Of::Run(arguments, _) => self.run_agreed(arguments),
            Of::Charset => self.choose_charset(letter),
            Of::CatchUp(server, group, numbers) => self.catch_up(&server, &group, numbers),
            Of::Rule {
                group,
                author,
                subject,
            } => self.add_rule(letter, &group, &author, &subject),
            Of::Query(url, search) => {
                let url = if letter == 's' { search } else { url };
                self.open(url, None, Where::Here)
            }
            Of::View(incoming, name, viewing) if letter == 'v' => {
                self.fetch_to_view(incoming.request, name, viewing)
            }
            Of::View(incoming, name, _) => self.ask_where(incoming, name, ""),
            Of::Certificate(doubt, incoming) => self.trust(&doubt, incoming, letter == 'a'),
            Of::Changed(incoming) => match incoming.arrival {
                Arrival::Transfer(id) if letter == 'f' => self.decide(id, Earlier::Replaced),
                Arrival::Transfer(id) => self.decide(id, Earlier::Trusted),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::All(incoming) => match incoming.arrival {
                Arrival::Transfer(id) => self.find_destination(id),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::Merge(incoming) => match incoming.arrival {
                Arrival::Transfer(id) if letter == 'o' => self.find_destination(id),
                Arrival::Transfer(id) => self.merge(id),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::PastSize(incoming) => match incoming.arrival {
                Arrival::Transfer(id) => self.fetch_past_size(id),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::Erase(id) => self.erase(id),
            Of::RemoveDraft(path) => vec![Effect::Write(DraftJob::Remove(path))],
            Of::Keep(place, login) => vec![Effect::Keep(place, login)],
            Of::Draft => self.answer_draft(letter),
            Of::Again(url) => self.look_again(url),
            Of::Remove(from, items) => self.remove_from(&from, &items),
            Of::OpenAll(addresses) if letter == 'f' => self.open_first(addresses),
            Of::OpenAll(addresses) => self.open_all(addresses),
            Of::Both(form, from, other) => self.answer_both(form, &from, other, letter),
            Of::Watch(from, items) => self.watch_new(letter, &from, &items),
            Of::Repair(from, repairs) => self.repair(&from, &repairs),
            Of::Links(drafts, title) => self.ask_links_folder(drafts, &title),
            Of::Check(from, sets) => {
                let mut sets = sets.into_iter();
                let chosen = sets.find(|(choice, _)| *choice == letter);
                chosen.map_or(Vec::new(), |(_, items)| self.check(from, items))
            }
        }
    }

    fn save_unknown(&mut self, incoming: Incoming) -> Vec<Effect> {
        let selector = match incoming.request.url.reading() {
            Parts::Gopher(gopher) => gopher.selector,
            _ => Encoded::default(),
        };
        let name = file_name(&selector.octets(), "gopher-file");
        self.ask_where(incoming, name, "")
    }
}
