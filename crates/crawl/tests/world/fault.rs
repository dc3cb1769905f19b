//! The ways in which a server of the test world answers, and what each of them means.

use proptest::prelude::*;

/// Number of pages of a world, without its first one.
pub const PAGES: usize = 6;

/// The protocol of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    Http,
    Gemini,
    Gopher,
}

/// How a server answers a request for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    // Whole pages.
    Good,
    /// The page has other words.
    Changed,
    /// It has other words, and its size is as before.
    SameSize,
    Grown,
    Shrunk,
    /// A page of maintenance in its place, without links.
    Bare,
    /// A login page in its place, as the network of a hotel has it.
    LoginPage,
    /// It is declared as a plain text.
    PlainType,
    /// It is declared as a file of no known kind.
    BinaryType,
    /// It has no media type.
    NoType,
    /// It is compressed, though nobody asked for it.
    Compressed,
    /// It may not be stored.
    NoStore,
    /// It is larger than a sync takes.
    Huge,
    /// Its end is not confirmed: no length is announced, TLS is not closed.
    Unconfirmed,
    /// It has no octets, behind a head that says so.
    NoContent,
    // Parts of pages.
    Cut,
    /// The connection ends before its head.
    Empty,
    /// The head, and the beginning of the page; then nothing more.
    Stalls,
    /// The beginning, and then an octet from time to time.
    Drips,
    Silent,
    // Words of the server.
    Missing,
    Gone,
    Forbidden,
    Broken,
    Unavailable,
    /// It is to be asked again in two seconds.
    Busy,
    /// It is to be asked again in two hours.
    BusyForLong,
    AsksForLogin,
    AsksForWords,
    /// A status that nobody knows.
    OddStatus,
    /// No head as the protocol has it.
    Nonsense,
    /// A head with a line that is none.
    OddHead,
    // Redirects.
    Moved(usize),
    MovedForGood(usize),
    ToItself,
    /// To a page that redirects to the next one, and so on.
    Endless,
    /// To a host whose name no longer resolves.
    ToNowhere,
    /// To a server that refuses connections.
    ToRefused,
    /// To a page that the user has excepted.
    ToExcepted,
    /// To a page that the rules of the host refuse.
    ToHidden,
    /// To no URL.
    ToNonsense,
    /// Without a target.
    ToNothing,
}

use Fault::{
    AsksForLogin, AsksForWords, Bare, BinaryType, Broken, Busy, BusyForLong, Changed, Compressed,
    Cut, Drips, Empty, Endless, Forbidden, Gone, Good, Grown, Huge, LoginPage, Missing, Moved,
    MovedForGood, NoContent, NoStore, NoType, Nonsense, OddHead, OddStatus, PlainType, SameSize,
    Shrunk, Silent, Stalls, ToExcepted, ToHidden, ToItself, ToNonsense, ToNothing, ToNowhere,
    ToRefused, Unavailable, Unconfirmed,
};

impl Fault {
    /// Returns true for a redirect.
    pub const fn is_redirect(self) -> bool {
        matches!(
            self,
            Moved(_)
                | MovedForGood(_)
                | ToItself
                | Endless
                | ToNowhere
                | ToRefused
                | ToExcepted
                | ToHidden
                | ToNonsense
                | ToNothing
        )
    }
}

/// Answers of which a half is good: else no world is large.
pub fn faults() -> impl Strategy<Value = Fault> {
    let faults = vec![
        Changed,
        SameSize,
        Grown,
        Shrunk,
        Bare,
        LoginPage,
        PlainType,
        BinaryType,
        NoType,
        Compressed,
        NoStore,
        Huge,
        Unconfirmed,
        NoContent,
        Cut,
        Empty,
        Stalls,
        Drips,
        Silent,
        Missing,
        Gone,
        Forbidden,
        Broken,
        Unavailable,
        Busy,
        BusyForLong,
        AsksForLogin,
        AsksForWords,
        OddStatus,
        Nonsense,
        OddHead,
        ToItself,
        Endless,
        ToNowhere,
        ToRefused,
        ToExcepted,
        ToHidden,
        ToNonsense,
        ToNothing,
    ];
    prop_oneof![
        20 => Just(Good),
        20 => prop::sample::select(faults),
        2 => (1..=PAGES).prop_map(Moved),
        2 => (1..=PAGES).prop_map(MovedForGood),
    ]
}

/// How a host answers the request for its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// `/hidden` is refused.
    Hidden,
    /// The same, behind a byte order mark, and not to be stored.
    Marked,
    Missing,
    Broken,
    Silent,
    Drips,
}

/// Rules, most of which come.
pub fn rules() -> impl Strategy<Value = Rules> {
    prop_oneof![
        8 => Just(Rules::Hidden),
        2 => Just(Rules::Marked),
        4 => Just(Rules::Missing),
        1 => Just(Rules::Broken),
        1 => Just(Rules::Silent),
        1 => Just(Rules::Drips),
    ]
}

/// The answers of a server at a time.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The pages to which each page links.
    pub links: Vec<Vec<usize>>,
    /// The answer of each page.
    pub faults: Vec<Fault>,
    pub rules: Rules,
}

impl Phase {
    /// Returns true if a run may leave the host: a pause of Gemini holds for all of it, and after two answers that did
    /// not come no other is waited for, one of which may be that of a redirect. What was fetched before depends on the
    /// order of the answers.
    pub fn may_be_left(&self, wire: Wire) -> bool {
        let has_pause = wire == Wire::Gemini && self.faults.contains(&BusyForLong);
        let is_silent = |fault: &Fault| matches!(fault, Silent | Empty | Stalls | Drips);
        let leads_to_silence = |fault: &Fault| match fault {
            Moved(to) | MovedForGood(to) => self.faults.get(*to).is_some_and(is_silent),
            _ => false,
        };
        let silences = self.faults.iter();
        let silences = silences.filter(|fault| is_silent(fault) || leads_to_silence(fault));
        has_pause || silences.count() > 1
    }

    /// Makes all answers good.
    pub fn healed(&self) -> Self {
        Self {
            faults: vec![Good; PAGES + 1],
            rules: Rules::Hidden,
            ..self.clone()
        }
    }
}

/// Phases of a world.
pub fn phases() -> impl Strategy<Value = Phase> {
    let page = prop::collection::vec(1..=PAGES, 0..4);
    let links = prop::collection::vec(page, PAGES + 1);
    let top = prop_oneof![3 => Just(Good), 2 => faults()];
    let faults = (top, prop::collection::vec(faults(), PAGES));
    let faults = faults.prop_map(|(top, below)| [vec![top], below].concat());
    (links, faults, rules()).prop_map(|(links, faults, rules)| Phase {
        links,
        faults,
        rules,
    })
}

/// A world: a server as it is, and as it is later, when things were renamed, removed and moved.
#[derive(Clone, Debug)]
pub struct World {
    pub wire: Wire,
    pub now: Phase,
    pub later: Phase,
    /// The number of requests after which a run is killed.
    pub kill: usize,
}

impl World {
    /// Returns true in a half of the worlds: what costs time runs there, something else in the others.
    pub const fn is_even(&self) -> bool {
        self.kill.is_multiple_of(2)
    }
}

/// Worlds.
pub fn worlds() -> impl Strategy<Value = World> {
    // A handshake of TLS costs more than all else of a request.
    let wire = prop_oneof![
        2 => Just(Wire::Http),
        1 => Just(Wire::Gemini),
        2 => Just(Wire::Gopher),
    ];
    (wire, phases(), phases(), 1_usize..10).prop_map(|(wire, now, later, kill)| World {
        wire,
        now,
        later,
        kill,
    })
}
