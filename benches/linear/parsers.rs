//! All parsers: of URLs and texts, of dialogues, of pages and archives, of the user's files, and the screen itself.

use std::hint::black_box;
use std::io::Cursor;
use std::net::IpAddr;

use geomys::run::terminal_input::InputDecoder;
use geomys_crawl::robots::Rules;
use geomys_load::CookieJar;
use geomys_page::archive::{UnpackError, Unpacked, Unpacker};
use geomys_page::document::find::{
    Direction, FindStart, MatchPosition, PageText, SearchText, SearchWords, count_matches,
    find_match,
};
use geomys_page::document::score::ScoreRules;
use geomys_page::document::{
    ArticleNumbers, Document, ListOrder, ListingPlace, Shape, SortColumn, binary, mailboxes,
};
use geomys_store::bookmarks::checks::Checks;
use geomys_store::bookmarks::exchange::{BookmarkFormat, detect, other_format};
use geomys_store::bookmarks::{Bookmarks, Query};
use geomys_store::files::draft::Draft;
use geomys_store::files::logins::Netrc;
use geomys_store::files::newsrc::Newsrc;
use geomys_store::files::session::SessionState;
use geomys_store::files::trust::Pins;
use geomys_store::files::{command, mailcap};
use geomys_wire::net::{Limits, Security};
use geomys_wire::protocol::ftp::listing::{Day, Descriptions, Format, Guess};
use geomys_wire::protocol::gopher::{
    self, DotStuffing, DotUnstuffer, attributes, caps::Caps, form,
};
use geomys_wire::protocol::nntp::{self, ArticleId, List, OpenMode, Wildmat};
use geomys_wire::protocol::parameters::Parameters;
use geomys_wire::protocol::prospero::{ProsperoReply, ardp};
use geomys_wire::protocol::telnet::Telnet;
use geomys_wire::protocol::{gemini, ph, spartan, wais};
use geomys_wire::text::{self, Charset, CharsetSetting, SgrDecoder, Text, blank_sgr, file_name};
use rfc1738::{Dialect, Guesses, Url, links_in_text, mask, parse_typed, repair};
use tokio::runtime::{Builder, Runtime};

use super::hostile::{End, HostilePage, KEYS, Victim};
use super::shapes::Syntax;

/// Work on octets.
type Parse = dyn Fn(&[u8]);

/// A parser, or another work on octets of a server.
pub(crate) struct Parser {
    pub(crate) name: String,
    /// The octets before those of the shape.
    pub(crate) head: &'static [u8],
    /// The syntaxes of its shapes, besides the general ones.
    pub(crate) syntaxes: &'static [Syntax],
    pub(crate) parse: Box<Parse>,
}

/// The columns and lines of the screen.
const SIZE: (u16, u16) = (80, 24);

/// The octets that a socket gives at once.
const PIECE: usize = 64 * 1024;

/// Every page shape, with the URL of a page, and the octets before the hostile ones.
const PAGES: &[(&str, &str, Shape, &[u8])] = &[
    ("menu", "gopher://h.example/1/", Shape::Menu, b""),
    (
        "attributes",
        "gopher://h.example/1/%09%09!",
        Shape::Attributes,
        b"+INFO: 1a\ta\th\t70\r\n",
    ),
    ("people", "gopher://h.example/2/", Shape::People, b""),
    ("hits", "wais://h.example/d?w", Shape::Hits, b""),
    ("web page", "http://h.example/a/b?c", Shape::Html, b""),
    (
        "table",
        "http://h.example/a/b?c",
        Shape::Html,
        b"<table><tr><td>",
    ),
    ("data", "http://h.example/a.json", Shape::Json, b""),
    (
        "feed",
        "http://h.example/a/feed.xml",
        Shape::Feed,
        b"<rss><channel>",
    ),
    ("gemtext", "gemini://h.example/a/b", Shape::Gemtext, b""),
    ("text", "gopher://h.example/0/a", Shape::Text, b""),
    ("groups", "news://h.example/*", Shape::Groups, b""),
    ("group", "nntp://h.example/a.b", Shape::Group, b""),
    ("subjects", "nntp://h.example/a.b", Shape::Group, b"1\t"),
    ("article", "news:1@h.example", Shape::Article, b""),
    ("subject", "news:1@h.example", Shape::Article, b"Subject: "),
    (
        "author",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nFrom: ",
    ),
    (
        "references",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nReferences: ",
    ),
    (
        "folded header",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nX-A: b\n ",
    ),
    (
        "media type",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Type: ",
    ),
    (
        "attachment name",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Disposition: ",
    ),
    (
        "body",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nReferences: <a@b>\n\n",
    ),
    (
        "flowed text",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Type: text/plain; charset=utf-8; format=flowed\n\n",
    ),
    (
        "quoted-printable",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\n",
    ),
    (
        "base64",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Transfer-Encoding: base64\n\n",
    ),
    (
        "multipart",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n",
    ),
    (
        "HTML in an article",
        "news:1@h.example",
        Shape::Article,
        b"Subject: a\nContent-Type: text/html\n\n",
    ),
    ("listing", "ftp://h.example/a/;type=d", LISTING, b""),
    (
        "members",
        "http://h.example/a.tar",
        MEMBERS,
        b"type=file;size=1; a\r\n",
    ),
];

const TODAY: Day = Day {
    year: 2026,
    month: 11,
    day: 28,
};

const LISTING: Shape = Shape::Listing {
    format: None,
    today: TODAY,
    place: ListingPlace::Server,
};

const MEMBERS: Shape = Shape::Listing {
    format: Some(Format::Facts),
    today: TODAY,
    place: ListingPlace::Archive,
};

/// All parsers.
pub(crate) fn all() -> Vec<Parser> {
    let mut all = Vec::new();
    for (add_parsers, syntaxes) in GROUPS {
        let first = all.len();
        add_parsers(&mut all);
        for parser in all.iter_mut().skip(first) {
            parser.syntaxes = syntaxes;
        }
    }
    pages(&mut all);
    all
}

/// Adds parsers.
type AddParsers = fn(&mut Vec<Parser>);

/// The parsers besides those of pages, with the syntaxes of their shapes.
const GROUPS: [(AddParsers, &[Syntax]); 5] = [
    (addresses, &[Syntax::Url]),
    (texts, &[Syntax::Terminal, Syntax::News]),
    (
        protocols,
        &[Syntax::Terminal, Syntax::Lines, Syntax::Ftp, Syntax::News],
    ),
    (dialogues, &[Syntax::Lines, Syntax::News]),
    (
        files,
        &[Syntax::Files, Syntax::Data, Syntax::Markup, Syntax::Url],
    ),
];

/// The syntaxes in a page of this shape.
fn syntaxes(shape: Shape) -> &'static [Syntax] {
    match shape {
        Shape::Html | Shape::Feed => &[Syntax::Markup, Syntax::Url],
        Shape::Json => &[Syntax::Data],
        Shape::Menu | Shape::Attributes | Shape::People | Shape::Hits | Shape::Gemtext => {
            &[Syntax::Lines, Syntax::Url]
        }
        Shape::Text => &[Syntax::Terminal, Syntax::Url],
        Shape::Groups | Shape::Group => &[Syntax::News],
        Shape::Article => &[Syntax::News, Syntax::Url],
        Shape::Listing { .. } => &[Syntax::Ftp],
        Shape::Visits | Shape::Found | Shape::Picture => &[],
    }
}

fn add(all: &mut Vec<Parser>, name: &str, head: &'static [u8], parse: impl Fn(&[u8]) + 'static) {
    all.push(Parser {
        name: name.to_owned(),
        head,
        syntaxes: &[],
        parse: Box::new(parse),
    });
}

fn utf8(octets: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(octets)
}

fn addresses(all: &mut Vec<Parser>) {
    for (name, head) in [
        ("URL", &b""[..]),
        ("URL of the Web", b"http://h/"),
        ("URL of FTP", b"ftp://"),
        ("URL of Gopher", b"gopher://h/1"),
        ("URL of news", b"news:"),
        ("URL of mail", b"mailto:"),
        ("URL of WAIS", b"wais://h/"),
    ] {
        add(all, name, head, |octets| {
            black_box(Dialect::Rfc1738.parse(octets).is_ok());
            if let Ok(url) = Dialect::Extended.parse(octets) {
                black_box((
                    url.canonical(),
                    url.masked(),
                    url.hazards(),
                    url.up(),
                    url.root(),
                ));
                black_box((url.explanation(), url.without_password(), url.departures()));
            }
        });
    }
    add(all, "links in a text", b"", |octets| {
        black_box(links_in_text(octets).count());
    });
    add(all, "URL to repair", b"http:", |octets| {
        black_box(repair(&utf8(octets)));
    });
    add(all, "typed URL", b"", |octets| {
        let text = utf8(octets);
        let guesses = Guesses {
            is_group: Some(&|name: &str| name.starts_with("comp.")),
            directory: Some("/home/ada"),
            home: Some("/home/ada"),
        };
        black_box((parse_typed(&text, guesses).is_ok(), mask(&text)));
    });
    add(all, "cookie", b"a=b; ", |octets| {
        let here = Url::parse("http://www.h.example/a/b").unwrap();
        let jar = CookieJar::default();
        black_box((jar.set_cookie(&here, octets), jar.facts(&here)));
    });
    add(all, "reference", b"", |octets| {
        let base = Url::parse("http://a/b/c/d;p?q").unwrap();
        black_box(base.resolve(&utf8(octets)).is_ok());
    });
}

fn texts(all: &mut Vec<Parser>) {
    add(all, "shown text", b"", |octets| {
        let text = Text::new(octets, Charset::default());
        let shown = text.as_str();
        black_box((
            text::width(shown),
            text::prefix(shown, 40),
            text::wrap(shown, 40),
        ));
        black_box((
            text::shorten(shown, 40, "…"),
            text::shorten_middle(shown, 40, "…"),
        ));
        black_box(text::hanging(shown, 40, 4));
    });
    add(all, "text with colours", b"", |octets| {
        black_box(SgrDecoder::new(Charset::default()).read(octets));
        black_box(blank_sgr(octets));
    });
    add(all, "name of a file", b"", |octets| {
        black_box(file_name(octets, "file"));
    });
    add(
        all,
        "part of a message",
        b"Content-Type: message/partial; id=a; number=1\n\n",
        |octets| {
            black_box(binary::join(&[octets.to_vec()]).is_ok());
        },
    );
    for name in [
        "utf-8",
        "iso-2022-jp",
        "hz-gb-2312",
        "utf-7",
        "gb18030",
        "utf-16le",
    ] {
        let Some(charset) = Charset::named(name) else {
            continue;
        };
        add(all, &format!("charset {name}"), b"", move |octets| {
            black_box((charset.decode(octets), Charset::with_escapes(octets)));
        });
    }
    add(all, "field with parameters", b"a/b; ", |octets| {
        let parameters = Parameters::parse(octets);
        black_box((parameters.text("filename"), parameters.token("charset")));
    });
    add(all, "mailboxes", b"", |octets| {
        black_box(mailboxes(octets, Charset::default()));
    });
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// A connection whose server sends these octets.
fn connection(octets: &[u8]) -> impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + use<> {
    tokio::io::join(Cursor::new(octets.to_vec()), tokio::io::sink())
}

fn protocols(all: &mut Vec<Parser>) {
    add(
        all,
        "Gopher+ attributes",
        b"+INFO: 1a\ta\th\t70\r\n",
        |octets| {
            for item in attributes::items(octets) {
                for block in item.blocks() {
                    black_box((block.descriptor(), block.lines().count()));
                }
                black_box(item.info());
            }
        },
    );
    add(all, "Gopher+ form", b"", |octets| {
        let form = form::Form::parse(octets.split(|&octet| octet == b'\n'));
        black_box(format!("{form:?}"));
    });
    add(all, "caps.txt", b"CAPS\n", |octets| {
        let caps = Caps::parse(octets);
        black_box(caps.and_then(|caps| caps.parent_menu(b"/a/b").map(|menu| menu.len())));
    });
    add(all, "Gopher reply", b"", |octets| {
        let mut dots = DotUnstuffer::new(DotStuffing::Doubled);
        for piece in octets.chunks(1000) {
            black_box(dots.push(piece));
        }
        black_box((dots.finish(), gopher::refusal(octets)));
    });
    add(all, "Prospero reply", b"", |octets| {
        black_box(ProsperoReply::parse(octets));
        black_box(ardp::packets(7, octets));
    });
    add(all, "WAIS source", b"(:source ", |octets| {
        black_box(wais::source(octets));
    });
    add(all, "telnet", b"", |octets| {
        let mut telnet = Telnet::new(SIZE);
        for piece in octets.chunks(1000) {
            black_box(telnet.receive(piece));
        }
        black_box(telnet.encode_input(octets));
    });
    add(all, "FTP listing", b"", |octets| {
        let mut guess = Guess::default();
        for line in octets.split(|&octet| octet == b'\n') {
            guess.add(line);
            for format in Format::ALL {
                black_box(format.line(line, TODAY));
            }
        }
        black_box(guess.format());
    });
    add(all, "overview", b"", |octets| {
        for line in octets.split(|&octet| octet == b'\n') {
            black_box((
                nntp::overview(line),
                nntp::parse_active(line),
                nntp::description(line),
            ));
        }
        black_box(nntp::overview_line(1, octets));
        let mut text = nntp::MessageText::new(octets);
        text.add(octets);
        let line = nntp::mailbox_line(1, octets, text, true);
        black_box(nntp::mailbox_message(&line));
    });
    add(all, "ids of References", b"%3C", |octets| {
        black_box(nntp::References::new(octets).ids().count());
    });
    add(all, "wildmat", b"", |octets| {
        black_box(Wildmat::parse(octets).matches(b"comp.infosystems.gopher"));
    });
    add(all, "name for a wildmat", b"", |octets| {
        black_box(Wildmat::parse(b"*a*b*c*,!*d*e").matches(octets));
    });
}

/// Adds the dialogues with a server that sends the octets.
fn dialogues(all: &mut Vec<Parser>) {
    add(
        all,
        "news dialogue",
        b"200 a\r\n101 a\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n211 1 1 1 a.b\r\n224 a\r\n",
        |octets| {
            runtime().block_on(async {
                let limits = Limits::default();
                let stream = connection(octets);
                let mode = OpenMode::WithCapabilities;
                let Ok(mut dialogue) =
                    nntp::Dialogue::open(stream, "h", &limits, None, mode, Security::Plain).await
                else {
                    return;
                };
                black_box(dialogue.group(b"a.b").await.is_ok());
                if let Ok(true) = dialogue.over(1, 9).await {
                    while let Ok(Some(block)) = dialogue.block().await {
                        black_box(block);
                    }
                }
            });
        },
    );
    add(all, "news greeting", b"", |octets| {
        runtime().block_on(async {
            let limits = Limits::default();
            let mode = OpenMode::WithCapabilities;
            let opened = nntp::Dialogue::open(
                connection(octets),
                "h",
                &limits,
                None,
                mode,
                Security::Plain,
            );
            black_box(opened.await.is_ok());
        });
    });
    add(all, "Gemini response", b"20 text/gemini\r\n", |octets| {
        runtime().block_on(async {
            let limits = Limits::default();
            let request =
                gemini::request(connection(octets), b"gemini://h/", b"", "h:1965", &limits);
            if let Ok(mut response) = request.await {
                while let Ok(body) = response.body.next().await
                    && !body.is_empty()
                {
                    black_box(body);
                }
            }
        });
    });
    add(all, "phone book", b"", |octets| {
        runtime().block_on(async {
            let mut dialogue = ph::PhDialogue::new(connection(octets), "h", &Limits::default());
            black_box(dialogue.fields().await.is_ok());
            black_box(dialogue.query(b"query a").await.is_ok());
        });
    });
    add(all, "robots.txt", b"User-agent: *\n", |octets| {
        black_box(Rules::parse(&utf8(octets), &["geomys"], true));
    });
}

fn document(url: &str, shape: Shape, octets: &[u8]) -> Document {
    let url = Dialect::Extended.parse(url).unwrap();
    let mut document = Document::new(url, shape, CharsetSetting::Detected);
    for piece in octets.chunks(PIECE) {
        document.append(piece);
    }
    document.finished()
}

/// Makes every row of a document.
fn read_rows(document: &Document) {
    for row in 0..document.count() {
        black_box((
            document.row(row),
            document.links(row),
            document.is_link(row),
        ));
    }
}

fn pages(all: &mut Vec<Parser>) {
    for &(name, url, shape, head) in PAGES {
        let first = all.len();
        add(all, &format!("{name}, rows"), head, move |octets| {
            let document = document(url, shape, octets);
            read_rows(&document);
            black_box((document.title(), document.outline(), document.parent()));
        });
        add(all, &format!("{name}, find"), head, move |octets| {
            let document = document(url, shape, octets);
            let needle = SearchText::new("qzx").unwrap();
            let found = find_match(&document, &needle, FindStart::Row(0), Direction::Down);
            let needle = SearchText::new("a").unwrap();
            let current = MatchPosition { row: 0, nth: 0 };
            black_box((found, count_matches(&document, &needle, current)));
            black_box(PageText::new(&document, &SearchWords::default()));
        });
        add(all, &format!("{name}, keys"), head, move |octets| {
            keys(url, shape, octets);
        });
        for parser in all.iter_mut().skip(first) {
            parser.syntaxes = syntaxes(shape);
        }
    }
    for shape in [Shape::Group, LISTING] {
        let name = if shape == LISTING {
            "listing, sorted"
        } else {
            "group, sorted"
        };
        add(all, name, b"", move |octets| {
            let document = document("nntp://h.example/a.b", shape, octets);
            for column in [SortColumn::Thread, SortColumn::Subject, SortColumn::Date] {
                black_box(document.clone().sorted(ListOrder::new(column)));
            }
        });
    }
    add(all, "descriptions of files", b"", |octets| {
        black_box(Descriptions::parse(octets));
    });
    for (name, file, head) in [
        ("archive", "a", &b""[..]),
        ("tar", "a.tar", b""),
        (
            "tree of a site",
            "ls-lR",
            b"total 1\n-rw-r--r-- 1 a b 5 Mar 14 1994 x\n",
        ),
    ] {
        add(all, name, head, move |octets| {
            let mut receive = |part| {
                black_box(match part {
                    Unpacked::Octets(octets) => octets.len(),
                    _ => 0,
                });
                Ok::<(), UnpackError>(())
            };
            let mut octets = octets;
            black_box(
                Unpacker::new(false, &mut receive, || false)
                    .run(&mut octets, file.as_bytes(), &[])
                    .is_ok(),
            );
        });
    }
}

/// Shows a page, and presses keys on it.
fn keys(url: &str, shape: Shape, octets: &[u8]) {
    let page = HostilePage {
        name: String::new(),
        url: url.to_owned(),
        shape,
        octets: octets.to_vec(),
        remark: None,
        end: End::Whole,
    };
    let mut victim = Victim::new(page, SIZE);
    victim.draw();
    for key in KEYS {
        victim.press(key);
        victim.settle();
    }
    victim.resize(SIZE.0 / 2, SIZE.1);
}

fn files(all: &mut Vec<Parser>) {
    add(all, "bookmarks", b"", |octets| {
        let bookmarks = Bookmarks::parse(octets);
        for index in 0..bookmarks.len() {
            black_box(bookmarks.item(index).is_some());
        }
        black_box(bookmarks.reread(octets.get(1..).unwrap_or_default()).len());
    });
    for format in BookmarkFormat::all() {
        add(all, &format!("bookmarks as {format}"), b"", move |octets| {
            if let Ok(tree) = format.read(octets) {
                black_box(format.write(&tree));
            }
        });
    }
    add(all, "format of bookmarks", b"", |octets| {
        black_box((detect(octets), other_format(octets, None)));
    });
    add(all, "query", b"", |octets| {
        black_box(Query::new(&utf8(octets)).is_ok());
    });
    add(all, "newsrc", b"", |octets| {
        let newsrc = Newsrc::parse(octets);
        black_box((newsrc.octets(), newsrc.groups().count()));
        black_box(ArticleNumbers::parse(octets));
    });
    add(all, "score rules", b"[*]\n", |octets| {
        black_box(ScoreRules::parse(&utf8(octets)));
    });
    add(all, "results of checks", b"", |octets| {
        black_box(Checks::parse(octets).to_octets());
    });
    add(all, "session", b"", |octets| {
        black_box(SessionState::parse(octets).is_ok());
    });
    add(all, "draft", b"", |octets| {
        black_box(Draft::parse(&utf8(octets)).is_ok());
    });
    add(all, "pins", b"", |octets| {
        black_box(Pins::parse(octets));
    });
    add(all, "netrc", b"", |octets| {
        black_box(Netrc::parse(octets));
    });
    add(all, "mailcap", b"", |octets| {
        black_box(mailcap::parse(&utf8(octets)));
    });
    add(all, "input of a terminal", b"", |octets| {
        let mut decoder = InputDecoder::default();
        black_box(decoder.read(octets));
        black_box(decoder.expire());
    });
    add(all, "manual", b"", |octets| {
        black_box(geomys_app::manual::parse(&utf8(octets)));
    });
}
