//! The queue: the order and the state of the transfers, and the selection of the next one.

use std::collections::BTreeMap;

use geomys_load::{LoadId, Reason, Request};
use geomys_store::transfer::download::{OversizePolicy, PartialFilePolicy};
use geomys_store::transfer::queue::{Destination, UnfinishedTransfer};
use geomys_store::transfer::records::MergePolicy;

use super::{State, Transfer, TransferAmount};
use crate::name::name_of;
use crate::requester::TransferId;
use crate::settings::TransferLimits;

/// The queue of transfers.
#[derive(Clone, Debug, Default)]
pub struct TransferQueue {
    pub(super) items: Vec<Transfer>,
    /// The index of the transfer with the cursor.
    pub cursor: usize,
    /// The index of the first transfer on screen.
    pub top: usize,
    last_id: u64,
    /// The hosts that had no free connection, with the number of transfers that may run at once there.
    lowered: BTreeMap<String, usize>,
    /// The unfinished transfers of this process in their file.
    saved: Vec<UnfinishedTransfer>,
}

impl TransferQueue {
    /// Returns all transfers in order.
    pub fn items(&self) -> &[Transfer] {
        &self.items
    }

    /// Returns the transfer under the cursor.
    pub fn chosen(&self) -> Option<&Transfer> {
        self.items.get(self.cursor)
    }

    /// Returns the transfers that run, or wait for their next attempt.
    pub fn running(&self) -> impl Iterator<Item = &Transfer> {
        self.items.iter().filter(|item| item.load().is_some())
    }

    /// Returns the transfers that run, or wait for their next attempt or for their turn.
    pub fn remaining(&self) -> impl Iterator<Item = &Transfer> {
        let remains =
            |item: &&Transfer| item.load().is_some() || matches!(item.state, State::Waiting);
        self.items.iter().filter(remains)
    }

    /// Returns the transfers that wait for an answer.
    pub fn asking(&self) -> impl Iterator<Item = &Transfer> {
        let asks = |item: &&Transfer| matches!(item.state, State::Asking(_));
        self.items.iter().filter(asks)
    }

    /// Moves the cursor to the first transfer that asks, unless it is on one.
    pub(crate) fn go_to_asking(&mut self) {
        let asks = |item: &Transfer| matches!(item.state, State::Asking(_));
        if !self.chosen().is_some_and(asks)
            && let Some(at) = self.items.iter().position(asks)
        {
            self.cursor = at;
        }
    }

    /// Creates the queue from the unfinished transfers of earlier runs: paused, with the amount on the disk.
    pub fn unfinished(found: Vec<UnfinishedTransfer>) -> Self {
        let mut transfers = Self::default();
        for unfinished in &found {
            let (octets, size) = unfinished.partial_size().unwrap_or_default();
            let id = transfers.add(
                Request {
                    purpose: geomys_load::Purpose::Save,
                    ..Request::show(
                        unfinished.url.clone(),
                        Reason::Queued(unfinished.namer.clone()),
                    )
                },
                unfinished.to.clone(),
            );
            if let Some(item) = transfers.get_mut(id) {
                item.state = State::Paused;
                item.resumes = unfinished.is_running;
                item.amount = TransferAmount {
                    octets,
                    size,
                    files: None,
                };
            }
        }
        transfers.saved = found;
        transfers
    }

    /// Resumes the transfers that ran at the end of an earlier run, and returns their number.
    pub(super) fn resume_earlier(&mut self) -> usize {
        let is_earlier = |item: &&mut Transfer| item.resumes && matches!(item.state, State::Paused);
        let earlier = self.items.iter_mut().filter(is_earlier);
        earlier.map(|item| item.state = State::Waiting).count()
    }

    /// Moves the cursor to a transfer of the same URL to the same path that is not complete, and returns it.
    pub(super) fn choose_duplicate(
        &mut self,
        request: &Request,
        to: &Destination,
    ) -> Option<&mut Transfer> {
        let url = request.url.without_password();
        let is_same = |item: &Transfer| {
            !matches!(item.state, State::Done(_))
                && item.to == *to
                && item.request.url.without_password() == url
        };
        self.cursor = self.items.iter().position(is_same)?;
        self.items.get_mut(self.cursor)
    }

    /// Adds a waiting transfer at the end.
    pub fn add(&mut self, request: Request, to: Destination) -> TransferId {
        self.last_id += 1;
        let id = TransferId(self.last_id);
        self.items.push(Transfer {
            id,
            name: name_of(to.path()),
            request,
            to,
            partial: PartialFilePolicy::default(),
            oversize: OversizePolicy::default(),
            merge: MergePolicy::default(),
            amount: TransferAmount::default(),
            current: None,
            resumes: false,
            state: State::Waiting,
        });
        id
    }

    /// Returns the number of transfers from this host that run, without those that wait for their next attempt.
    pub fn running_from(&self, host: &str) -> usize {
        let runs = |item: &&Transfer| matches!(item.state, State::Running(..));
        let items = self.items.iter().filter(runs);
        items.filter(|item| item.host() == host).count()
    }

    /// Lowers the number of transfers from the host of this one, which found no free connection, to those that run
    /// beside it. Returns true if there are any: then this one waits until one of them ends.
    pub(super) fn lower_host_limit(&mut self, id: TransferId) -> bool {
        let Some(item) = self.items.iter().find(|item| item.id == id) else {
            return false;
        };
        let host = item.host();
        let is_running = matches!(item.state, State::Running(..));
        let others = self.running_from(&host) - usize::from(is_running);
        self.lowered.insert(host, others.max(1));
        others > 0
    }

    /// Forgets the lowered limits of hosts without transfers to come.
    pub(super) fn forget_host_limits(&mut self) {
        let items = &self.items;
        self.lowered.retain(|host, _| {
            let is_open = |item: &Transfer| {
                item.load().is_some() || matches!(item.state, State::Waiting | State::Asking(_))
            };
            items
                .iter()
                .any(|item| is_open(item) && item.host() == *host)
        });
    }

    /// Returns the first waiting transfer that may start now.
    pub(super) fn next(&self, rules: &TransferLimits) -> Option<TransferId> {
        if self.running().count() >= rules.at_once {
            return None;
        }
        let waiting = |item: &&Transfer| matches!(item.state, State::Waiting);
        let may_start = |item: &&Transfer| {
            let host = item.host();
            let of_host = self.running().filter(|running| running.host() == host);
            let limit = self.lowered.get(&host).copied();
            let limit = limit.map_or(rules.at_once_per_host, |limit| {
                limit.min(rules.at_once_per_host)
            });
            host.is_empty() || of_host.count() < limit
        };
        let mut items = self.items.iter().filter(waiting);
        items.find(may_start).map(|item| item.id)
    }

    pub(super) fn get_mut(&mut self, id: TransferId) -> Option<&mut Transfer> {
        self.items.iter_mut().find(|item| item.id == id)
    }

    /// Returns the transfer if it waits for an answer.
    pub(super) fn asking_mut(&mut self, id: TransferId) -> Option<&mut Transfer> {
        let asks = |item: &&mut Transfer| matches!(item.state, State::Asking(_));
        self.get_mut(id).filter(asks)
    }

    pub(super) fn of_load(&mut self, load: LoadId) -> Option<&mut Transfer> {
        self.items.iter_mut().find(|item| item.load() == Some(load))
    }

    pub(super) fn chosen_mut(&mut self) -> Option<&mut Transfer> {
        self.items.get_mut(self.cursor)
    }

    /// Removes a transfer from the queue.
    pub(super) fn remove(&mut self, id: TransferId) -> Option<Transfer> {
        let at = self.items.iter().position(|item| item.id == id)?;
        let item = self.items.remove(at);
        self.cursor = self.cursor.min(self.items.len().saturating_sub(1));
        Some(item)
    }

    /// Swaps the transfer under the cursor with its neighbour; the cursor stays on it.
    pub(super) fn shift(&mut self, down: bool) -> bool {
        let to = if down {
            Some(self.cursor + 1).filter(|to| *to < self.items.len())
        } else {
            self.cursor.checked_sub(1)
        };
        let Some(to) = to.filter(|_| self.cursor < self.items.len()) else {
            return false;
        };
        self.items.swap(self.cursor, to);
        self.cursor = to;
        true
    }

    /// Returns the old and the new list of unfinished transfers to be saved; `None` without a change.
    pub(super) fn changed(&mut self) -> Option<(Vec<UnfinishedTransfer>, Vec<UnfinishedTransfer>)> {
        let items = self.items.iter();
        let now: Vec<UnfinishedTransfer> = items.filter_map(Transfer::unfinished).collect();
        (now != self.saved).then(|| (std::mem::replace(&mut self.saved, now.clone()), now))
    }

    /// Moves the cursor, and scrolls until it is among `height` rows.
    pub(crate) fn select_line(&mut self, line: usize) {
        let row = self.top + line;
        if row < self.items().len() {
            self.cursor = row;
        }
    }

    pub(crate) fn step(&mut self, rows: isize, height: usize) {
        let last = self.items.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        let lowest = self.cursor.saturating_sub(height.saturating_sub(1));
        self.top = self.top.clamp(lowest, self.cursor);
    }
}
