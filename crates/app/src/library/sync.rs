//! The sync: its question, its progress and its end.

use geomys_crawl::sync::progress::PageCount;
use geomys_crawl::sync::report::{SAVED, SourceReport, SyncSummary, notes};
use geomys_load::LoadId;
use geomys_store::files::draft::{DeliveryMethod, StoredDraft};
use geomys_wire::text::{Text, count};

use crate::action::Action;
use crate::library::SyncState;
use crate::library::message::{
    LibraryCommand, LibraryEffect, OutboxUse, RunningSync, SyncOrder, SyncStep,
};
use crate::tabs::offline::try_network;
use crate::tabs::tab::shows_private;
use crate::transfers::Progress;
use crate::{Context, Credentials, Dialog, Effect, Library, Tabs};

/// Asks before a sync that sends something, else begins it.
pub(super) fn ask_sync(outbox: &[StoredDraft], cx: &mut Context) {
    let send = LibraryCommand::Sync(OutboxUse::Send);
    if outbox.is_empty() {
        return cx.command(send);
    }
    // A key press shortly before caused this question.
    cx.by_key = true;
    let lines = outbox.iter().map(|draft| {
        let (subject, to) = (Text::of(&draft.subject), Text::of(&draft.to));
        Text::of(&format!("{subject}  to {to}"))
    });
    let question = format!("Sync, and send {}?", outbox_in_words(outbox));
    let dialog = Dialog::new(&question)
        .answer('y', "yes", send)
        .answer(
            'w',
            "sync without sending",
            LibraryCommand::Sync(OutboxUse::Leave),
        )
        .no("no")
        .declined(Vec::new());
    cx.ask(dialog.with_lines(lines.collect()));
}

/// Returns the number of drafts by their kind: `2 posts, 1 mail`.
fn outbox_in_words(outbox: &[StoredDraft]) -> String {
    let kinds = [
        (DeliveryMethod::Post, "post"),
        (DeliveryMethod::Mail, "mail"),
        (DeliveryMethod::Upload, "upload"),
    ];
    let words = kinds.into_iter().filter_map(|(delivery, one)| {
        match outbox
            .iter()
            .filter(|draft| draft.delivery == delivery)
            .count()
        {
            0 => None,
            1 => Some(format!("1 {one}")),
            many => Some(format!("{} {one}s", count(many))),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Begins a sync; what waits in the outbox is asked about first.
pub(crate) fn start_sync(library: &Library, tabs: &Tabs, cx: &mut Context) {
    let stop = cx.key_of(Action::Stop);
    if let Some(running) = &library.sync.running {
        let words = running.words();
        return cx.notify(&format!("Sync: {words} ({stop} stops it)"));
    }
    if shows_private(tabs.tab()) {
        return cx.notify("A private tab stores nothing: sync from another tab");
    }
    // As a reload does: only the chosen offline mode refuses.
    try_network(cx);
    if cx.settings.offline {
        let offline = cx.key_of(Action::Offline);
        return cx.notify(&format!("Offline: {offline} goes online, then sync"));
    }
    cx.emit(LibraryEffect::ReadOutbox);
}

/// Begins a sync, unless one runs.
pub(crate) fn begin_sync(
    library: &mut Library,
    outbox: OutboxUse,
    credentials: &Credentials,
    cx: &mut Context,
) {
    if library.sync.running.is_some() {
        return;
    }
    let load = cx.next_load();
    library.sync.running = Some(RunningSync {
        progress: Progress::new(load, None, cx.now),
        source: Text::default(),
        pages: PageCount::default(),
    });
    let defaults = credentials.request_defaults(&cx.settings);
    let order = SyncOrder { defaults, outbox };
    cx.emit(LibraryEffect::Sync(load, Box::new(order)));
    let (stop, list) = (cx.key_of(Action::Stop), cx.key_of(Action::Transfers));
    cx.notify(&format!("Sync started ({stop} stops it, {list} shows it)"));
}

/// Stops the running sync. Returns false if there is none.
pub(crate) fn stop_sync(library: &mut Library, cx: &mut Context) -> bool {
    let Some(running) = library.sync.running.take() else {
        return false;
    };
    cx.emit(Effect::Drop(running.progress.load));
    let words = running.words();
    cx.notify(&format!(
        "Sync stopped after {words}; fetched pages are stored"
    ));
    library.read_stored(cx);
    true
}

/// Records the progress of a sync.
pub(super) fn record_sync(state: &mut SyncState, load: LoadId, step: SyncStep, cx: &Context) {
    if let Some(running) = &mut state.running
        && running.progress.load == load
    {
        running.progress.record(step.octets, cx.now);
        running.source = step.source;
        running.pages = step.pages;
    }
}

/// Handles the end of a sync: the message about it, or the error.
pub(super) fn sync_ended(
    state: &mut SyncState,
    load: LoadId,
    result: Result<Box<(Vec<SourceReport>, SyncSummary)>, String>,
    cx: &mut Context,
) {
    let is_own = |running: &mut RunningSync| running.progress.load == load;
    if state.running.take_if(is_own).is_none() {
        return;
    }
    let (reports, summary) = match result {
        Ok(ended) => *ended,
        Err(sentence) => return cx.report_error(&sentence),
    };
    let is_saved = |report: &SourceReport| report.source == SAVED;
    let (saved, others): (Vec<_>, Vec<_>) = reports.into_iter().partition(is_saved);
    state.notes = notes(&others);
    // The page of the queue has a row for each page of it.
    let unfetched = saved.iter().flat_map(SourceReport::notes);
    let unfetched = unfetched.map(|(word, note)| (note.url.clone(), (word, note.reason.clone())));
    state.unfetched = unfetched.collect();
    state.is_unlisted = true;
    let mut sentence = format!("Sync: {}", summary.sentence());
    if !(state.notes.is_empty() && state.unfetched.is_empty()) {
        let later = cx.key_of(Action::Later);
        sentence = format!("{sentence} ({later} lists)");
    }
    if let Some(why) = summary.stopped {
        cx.report_error(&why.to_string());
    } else if summary.failed > 0 {
        cx.report_error(&sentence);
    } else {
        cx.notify(&sentence);
    }
}
