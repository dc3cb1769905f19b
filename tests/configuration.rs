//! Configuration files: the shipped ones are valid, and a mistake is reported and affects only its own value.

use std::fs;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{Environment, UserPaths, read};
use geomys_app::action::Action;
use geomys_app::keymap::{Key, KeyContext, KeyMatch, parse_keys};
use geomys_load::{FtpSettings, NewsHost, TlsUpgrade};
use geomys_store::transfer::download::TakenName;
use geomys_wire::net::Route;

use crate::keys::PALETTE_ONLY;
use crate::support::command::geomys_in;

#[test]
fn shipped_configuration_is_valid_and_binds_every_action() {
    let directory = tempfile::tempdir().unwrap();
    let config = read(
        &UserPaths::new(Some(directory.path().to_owned())).unwrap(),
        &Environment::default(),
    );
    assert_eq!(config.errors, []);
    for action in Action::ALL {
        let has_key = config.keymap.key_of(*action).is_some();
        assert_eq!(has_key, !PALETTE_ONLY.contains(action), "{action:?}");
        assert_eq!(Action::named(action.name()), Some(*action));
    }
}

#[test]
fn user_files_override_shipped_configuration() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("keys.toml"),
        "[global]\n\"q\" = \"\"\n\"Ctrl-Q\" = \"quit\"\n\"g q\" = \"quit\"\n",
    )
    .unwrap();
    fs::write(
        directory.path().join("settings.toml"),
        "news-server = \"news.example.org:8119\"\n",
    )
    .unwrap();
    let config = read(
        &UserPaths::new(Some(directory.path().to_owned())).unwrap(),
        &Environment::default(),
    );
    assert_eq!(config.errors, []);
    assert_eq!(config.keymap.keys_of(Action::Quit), ["Ctrl-Q", "g q"]);
    let keys = |written| parse_keys(written).unwrap();
    let meaning = |written| config.keymap.find(&[KeyContext::Global], &keys(written));
    assert_eq!(meaning("q"), KeyMatch::Unbound);
    assert_eq!(meaning("g"), KeyMatch::Prefix);
    assert_eq!(meaning("g q"), KeyMatch::Action(Action::Quit));
    assert_eq!(
        config.settings.news_server,
        Some(NewsHost::plain("news.example.org", 8119))
    );
}

#[test]
fn follow_setting_defaults_to_true() {
    let directory = tempfile::tempdir().unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    assert!(read(&places, &Environment::default()).settings.follow);
    let settings = directory.path().join("settings.toml");
    fs::write(&settings, "[bookmarks]\nfollow = false\n").unwrap();
    assert!(!read(&places, &Environment::default()).settings.follow);
    fs::write(&settings, "[bookmarks]\nfollow = 1\nfolow = true\n").unwrap();
    let config = read(&places, &Environment::default());
    let mistakes: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    assert!(
        mistakes[0].ends_with("settings.toml:2:10: expected true or false"),
        "{mistakes:?}"
    );
    assert!(
        mistakes[1].contains(":3:1: unknown setting “folow” (did you mean follow?)"),
        "{mistakes:?}"
    );
    assert!(config.settings.follow);
}

#[test]
fn archive_that_is_no_url_is_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    for (written, expected) in [
        ("https://web.archive.org/web/", true),
        ("https://web.archive.org/web/{date}/{url}", true),
        ("", false),
        ("the archive", false),
    ] {
        let text = format!("archive-url = \"{written}\"\n");
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let config = read(
            &UserPaths::new(Some(directory.path().to_owned())).unwrap(),
            &Environment::default(),
        );
        assert_eq!(config.settings.archives.web.is_some(), expected);
        assert_eq!(config.errors.len(), usize::from(written == "the archive"));
    }
}

#[test]
fn mistake_names_file_line_column_and_valid_values() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write(
        "settings.toml",
        "news-server = 7\ncharset = \"klingon\"\ncolour = true\ndownloads = \"/tmp/here\"\n\
         [network]\nproxi = \"\"\nproxy = \"socks5://ada:s3cret@proxy.example:99999\"\n",
    );
    write(
        "keys.toml",
        "[global]\n\"Hyper-Q\" = \"quit\"\n\"Q\" = \"tab-close\"\n[nowhere]\n[prompt]\n\"x\" = \"quit\"\n",
    );
    write(
        "theme.toml",
        "[styles]\nmenu = \"bleu\"\n[glyphs]\nmenu = \"too wide\"\n",
    );
    let config = read(
        &UserPaths::new(Some(directory.path().to_owned())).unwrap(),
        &Environment::default(),
    );
    let said: Vec<String> = config
        .errors
        .iter()
        .map(|mistake| {
            mistake
                .to_string()
                .replace(&format!("{}/", directory.path().display()), "")
        })
        .collect();
    insta::assert_snapshot!("mistakes", said.join("\n"));
    assert!(
        matches!(config.route, Route::InvalidProxy(_)),
        "{:?}",
        config.route
    );
    // The valid values of the same file apply.
    assert_eq!(config.settings.downloads.to_str(), Some("/tmp/here"));
}

#[test]
fn file_that_is_not_toml_is_ignored_whole() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("settings.toml"), "news-server = \n").unwrap();
    fs::write(
        directory.path().join("theme.toml"),
        b"[styles]\nmenu = \"\xff\"\n",
    )
    .unwrap();
    let config = read(
        &UserPaths::new(Some(directory.path().to_owned())).unwrap(),
        &Environment::default(),
    );
    let said: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    assert!(
        said[0].contains("settings.toml:1:") && said[0].contains("not TOML"),
        "{said:?}"
    );
    assert!(
        said[1].contains("theme.toml:2:9") && said[1].contains("not UTF-8"),
        "{said:?}"
    );
}

#[test]
fn keys_equal_on_terminals_parse_as_one_key() {
    let ctrl = |letter| Key::of(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    assert_eq!(Some(ctrl('5')), Key::parse("Ctrl-]"));
    assert_eq!(Some(ctrl('h')), Key::parse("Backspace"));
    assert_eq!(Some(ctrl('i')), Key::parse("Tab"));
    let shifted = Key::of(KeyEvent::new(KeyCode::Char('g'), KeyModifiers::SHIFT));
    assert_eq!(Some(shifted), Key::parse("G"));
    for written in [
        "g g",
        "Ctrl-T",
        "Alt-Right",
        "Space",
        ",",
        "PgDn",
        "é",
        "Ctrl-]",
        "Shift-Tab",
        "F12",
    ] {
        let keys = parse_keys(written).unwrap();
        assert_eq!(geomys_app::keymap::write_keys(&keys), written);
    }
    assert_eq!(parse_keys(""), None);
    assert_eq!(parse_keys("Hyper-X"), None);
}

#[test]
fn news_server_comes_from_setting_or_environment_only() {
    let environment = Environment {
        nntpserver: Some("news.example.net".to_owned()),
        ..Environment::default()
    };
    let mut settings = geomys_app::Settings::default();
    let found = geomys::config::news_server(&settings, &environment);
    assert_eq!(found, Some(NewsHost::plain("news.example.net", 119)));
    settings.news_server = Some(("mine".to_owned(), 1119).into());
    assert_eq!(
        geomys::config::news_server(&settings, &environment),
        settings.news_server
    );
}

#[test]
fn news_server_setting_accepts_implicit_tls() {
    let directory = tempfile::tempdir().unwrap();
    let sealed = NewsHost {
        is_tls: true,
        ..NewsHost::plain("news.example.org", 563)
    };
    for written in ["nntps://news.example.org", "news.example.org:563"] {
        let settings = format!("news-server = \"{written}\"\n");
        fs::write(directory.path().join("settings.toml"), settings).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        assert_eq!(config.errors, []);
        assert_eq!(config.settings.news_server.as_ref(), Some(&sealed));
        let environment = Environment {
            nntpserver: Some(written.to_owned()),
            ..Environment::default()
        };
        let settings = geomys_app::Settings::default();
        let found = geomys::config::news_server(&settings, &environment);
        assert_eq!(found.as_ref(), Some(&sealed));
    }
}

#[test]
fn proxy_comes_from_setting_or_environment() {
    let directory = tempfile::tempdir().unwrap();
    let route = |settings: &str, environment: Option<&str>| {
        fs::write(directory.path().join("settings.toml"), settings).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let environment = Environment {
            route: environment.map(Route::from_setting),
            ..Environment::default()
        };
        read(&places, &environment).route
    };
    let set = "[network]\nproxy = \"127.0.0.1:9050\"\n";
    assert_eq!(route("", None), Route::Direct);
    assert_eq!(route(set, None), Route::from_setting("127.0.0.1:9050"));
    assert_eq!(
        route(set, Some("h:1")),
        Route::from_setting("127.0.0.1:9050")
    );
    assert_eq!(route("", Some("socks5h://h:1")), Route::from_setting("h:1"));
    let none = "[network]\nproxy = \"\"\n";
    assert_eq!(route(none, Some("h:1")), Route::from_setting("h:1"));
    assert!(matches!(
        route("", Some("http://h:3128")),
        Route::InvalidProxy(_)
    ));
    // An unreadable file may name a proxy, so nothing is sent; a readable one without a proxy sets none.
    assert!(matches!(
        route("# my proxy\ncharset = ", None),
        Route::InvalidProxy(_)
    ));
    assert_eq!(route("charset = ", None), Route::Direct);
}

#[test]
fn retries_are_settings() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[transfers]\nretry-hours = 2\n";
    fs::write(directory.path().join("settings.toml"), text).unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = read(&places, &Environment::default());
    assert!(config.errors.is_empty());
    let retries = config.settings.transfers.retries;
    assert_eq!(retries.max_elapsed, Duration::from_hours(2));
}

#[test]
fn former_settings_are_read_and_named_without_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[transfers]\nretry-hours = 2\ntries = 0\nretry-delay = 20\n";
    fs::write(directory.path().join("settings.toml"), text).unwrap();
    let paths = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = read(&paths, &Environment::default());
    // No tries are no retries still.
    let retries = config.settings.transfers.retries;
    assert_eq!(retries.max_elapsed, Duration::ZERO);
    let summary = config.settings.config.summary("F").unwrap();
    assert!(summary.starts_with("2 former settings in the configuration (F): "));
    let check = geomys_in(
        &[],
        &[
            "--config",
            directory.path().to_str().unwrap(),
            "config",
            "check",
        ],
        "",
    );
    assert_eq!(check.status.code(), Some(0));
    let said = String::from_utf8(check.stdout).unwrap();
    assert_eq!(
        said.matches(" is gone: retry-hours bounds the retries")
            .count(),
        2,
        "{said}"
    );
}

#[test]
fn time_limits_are_settings() {
    let directory = tempfile::tempdir().unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let of = |text: &str| {
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        read(&places, &Environment::default())
    };
    let config = of("[timeouts]\nconnect = 5\nidle = 90\n");
    assert!(config.errors.is_empty());
    let timeouts = config.settings.timeouts;
    assert_eq!(timeouts.connect, Duration::from_secs(5));
    assert_eq!(timeouts.idle, Duration::from_secs(90));
}

#[test]
fn transfer_limits_out_of_range_are_mistakes() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[transfers]\nat-once = 3\nat-once-per-host = 0\nretry-hours = \"six\"\nspeed = 9\n";
    fs::write(directory.path().join("settings.toml"), text).unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = read(&places, &Environment::default());
    let rules = config.settings.transfers;
    assert_eq!(
        (
            rules.at_once,
            rules.at_once_per_host,
            rules.retries.max_elapsed
        ),
        (3, 2, Duration::from_hours(24))
    );
    let said: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[0].ends_with(":3:20: expected a number from 1 to 64"),
        "{said:?}"
    );
    assert!(
        said[1].ends_with(":4:15: expected a number from 0 to 8760"),
        "{said:?}"
    );
    assert!(said[2].contains("unknown setting “speed”"), "{said:?}");
}

#[test]
fn treatment_of_taken_names_is_a_setting() {
    let directory = tempfile::tempdir().unwrap();
    let policy = |value: &str| {
        let text = format!("[transfers]\nexisting = \"{value}\"\n");
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        let said = config.errors.iter().map(ToString::to_string);
        (config.settings.taken_name, said.collect::<String>())
    };
    assert_eq!(policy("skip"), (TakenName::Skip, String::new()));
    assert_eq!(policy("overwrite"), (TakenName::Overwrite, String::new()));
    let (default, said) = policy("ask");
    assert_eq!(default, TakenName::Rename);
    assert!(
        said.contains("unknown choice “ask”; expected rename, skip"),
        "{said}"
    );
}

#[test]
fn ftp_settings_parse_and_mistyped_tls_means_require() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |text: &str| {
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        let said = config.errors.iter().map(|mistake| mistake.sentence.clone());
        ((*config.settings.ftp).clone(), said.collect::<Vec<_>>())
    };
    assert_eq!(settings(""), (FtpSettings::default(), Vec::new()));
    let (ways, said) = settings(
        "[ftp]\nanonymous-password = \"me@\"\ntls = \"offer\"\nactive = true\n\
         [ftp.tls-by-host]\n\"Safe.Example\" = \"require\"\n",
    );
    let expected = FtpSettings {
        anonymous_password: b"me@".to_vec(),
        tls: TlsUpgrade::Offer,
        tls_by_host: vec![("safe.example".to_owned(), TlsUpgrade::Require)],
        active: true,
    };
    assert_eq!((ways, said), (expected, Vec::new()));
    // A mistyped TLS setting does not weaken TLS.
    for (text, sentence) in [
        (
            "[ftp]\ntls = \"always\"\n",
            "“always” is none of never, login, offer, require; until then it is require",
        ),
        (
            "[ftp]\ntls = true\n",
            "expected never, login, offer or require, in quotes",
        ),
        (
            "[ftp]\ntls-by-host = \"a.example\"\n",
            "this is a table of hosts, each with never, login, offer or require",
        ),
    ] {
        let (ways, said) = settings(text);
        assert_eq!(
            (ways.tls, said),
            (TlsUpgrade::Require, vec![sentence.to_owned()])
        );
    }
}

#[test]
fn terminal_type_is_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |text: &str| {
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        let said = config.errors.iter().map(|mistake| mistake.sentence.clone());
        (
            config.settings.telnet.terminal.clone(),
            said.collect::<Vec<_>>(),
        )
    };
    let valid = |name: &str| (name.to_owned(), Vec::new());
    assert_eq!(settings(""), valid("xterm-256color"));
    assert_eq!(settings("[telnet]\nterminal = \"vt220\"\n"), valid("vt220"));
    for name in ["", "two words", "é", &"x".repeat(41)] {
        let (terminal, said) = settings(&format!("[telnet]\nterminal = \"{name}\"\n"));
        assert_eq!(terminal, "xterm-256color");
        assert!(said[0].contains("invalid terminal type"), "{said:?}");
    }
}

#[test]
fn refresh_of_news_counts_is_a_number_of_minutes() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |text: &str| {
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        let said = config.errors.iter();
        let said = said.map(|mistake| mistake.sentence.clone());
        (
            config.settings.news_refresh.as_secs(),
            said.collect::<Vec<_>>(),
        )
    };
    for (text, seconds) in [
        ("", 300),
        ("[news]\nrefresh = 0\n", 0),
        ("[news]\nrefresh = 60\n", 3600),
    ] {
        assert_eq!(settings(text), (seconds, Vec::new()), "{text}");
    }
    for bad in ["-1", "1441", "\"often\""] {
        let (seconds, said) = settings(&format!("[news]\nrefresh = {bad}\n"));
        assert_eq!(seconds, 300);
        assert_eq!(said, ["expected a number from 0 to 1440"]);
    }
}

#[test]
fn news_compression_is_set_for_all_servers_or_single_ones() {
    use geomys_wire::protocol::nntp::Compression;
    let directory = tempfile::tempdir().unwrap();
    let settings = |text: &str| {
        fs::write(directory.path().join("settings.toml"), text).unwrap();
        let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&places, &Environment::default());
        let said = config.errors.iter();
        let said = said.map(|mistake| mistake.sentence.clone());
        (config.settings.news.clone(), said.collect::<Vec<_>>())
    };
    let (ways, said) = settings("");
    assert_eq!(
        (ways.compression("a.example"), said),
        (Compression::Never, Vec::new())
    );
    let (ways, said) =
        settings("[news]\ncompress = true\n[news.compress-by-host]\n\"Slow.Example\" = false\n");
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(ways.compression("a.example"), Compression::Offered);
    assert_eq!(ways.compression("slow.example."), Compression::Never);
    for (text, sentence) in [
        ("[news]\ncompress = \"yes\"\n", "expected true or false"),
        (
            "[news]\ncompress-by-host = true\n",
            "this is a table of hosts, each with true or false",
        ),
    ] {
        let (ways, said) = settings(text);
        assert_eq!(ways.compression("a.example"), Compression::Never);
        assert_eq!(said, [sentence]);
    }
}

#[test]
fn netrc_readable_by_others_is_a_mistake() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("netrc");
    fs::write(&path, "machine ftp.example login ada password byron\n").unwrap();
    let read_by = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let environment = Environment {
            netrc: Some(path.clone()),
            ..Environment::default()
        };
        let places = UserPaths::new(Some(directory.path().join("config"))).unwrap();
        read(&places, &environment)
    };
    let open = read_by(0o640);
    let said = open.errors[0].to_string();
    assert!(
        said.ends_with("netrc: not used: others may read its passwords; run chmod 600 on it"),
        "{said}"
    );
    assert_eq!(open.settings.netrc.login("ftp.example", None), None);
    let own = read_by(0o600);
    assert_eq!(own.errors, []);
    let login = own.settings.netrc.login("ftp.example", None).unwrap();
    assert_eq!(
        (login.user.as_str(), login.password.as_deref()),
        ("ada", Some("byron"))
    );
}

/// Returns true if a page of a host is stored under these settings.
fn is_stored(settings: &[u8], host: &str) -> bool {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("settings.toml"), settings).unwrap();
    let paths = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let history = read(&paths, &Environment::default()).settings.history;
    let url = rfc1738::Url::parse(&format!("gopher://{host}/")).unwrap();
    history.includes(&url)
}

#[test]
fn list_of_exceptions_that_cannot_be_read_excludes_every_host() {
    for (settings, expected) in [
        (
            b"[history]\nexcept = [\"secret.example\"]\n".as_slice(),
            true,
        ),
        (b"mouse = 3\n[history]\nsize = 9\n", true),
        (b"[history]\nexcept = \"secret.example\"\n", false),
        (b"[history]\nexcept = [\"secret.example\", 3]\n", false),
        (b"[history]\nexcpt = [\"secret.example\"]\n", false),
        (b"[history]\ndays = \"7\"\n", false),
        (b"history = \"none\"\n", false),
        (b"[history]\nexcept = [\"secret.example\"\n", false),
        (
            b"# caf\xe9\n[history]\nexcept = [\"secret.example\"]\n",
            false,
        ),
        (b"# caf\xe9\nmouse = true\n", true),
        (b"mouse = \n", true),
    ] {
        let shown = settings.escape_ascii();
        assert!(
            !is_stored(settings, "secret.example") || !shown.to_string().contains("secret"),
            "{shown}"
        );
        assert_eq!(is_stored(settings, "other.example"), expected, "{shown}");
    }
}

proptest::proptest! {
    #[test]
    fn no_damage_of_the_settings_stores_a_page_of_an_exception(
        at in 0..60_usize, octet: u8, deleted in 0..3_usize
    ) {
        let name = "secret.example";
        let mut settings = format!("mouse = true\n[history]\nsize = 100\nexcept = [\"{name}\"]\n").into_bytes();
        let begin = at % settings.len();
        let end = (begin + deleted).min(settings.len());
        settings.splice(begin..end, [octet]);
        // A host of another name, a comment, or a table of another name is what the user has written.
        let text = String::from_utf8_lossy(&settings).into_owned();
        let is_meant = text.contains(&format!("[\"{name}\"]")) && text.contains("\n[history]\n")
            && text.lines().any(|line| line.starts_with("except"));
        if is_meant {
            proptest::prop_assert!(!is_stored(&settings, name), "{}", text);
        }
    }
}

#[test]
fn name_of_an_action_that_is_gone_is_a_note_and_runs_what_replaces_it() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("keys.toml");
    fs::write(&file, "[article]\n\"g y\" = \"copy-news-url\"\n").unwrap();
    let path = home.path().to_str().unwrap();
    let checked = geomys_in(&[], &["--config", path, "config", "check"], "");
    let said = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("copy-news-url is now copy-url"), "{said}");
    assert!(checked.status.success(), "{said}");
}

#[test]
fn former_name_of_a_setting_is_a_note_and_read_unless_the_new_one_is_there() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("settings.toml");
    let former = "[bookmarks]\nwatch = false\n[cache]\nsaved = 7\n[sync]\nkeep = 8\n";
    fs::write(&file, former).unwrap();
    let path = home.path().to_str().unwrap();
    let checked = geomys_in(&[], &["--config", path, "config", "check"], "");
    let said = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
    for note in [
        "2:9: watch is now follow",
        "4:9: saved is now kept",
        "6:8: keep is now unread",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    assert!(checked.status.success(), "{said}");
    let places = UserPaths::new(Some(home.path().to_owned())).unwrap();
    let settings = read(&places, &Environment::default()).settings;
    let values = (
        settings.follow,
        settings.cache.saved >> 20,
        settings.cache.synced >> 20,
    );
    assert_eq!(values, (false, 7, 8));
    for text in [
        "[cache]\nkept = 9\nsaved = 7\n",
        "[cache]\nsaved = 7\nkept = 9\n",
    ] {
        fs::write(&file, text).unwrap();
        let settings = read(&places, &Environment::default()).settings;
        assert_eq!(settings.cache.saved >> 20, 9, "{text}");
    }
    // The mistake is in the value.
    fs::write(&file, "[sync]\nkeep = \"much\"\n").unwrap();
    let checked = geomys_in(&[], &["--config", path, "config", "check"], "");
    assert!(!checked.status.success());
}
