//! Reading and writing marks and folded threads: changes are written in batches, each at most [`SOON`] after its first change.
//!
//! The state has no clock: an effect asks the loop for one [`Message::MarksDue`](super::super::Message::MarksDue), and
//! while nothing changes nothing is scheduled.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::super::action::Action;
use super::super::page::Page;
use super::super::{App, Effect};
use super::{Changes, Known, KnownFolds, NewsPlace};
use crate::document::marks::{Change, Marks};
use crate::text::{Charset, Text};

/// How long after a change it is written, so that many changes make one write.
pub const SOON: Duration = Duration::from_secs(1);

impl App {
    /// Has the files of a server read, unless they were already.
    pub(super) fn look_up(&mut self, server: &NewsPlace) -> Vec<Effect> {
        if self.read.known.iter().any(|known| known.server == *server) {
            return Vec::new();
        }
        let path = self.settings.newsrcs.path(server);
        let folds = self.settings.newsrcs.folds(server);
        self.read.known.push(Known {
            server: server.clone(),
            marks: path.is_none().then(Marks::default),
            unwritten: Vec::new(),
            writing: VecDeque::new(),
            folds: KnownFolds::new(folds.as_ref()),
            highest: HashMap::new(),
        });
        // The folds first: they are known when the page that shows them is.
        let folds = folds.map(|path| Effect::Folds(server.clone(), path, Vec::new()));
        let marks = path.map(|path| Effect::Marks(server.clone(), path, Vec::new()));
        folds.into_iter().chain(marks).collect()
    }

    /// A file of marks was read, or written and read again; or why not.
    pub(in crate::app) fn marked(
        &mut self,
        server: &NewsPlace,
        changes: usize,
        result: Result<Marks, String>,
    ) -> Vec<Effect> {
        let mut known = self.read.known.iter_mut();
        let Some(known) = known.find(|known| known.server == *server) else {
            return Vec::new();
        };
        let written = if changes > 0 {
            known.writing.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut marks = match result {
            Ok(marks) => marks,
            Err(sentence) => {
                // It is tried again with what changes next.
                let later = std::mem::replace(&mut known.unwritten, written);
                known.unwritten.extend(later);
                self.complain(&sentence);
                return Vec::new();
            }
        };
        let later = known.writing.iter().flatten().chain(&known.unwritten);
        later.for_each(|(group, change)| marks.apply(group, change));
        known.marks = Some(marks);
        if changes == 0 {
            let groups: Vec<Vec<u8>> = known.highest.keys().cloned().collect();
            for group in groups {
                self.tell_renumbered(server, &group);
            }
        }
        let fits = |page: &Page| NewsPlace::of(page).as_ref() == Some(server);
        self.dress(fits);
        let mut effects = self.refinish(fits);
        effects.extend(self.renew());
        effects
    }

    /// Changes what is known of a group, and shows it everywhere; it is written down soon.
    pub(in crate::app) fn change(&mut self, server: &NewsPlace, group: &[u8], change: Change) {
        self.take_change(server, group, change);
        self.dress(|page| NewsPlace::of(page).as_ref() == Some(server));
    }

    /// Changes what is known of a group, and shows it nowhere yet.
    pub(super) fn take_change(&mut self, server: &NewsPlace, group: &[u8], change: Change) {
        let mut known = self.read.known.iter_mut();
        let Some(known) = known.find(|known| known.server == *server) else {
            return;
        };
        if let Some(marks) = &mut known.marks {
            marks.apply(group, &change);
        }
        // Who reads an article knows that there is one: the server has more by now than it told.
        if let (Change::Read(numbers), Some(told)) = (&change, known.highest.get_mut(group)) {
            *told = numbers.highest().map_or(*told, |read| read.max(*told));
        }
        known.unwritten.push((group.to_vec(), change));
        self.read.is_changed = true;
    }

    /// Schedules the write of what has changed; at the end of the browser it is written at once.
    pub(in crate::app) fn schedule_marks(&mut self) -> Vec<Effect> {
        if self.is_over {
            return self.write_marks();
        }
        if !std::mem::take(&mut self.read.is_changed) || self.read.is_scheduled {
            return Vec::new();
        }
        self.read.is_scheduled = true;
        vec![Effect::MarksSoon]
    }

    /// The scheduled write is due.
    pub(in crate::app) fn marks_due(&mut self) -> Vec<Effect> {
        self.read.is_scheduled = false;
        self.write_marks()
    }

    /// Writes down what has changed.
    fn write_marks(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for known in &mut self.read.known {
            let changes: Changes = std::mem::take(&mut known.unwritten);
            let path = self.settings.newsrcs.path(&known.server);
            if let Some(path) = path.filter(|_| !changes.is_empty()) {
                known.writing.push_back(changes.clone());
                effects.push(Effect::Marks(known.server.clone(), path, changes));
            }
            let path = self.settings.newsrcs.folds(&known.server);
            effects.extend(known.folds.write(&known.server, path));
        }
        effects
    }

    /// Says so where a server's highest number in a group is far below what was read: it counts anew, or the one that
    /// answered lags behind. The marks stay until a person resets them.
    pub(super) fn tell_renumbered(&mut self, server: &NewsPlace, group: &[u8]) {
        let mut known = self.read.known.iter();
        let known = known.find(|known| known.server == *server);
        let lower = known.and_then(|known| {
            let highest = *known.highest.get(group)?;
            let marked = known.marks.as_ref()?.of(group)?;
            let read = marked.read.highest()?;
            marked.is_renumbered(highest).then_some((highest, read))
        });
        if let Some((highest, read)) = lower {
            let name = Text::new(group, Charset::default());
            let reset = self.key_of(Action::ResetGroup);
            self.tell(&format!(
                "{name} ends at {highest}, but was read up to {read}; {reset} clears its marks"
            ));
        }
    }
}
