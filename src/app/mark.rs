//! Keys of a group and of a list of groups: what is read and unread, folded and shown, subscribed to, liked and not.

use std::sync::Arc;

use super::action::Action;
use super::choice::{Choice, Of, YES_OR_NO};
use super::news::{NewsPlace, group_of, range_of};
use super::next_unread::On;
use super::page::Page;
use super::{App, Effect};
use crate::document::folds::FoldChange;
use crate::document::marks::Change;
use crate::document::score::{Rules, rule_line};
use crate::document::{Column, Fold, Folds, HiddenRows, Numbers, ReadRows, Relation, Shape, Shown};
use crate::text::{self, Charset, Text};

/// What a rule that a key makes adds to a score.
const LIKED: i32 = 100;
const DISLIKED: i32 = -9999;

/// What of a group is marked read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaughtUp {
    /// All of it, up to this number.
    All(u64),
    /// The articles from the first number to the last.
    Between(u64, u64),
    /// Nothing: what was read of it is forgotten.
    Nothing,
}

impl CaughtUp {
    /// What changes; nothing where it names no article.
    fn change(self) -> Option<Change> {
        let numbers = match self {
            Self::All(highest) => Numbers::range(1, highest),
            Self::Between(first, last) => Numbers::range(first, last),
            Self::Nothing => return Some(Change::Reset),
        };
        (!numbers.is_empty()).then_some(Change::Read(numbers))
    }
}

impl App {
    /// Does what a key of a page of news asks for.
    pub(super) fn act_on_news(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::SortThread => self.sort(Column::Thread),
            Action::SortAuthor => self.sort(Column::Author),
            Action::SortSubject => self.sort(Column::Subject),
            Action::SortScore => self.sort(Column::Score),
            Action::NextUnread => self.next_unread(),
            Action::NextGroup => self.next_group(),
            Action::MarkArticle => self.mark_article(),
            Action::MarkThread => self.mark_thread(),
            Action::CatchUp => self.ask_catch_up(None),
            Action::ResetGroup => self.ask_catch_up(Some(CaughtUp::Nothing)),
            Action::Subscribe => self.subscribe(true),
            Action::Unsubscribe => self.subscribe(false),
            Action::FoldThread => self.fold_thread(None),
            Action::FoldThreads => self.fold_all(),
            Action::OnlyUnread => self.turn_read(),
            Action::ShowHidden => self.turn_hidden(),
            Action::Parent => self.go_to_related(Relation::Parent),
            Action::ThreadRoot => self.go_to_related(Relation::Root),
            Action::NextReply => self.go_to_related(Relation::Reply),
            Action::WholeThread => self.whole_thread(),
            Action::Rule => self.ask_rule(),
            // The rest is done elsewhere.
            _ => Vec::new(),
        }
    }

    /// Marks the article read; unread again when it was.
    pub(super) fn mark_article(&mut self) -> Vec<Effect> {
        let Some(shown) = self.article_here() else {
            self.tell("no article is here to be marked");
            return Vec::new();
        };
        let number = Numbers::range(shown.number, shown.number);
        self.turn_mark(&shown.server, &shown.group, number, "the article");
        if shown.on == On::Group {
            return self.step(1);
        }
        Vec::new()
    }

    /// Marks all articles of the thread read; unread again when all of them were.
    pub(super) fn mark_thread(&mut self) -> Vec<Effect> {
        let Some(shown) = self.article_here() else {
            self.tell("no article is here to be marked");
            return Vec::new();
        };
        let page = self.group_page(&shown.server, &shown.group);
        let numbers = page.and_then(|page| {
            let document = page.own_document()?;
            let here = document.numbered_article(shown.number)?;
            Some(document.thread_numbers(here.line))
        });
        match numbers {
            Some(numbers) => self.turn_mark(&shown.server, &shown.group, numbers, "the thread"),
            None => self.tell("the thread is known when all of its group is here"),
        }
        Vec::new()
    }

    fn turn_mark(&mut self, server: &NewsPlace, group: &[u8], numbers: Numbers, what: &str) {
        let Some(marks) = self.marks(server) else {
            return self.tell("it is not known yet what was read here");
        };
        let mut unread = numbers.clone();
        unread.part(&marks.read(group));
        let (change, how) = if unread.is_empty() {
            (Change::Unread(numbers), "unread again")
        } else {
            (Change::Read(numbers), "read")
        };
        self.change(server, group, change);
        self.tell(&format!("{what} is {how}"));
    }

    /// Asks whether this of a group is to be marked read; by itself all of it, or what is shown by its numbers.
    fn ask_catch_up(&mut self, wanted: Option<CaughtUp>) -> Vec<Effect> {
        let Some((server, group, here)) = self.group_here() else {
            self.tell("no group is here to be marked");
            return Vec::new();
        };
        let numbers = wanted.unwrap_or(here);
        if numbers.change().is_none() {
            self.tell("no article is here to be marked");
            return Vec::new();
        }
        let unread = self
            .group_page(&server, &group)
            .and_then(|page| page.own_document()?.unread());
        let name = Text::new(&group, Charset::default());
        let lines = unread.map(|(unread, of)| {
            let (unread, of) = (text::count(unread), text::count(of));
            Text::of(&format!("{unread} of {of} articles are unread."))
        });
        let question = match numbers {
            CaughtUp::All(_) => format!("Mark all articles of {name} read?"),
            CaughtUp::Between(first, last) => {
                format!("Mark articles {first} to {last} of {name} read?")
            }
            CaughtUp::Nothing => format!("Forget which articles of {name} were read?"),
        };
        let of = Of::CatchUp(server, group, numbers);
        let lines = lines.into_iter().collect();
        self.choose(Choice::new(&question, &YES_OR_NO, of).about(lines))
    }

    /// Marks these articles of a group read.
    pub(super) fn catch_up(
        &mut self,
        server: &NewsPlace,
        group: &[u8],
        numbers: CaughtUp,
    ) -> Vec<Effect> {
        let name = Text::new(group, Charset::default());
        self.tell(&match numbers {
            CaughtUp::All(_) => format!("all of {name} is read"),
            CaughtUp::Between(first, last) => {
                format!("articles {first} to {last} of {name} are read")
            }
            CaughtUp::Nothing => format!("all of {name} is unread"),
        });
        if let Some(change) = numbers.change() {
            self.change(server, group, change);
        }
        Vec::new()
    }

    /// Subscribes to the group, or not any more.
    pub(super) fn subscribe(&mut self, subscribed: bool) -> Vec<Effect> {
        let Some((server, group, _)) = self.group_here() else {
            self.tell("no group is here to subscribe to");
            return Vec::new();
        };
        self.change(&server, &group, Change::Subscribe(subscribed));
        let name = Text::new(&group, Charset::default());
        self.tell(&if subscribed {
            format!("subscribed to {name}")
        } else {
            format!("no longer subscribed to {name}")
        });
        let is_list = |page: &Page| {
            page.shape() == Some(Shape::Groups) && NewsPlace::of(page).as_ref() == Some(&server)
        };
        // On a list the cursor goes on before the group leaves it for its new place.
        let mut effects = if self.page().is_some_and(is_list) {
            self.step(1)
        } else {
            Vec::new()
        };
        effects.extend(self.refinish(is_list));
        effects
    }

    /// The group that keys are about: that of the page, or the one under the cursor in a list; and what of it is there.
    fn group_here(&self) -> Option<(NewsPlace, Vec<u8>, CaughtUp)> {
        let page = self.page()?;
        let server = NewsPlace::of(page)?;
        let document = page.document()?;
        if page.shape() == Some(Shape::Groups) {
            let (group, highest) = document.listed_group(page.place.cursor)?;
            return Some((server, group, CaughtUp::All(highest)));
        }
        let group = group_of(&page.url)?;
        let page = self.group_page(&server, &group)?;
        let listed = page.own_document()?.highest();
        let highest = page.highest.max(listed).unwrap_or_default();
        let numbers = match range_of(&page.url) {
            Some((first, last)) => CaughtUp::Between(first, last.min(highest)),
            None => CaughtUp::All(highest),
        };
        Some((server, group, numbers))
    }

    /// Folds the thread of the article, or unfolds it; or does what is wanted.
    pub(super) fn fold_thread(&mut self, wanted: Option<Fold>) -> Vec<Effect> {
        let root = self.page().and_then(|page| {
            let document = page.document().filter(|document| !document.is_flat())?;
            let here = document.article(page.place.cursor)?;
            let root = document.thread_root(here.line)?;
            let id = document.message_id(root)?.to_vec();
            Some((u32::try_from(root).ok()?, id))
        });
        let Some((root, id)) = root else {
            self.tell("there are no threads here to fold");
            return Vec::new();
        };
        let mut changed = None;
        let effects = self.rearrange(|shown| {
            let turned = shown.folds.of(root).turned();
            if wanted.is_some_and(|wanted| wanted != turned) {
                return shown;
            }
            changed = Some(FoldChange::Thread(id, turned));
            let folds = shown.folds.with_turned(root);
            Shown { folds, ..shown }
        });
        if let Some(change) = changed {
            self.folds_changed(change);
        }
        effects
    }

    /// Folds all threads, or unfolds them.
    pub(super) fn fold_all(&mut self) -> Vec<Effect> {
        if self.has_no_threads() {
            self.tell("there are no threads here to fold");
            return Vec::new();
        }
        let mut changed = None;
        let effects = self.rearrange(|shown| {
            let turned = shown.folds.rule().turned();
            changed = Some(FoldChange::All(turned));
            let folds = Folds::all(turned);
            Shown { folds, ..shown }
        });
        if let Some(change) = changed {
            self.folds_changed(change);
        }
        effects
    }

    fn has_no_threads(&self) -> bool {
        let document = self.page().and_then(Page::document);
        document.is_none_or(|document| document.is_flat() || document.shape() != Shape::Group)
    }

    /// Leaves out what was read, or shows it again.
    pub(super) fn turn_read(&mut self) -> Vec<Effect> {
        let mut sentence = "";
        let effects = self.rearrange(|shown| {
            let read = match shown.read {
                ReadRows::Shown => ReadRows::LeftOut,
                ReadRows::LeftOut => ReadRows::Shown,
            };
            sentence = match read {
                ReadRows::Shown => "read articles are shown again",
                ReadRows::LeftOut => "only unread articles are shown",
            };
            Shown { read, ..shown }
        });
        if !sentence.is_empty() {
            self.tell(sentence);
        }
        effects
    }

    /// Shows what rules hide, or leaves it out again.
    pub(super) fn turn_hidden(&mut self) -> Vec<Effect> {
        let mut sentence = "";
        let effects = self.rearrange(|shown| {
            let hidden = match shown.hidden {
                HiddenRows::Shown => HiddenRows::LeftOut,
                HiddenRows::LeftOut => HiddenRows::Shown,
            };
            sentence = match hidden {
                HiddenRows::Shown => "articles that rules hide are shown",
                HiddenRows::LeftOut => "articles that rules hide are left out",
            };
            Shown { hidden, ..shown }
        });
        if !sentence.is_empty() {
            self.tell(sentence);
        }
        effects
    }

    /// Asks whether the author or the subject is to be hidden or marked from now on.
    pub(super) fn ask_rule(&mut self) -> Vec<Effect> {
        let said = self.article_here().and_then(|shown| {
            let page = self.group_page(&shown.server, &shown.group)?;
            let document = page.own_document()?;
            let here = document.numbered_article(shown.number)?;
            let (author, subject) = document.author_and_subject(here.line)?;
            Some((shown.group, author, subject))
        });
        let Some((group, author, subject)) = said else {
            let open = self.key_of(Action::WholeThread);
            self.tell(&format!(
                "no article of an open group is here; {open} opens its group"
            ));
            return Vec::new();
        };
        let name = Text::new(&group, Charset::default());
        let answers = [
            ('a', "hide the author"),
            ('s', "hide the subject"),
            ('A', "mark the author"),
            ('S', "mark the subject"),
        ];
        let lines = vec![
            Text::of(&format!("Author:  {author}")),
            Text::of(&format!("Subject: {subject}")),
        ];
        let of = Of::Rule {
            group,
            author,
            subject,
        };
        let question = format!("A rule for {name}: what is to be hidden or marked?");
        self.choose(Choice::new(&question, &answers, of).about(lines))
    }

    /// Writes the rule down that was chosen.
    pub(super) fn add_rule(
        &mut self,
        letter: char,
        group: &[u8],
        author: &str,
        subject: &str,
    ) -> Vec<Effect> {
        let (score, header, text) = match letter {
            'a' => (DISLIKED, "From", author),
            's' => (DISLIKED, "Subject", subject),
            'A' => (LIKED, "From", author),
            _ => (LIKED, "Subject", subject),
        };
        let Some(path) = self.settings.score.clone() else {
            self.tell("rules are written down nowhere here");
            return Vec::new();
        };
        let Some(rule) = rule_line(score, header, text) else {
            self.tell(&format!(
                "“{}” is too little for a rule: it would fit most articles",
                Text::of(text.trim())
            ));
            return Vec::new();
        };
        let group = String::from_utf8_lossy(group).into_owned();
        vec![Effect::Rule(path, group, rule)]
    }

    /// A rule was written down, or why not: from now on all rules of the file count.
    pub(super) fn ruled_by(&mut self, result: Result<Rules, String>) -> Vec<Effect> {
        match result {
            Ok(rules) => {
                self.settings.rules = Arc::new(rules);
                self.tell("the rule is in score.txt, where it can be changed");
            }
            Err(sentence) => {
                self.complain(&sentence);
                return Vec::new();
            }
        }
        self.dress(|_| true);
        if self.page().and_then(Page::shape) == Some(Shape::Group) {
            return self.rearrange(|shown| shown);
        }
        Vec::new()
    }
}
