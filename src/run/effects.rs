//! The task of each effect.

use std::sync::Arc;

use geomys_load::{Login, host_rules};
use geomys_store::bookmarks::checks::{self as check_results, UrlKey};
use geomys_store::bookmarks::exchange::import::Import;
use geomys_store::bookmarks::records::RecordChange;
use geomys_store::bookmarks::watch;
use geomys_store::files::draft::posted_ids;
use geomys_store::files::news::ServerFolds;
use geomys_store::files::read_messages::ReadMessages;
use geomys_store::files::{charsets, logins, mailcap, news, trust, user_file};
use geomys_store::transfer::download::Target;
use geomys_store::transfer::queue;

use super::file_writer::FileJob;
use super::tasks::Tasks;
use super::{bulk_jobs, external, page_cache, pipe, site, transfers};
use crate::config;
use geomys_app::news::SOON;
use geomys_app::{
    BookmarkEffect, BookmarkMessage, CredentialEffect, CredentialMessage, Effect, HistoryStep,
    Message, NewsEffect, NewsMessage, TabsEffect, TabsMessage, TransferEffect, TransferMessage,
    Work, WorkId,
};

impl Tasks {
    /// Starts the task of an effect. Its messages are ignored once the main loop has ended.
    pub(super) fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Load(id, request) => self.load(id, request),
            Effect::SendToSession(id, typed) => self.telnet_inputs.send(id, typed),
            Effect::Drop(id) => self.cancel(id),
            Effect::Work(id, work) => self.start_work(id, work),
            Effect::ReadFile(work, path, limit) => {
                self.report("the file was not read", external::read(work, path, limit));
            }
            Effect::StoreCharset(host, read_as) => self.put(FileJob::new(
                "the charset was not stored",
                move |files| charsets::save(&files.paths.charsets(), &host, read_as),
                Message::Written,
            )),
            Effect::Tabs(effect) => self.start_tabs(effect),
            Effect::Bookmarks(effect) => self.start_bookmarks(effect),
            Effect::Transfers(effect) => self.start_transfers(effect),
            Effect::Library(effect) => self.start_library(effect),
            Effect::News(effect) => self.start_news(effect),
            Effect::Compose(job) => self.write(job),
            Effect::Credentials(effect) => self.start_credentials(effect),
            Effect::Run(program) => self.compute("the program was not run", move || {
                Message::Tabs(TabsMessage::ProgramEnded(external::run(&program)))
            }),
            Effect::Offline(offline) => self.net.set_offline(offline),
            Effect::StoreSetting(name, value) => self.put(FileJob::new(
                "the setting was not stored",
                move |files| {
                    let change = |text: &str| config::with_setting(text, &name, &value);
                    user_file::rewrite(&files.paths.settings(), change)?;
                    let start = if config::is_read_at_start(&name) {
                        " (restart to apply)"
                    } else {
                        ""
                    };
                    Ok::<_, String>(format!("{name} = {value}{start}"))
                },
                Message::SettingStored,
            )),
            Effect::StartTimer(timer, time) => {
                self.send_after(time, Message::TimerEnded(timer));
            }
            // The main loop carries these out itself.
            Effect::Copy(_)
            | Effect::EditText(..)
            | Effect::UseMouse(_)
            | Effect::EditFile(_)
            | Effect::SaveCard(..)
            | Effect::ReadConfig
            | Effect::Redraw
            | Effect::Suspend => {}
        }
    }

    fn start_work(&self, id: WorkId, work: Work) {
        let not_done = match &work {
            Work::Finish(_) => "the page was not completed",
            Work::LayOut(_) => "the page was not laid out",
            Work::Arrange(..) => "the list was not sorted or filtered",
            Work::Find(..) => "the text was not searched",
            Work::Count(..) => "the matches were not counted",
            Work::Render(..) => "the picture was not drawn",
        };
        let is_quick = matches!(work, Work::Find(..) | Work::Count(..));
        let carry_out = move || Message::Worked(id, work.carry_out());
        if is_quick {
            self.compute(not_done, carry_out);
        } else {
            self.compute_document(not_done, carry_out);
        }
    }

    fn start_tabs(&self, effect: TabsEffect) {
        match effect {
            TabsEffect::Rules(from, host, caps, usage) => {
                let net = Arc::clone(&self.net);
                self.report("the server's rules were not read", async move {
                    let rules = host_rules(&net, &caps).await;
                    Message::Tabs(TabsMessage::Rules(from, host, rules, usage))
                });
            }
            TabsEffect::Viewers(paths) => {
                self.compute("the mailcap files were not read", move || {
                    Message::Tabs(TabsMessage::Viewers(mailcap::read(&paths)))
                });
            }
            TabsEffect::CachePage(head, document) => {
                let cache = Arc::clone(&self.cache);
                self.compute("the page was not cached", move || {
                    page_cache::store(&cache, &head, &document)
                });
            }
        }
    }

    fn start_bookmarks(&mut self, effect: BookmarkEffect) {
        match effect {
            BookmarkEffect::Save(step, change, base, records) => self.put(FileJob::new(
                "the bookmarks were not saved",
                // The change is saved: without its date, a bookmark has an unknown one.
                move |files| {
                    let records = match step {
                        HistoryStep::Done | HistoryStep::Redone => RecordChange::Add(&records),
                        HistoryStep::Undone => RecordChange::TakeBack(&records),
                    };
                    let saved = files.bookmarks.save_with_records(&base, &change, records);
                    saved.map(|(applied, _)| applied)
                },
                move |saved| Message::Bookmarks(BookmarkMessage::Saved(step, saved)),
            )),
            BookmarkEffect::Import(path) => self.compute("nothing was imported", move || {
                let read = Import::read(&path, None).map(Box::new);
                Message::Bookmarks(BookmarkMessage::ImportRead(read))
            }),
            BookmarkEffect::ListStates => self.put(FileJob::new(
                "the states were not read",
                |files| files.bookmarks.state_lines(),
                |listed| BookmarkMessage::States(listed).into(),
            )),
            BookmarkEffect::Restore(number) => self.put(FileJob::new(
                "the state was not restored",
                move |files| {
                    let restored = files.bookmarks.restore_number(number);
                    restored.map(|difference| format!("Back to state {number}: {difference}"))
                },
                |restored| BookmarkMessage::Restored(restored).into(),
            )),
            BookmarkEffect::Read(base) => self.put(FileJob::new(
                "the bookmarks were not read",
                move |files| files.bookmarks.reload(&base),
                |read| Message::Bookmarks(BookmarkMessage::Read(read)),
            )),
            BookmarkEffect::Filter(work, search) => self
                .compute("the bookmarks were not filtered", move || {
                    Message::Bookmarks(BookmarkMessage::Filtered(work, Box::new(search.run())))
                }),
            BookmarkEffect::Sort(work, order, bookmarks, settings) => self.put(FileJob::new(
                "the bookmarks were not sorted",
                move |files| {
                    files
                        .sort_bookmarks(order, bookmarks, &settings)
                        .map(Box::new)
                },
                move |sorted| BookmarkMessage::Sorted(work, sorted).into(),
            )),
            BookmarkEffect::ReadCheckResults => {
                // After the events that are being written.
                self.put(FileJob::new(
                    "the results were not read",
                    move |files| {
                        bulk_jobs::read_results(&files.paths.checks(), &files.paths.watched())
                    },
                    |read| Message::Bookmarks(BookmarkMessage::CheckResultsRead(read)),
                ));
            }
            BookmarkEffect::RunBulk(id, job) => {
                let (services, files) = (
                    self.services(),
                    (self.user_paths(), Arc::clone(&self.cache)),
                );
                let not_done = job.kind.not_done();
                self.run_bulk(id, not_done, bulk_jobs::run(services, files, id, *job));
            }
            BookmarkEffect::WriteCheckResults(results, bookmarks) => self.put(FileJob::new(
                "the results were not saved",
                move |files| {
                    let urls = bookmarks.bookmarks();
                    let urls = urls.filter_map(|one| one.repaired_url().ok());
                    let listed = urls.map(|url| UrlKey::with_login(&url)).collect();
                    let now = check_results::current_second();
                    check_results::save(&files.paths.checks(), &results, &listed, now).map(drop)
                },
                Message::Written,
            )),
            BookmarkEffect::WriteWatchEvents(events) => self.put(FileJob::new(
                "the results were not saved",
                move |files| {
                    watch::save(
                        &files.paths.watched(),
                        &events,
                        check_results::current_second(),
                    )
                    .map(drop)
                },
                Message::Written,
            )),
        }
    }

    fn start_transfers(&mut self, effect: TransferEffect) {
        match effect {
            TransferEffect::Start(id, job) => {
                let (net, messages) = self.services();
                let settings = (self.sources(), self.retry_policy);
                self.spawn(id, transfers::run(net, messages, id, *job, settings));
            }
            TransferEffect::Destination(directory, url, base) => {
                let sources = self.sources();
                self.compute("the destination was not determined", move || {
                    let path = sources.destination(&base, &url);
                    Message::Transfers(TransferMessage::Destination(directory, path))
                });
            }
            TransferEffect::WriteList(was, now) => self.put(FileJob::new(
                "the transfers were not saved",
                move |files| queue::save(&files.paths.transfers(), &was, &now),
                Message::Written,
            )),
            TransferEffect::RemovePartial(id, order) => {
                let running = id.and_then(|id| self.running.remove(&id));
                self.report(
                    "the partial file was not removed",
                    transfers::remove_partial(running, order),
                );
            }
            TransferEffect::Save(id, document, target) => self.save(id, document, target, None),
            TransferEffect::SaveReply(id, reply, to, made) => {
                self.save(id, reply, Target::Free(to), Some(made));
            }
            TransferEffect::Join(id, job) => {
                let (net, messages) = self.services();
                self.spawn(id, transfers::save(net, messages, id, *job));
            }
            TransferEffect::Pipe(id, job) => {
                let (net, messages) = self.services();
                self.spawn(id, pipe::pipe(net, messages, id, *job));
            }
            TransferEffect::Site(id, job) => {
                let (net, messages) = self.services();
                self.spawn(id, site::run(net, messages, id, job, self.retry_policy));
            }
            TransferEffect::Fetch(id, request, name) => {
                let (net, messages) = self.services();
                self.spawn(id, external::fetch(net, messages, id, *request, name));
            }
        }
    }

    fn start_news(&self, effect: NewsEffect) {
        match effect {
            NewsEffect::Marks(server, path, changes) => {
                let count = changes.len();
                self.put(FileJob::new(
                    "read marks were not saved",
                    move |files| files.change_marks(path, &changes),
                    move |marks| Message::News(NewsMessage::Marks(server, count, marks)),
                ));
            }
            NewsEffect::Folds(server, path, changes) => {
                let count = changes.len();
                self.put(FileJob::new(
                    "folded threads were not saved",
                    move |_| match count {
                        0 => ServerFolds::load(&path),
                        _ => ServerFolds::change(&path, &changes),
                    },
                    move |folds| Message::News(NewsMessage::Folds(server, count, folds)),
                ));
            }
            NewsEffect::Messages(path, marks) => {
                let count = marks.len();
                self.put(FileJob::new(
                    "the read messages were not saved",
                    move |_| match count {
                        0 => ReadMessages::load(&path),
                        _ => ReadMessages::change(&path, &marks),
                    },
                    move |read| Message::News(NewsMessage::Messages(count, read)),
                ));
            }
            NewsEffect::Schedule => self.send_after(SOON, NewsMessage::Due.into()),
            NewsEffect::Refresh(interval) => {
                self.send_after(interval, NewsMessage::RefreshDue.into());
            }
            NewsEffect::Posted => self.put(FileJob::new(
                "the posted articles were not read",
                |files| Ok::<_, String>(posted_ids(&files.paths.posted())),
                |ids: Result<Vec<String>, String>| {
                    Message::News(NewsMessage::Posted(ids.unwrap_or_default()))
                },
            )),
            NewsEffect::Rule(path, wildmat, rule) => self.put(FileJob::write(
                "the rule was not saved",
                move |_| news::add_score_rule(&path, &wildmat, &rule),
                |rules| Message::News(NewsMessage::Rule(rules)),
            )),
        }
    }

    fn start_credentials(&self, effect: CredentialEffect) {
        match effect {
            CredentialEffect::Pin(authority, pin) => {
                let saved = authority.clone();
                self.put(FileJob::write(
                    "the certificate was not saved",
                    move |files| trust::save(&files.paths.trust(), &saved, pin),
                    move |pin| Message::Credentials(CredentialMessage::Pinned(authority, pin)),
                ));
            }
            CredentialEffect::Keyring(lookup) => {
                self.report("the keyring was not read", async move {
                    let password = logins::password(&lookup.scope, &lookup.user).await;
                    let login = password.map(|password| Login::new(&lookup.user, password));
                    CredentialMessage::Keyring(lookup, login).into()
                });
            }
            CredentialEffect::StorePassword(scope, login) => {
                self.report("the password was not stored", async move {
                    let password = login.password.unwrap_or_default();
                    let stored = logins::store(&scope, &login.user, &password).await;
                    Message::Credentials(CredentialMessage::PasswordStored(stored))
                });
            }
        }
    }
}
