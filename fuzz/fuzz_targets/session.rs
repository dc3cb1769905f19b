//! Octets as the session file of an earlier run: any session starts the browser with a page.

#![no_main]

use geomys::app::{App, Settings};
use geomys::keymap::Keymap;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::session::SessionState;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let Ok(state) = SessionState::parse(octets) else {
        return;
    };
    let size = (80, 24);
    let app = App::new(
        Keymap::default(),
        Settings::default(),
        Bookmarks::default(),
        size,
    );
    let mut app = app.with_session(Some(state));
    app.start(&[]);
    assert!(app.page().is_some(), "a page is shown");
});
