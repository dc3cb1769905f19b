//! Octets as the session file of an earlier run: any session starts the browser with a page.

#![no_main]

use geomys_app::keymap::Keymap;
use geomys_app::{App, Settings, StoredState};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::charsets::HostCharsets;
use geomys_store::files::session::SessionState;
use geomys_store::files::trust::Pins;

geomys_fuzz::target!(|octets: &[u8]| {
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
    let mut app = app.with_stored(StoredState {
        pins: Pins::default(),
        charsets: HostCharsets::default(),
        session: Some(state),
        transfers: Vec::new(),
    });
    app.start(&[]);
    assert!(app.page().is_some(), "a page is shown");
});
