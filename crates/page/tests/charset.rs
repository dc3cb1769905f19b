//! The charset of a page: detected, set, or chosen. The colours of a page.

use geomys_page::document::{Document, ListingPlace, Shape};
use geomys_wire::protocol::ftp::listing::Day;
use geomys_wire::text::{Charset, CharsetSetting};
use rfc1738::Url;

/// The complete page, appended in chunks of `piece` octets.
fn page(address: &str, shape: Shape, octets: &[u8], piece: usize) -> Document {
    let mut document = Document::new(
        Url::parse(address).unwrap(),
        shape,
        CharsetSetting::Detected,
    );
    for piece in octets.chunks(piece) {
        document.append(piece);
    }
    if document.needs_finish() {
        document.finished()
    } else {
        document
    }
}

fn text(octets: &[u8]) -> Document {
    page("gopher://h.example/0a", Shape::Text, octets, 7)
}

fn row(document: &Document, number: usize) -> String {
    document.row(number).unwrap().text()
}

fn written(charset: &str, text: &str) -> Vec<u8> {
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
    let (octets, _, lost) = encoding.encode(text);
    assert!(!lost, "{charset} cannot write {text}");
    octets.into_owned()
}

#[test]
fn charset_is_detected_from_octets_of_each_language() {
    let pages = [
        (
            "koi8-r",
            "KOI8-U",
            "Привет, мир!\nЭто страница о погоде и о том, что под лугом.\nСегодня дождь, а завтра будет солнце.\n",
        ),
        (
            "windows-1251",
            "windows-1251",
            "Привет, мир!\nЭто страница о погоде и о том, что под лугом.\nСегодня дождь, а завтра будет солнце.\n",
        ),
        (
            "ibm866",
            "IBM866",
            "Привет, мир!\nЭто страница о погоде и о том, что под лугом.\nСегодня дождь, а завтра будет солнце.\n",
        ),
        (
            "shift_jis",
            "Shift_JIS",
            "ようこそ。\nこれは地下の町の天気予報です。\n今日は雨、明日は晴れでしょう。\n",
        ),
        (
            "euc-jp",
            "EUC-JP",
            "ようこそ。\nこれは地下の町の天気予報です。\n今日は雨、明日は晴れでしょう。\n",
        ),
        (
            "big5",
            "Big5",
            "歡迎光臨。\n這是地下城市的天氣預報。\n今天下雨，明天放晴。\n",
        ),
        (
            "windows-1252",
            "windows-1252",
            "Grüße aus der Stadt unter der Wiese.\nEs regnet, und morgen wird es schön: 20 °C, für alle.\n",
        ),
        (
            "iso-8859-2",
            "ISO-8859-2",
            "Zażółć gęślą jaźń.\nDziś pada deszcz, a jutro będzie świeciło słońce nad łąką.\n",
        ),
    ];
    for (charset, found, words) in pages {
        let document = text(&written(charset, words));
        assert_eq!(document.non_utf8_charset().map(Charset::name), Some(found));
        for (number, line) in words.lines().enumerate() {
            assert_eq!(row(&document, number), line);
        }
    }
}

#[test]
fn country_of_host_decides_charset_of_short_text() {
    let octets = written("koi8-r", "Погода\n");
    let at = |address| page(address, Shape::Text, &octets, 100);
    assert_eq!(row(&at("gopher://pogoda.ru/0a"), 0), "Погода");
    // An IP address names no country.
    assert!(at("gopher://127.0.0.1/0a").non_utf8_charset().is_some());
}

/// A board's welcome, as it was drawn on a PC.
const BOARD: &[u8] = b"\xda\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xbf\n\
    \xb3 \xb0\xb1\xb2\xdb Welcome, f\x81r alle \xb3\n\
    \xc0\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xd9\n\
    \xdb\xdb\xdb\xdb\xdb\xdf\xdf\xdf\xdf\xdf \xcd\xcd\xcd\xcd\n";

#[test]
fn box_drawings_are_detected_as_code_page_437() {
    let document = text(BOARD);
    assert_eq!(document.charset(), Charset::CP437);
    assert_eq!(row(&document, 0), "┌──────────┐");
    assert_eq!(row(&document, 1), "│ ░▒▓█ Welcome, für alle │");
    assert_eq!(row(&document, 3), "█████▀▀▀▀▀ ════");

    // A page with only a ruled line between words.
    let rule = [&b"News\n"[..], &b"\xc4".repeat(40), b"\nNone.\n"].concat();
    assert_eq!(text(&rule).charset(), Charset::CP437);
}

#[test]
fn text_in_other_charsets_is_not_detected_as_box_drawing() {
    // Russian of DOS draws with the same octets.
    let words = "┌────────────────────┐\n│ Погода под лугом и над ним │\n└────────────────────┘\nСегодня дождь, а завтра будет солнце.\n";
    // The encoder of the library writes the octets of the frame too.
    let document = text(&written("ibm866", words));
    assert_eq!(document.charset().name(), "IBM866");
    assert_eq!(row(&document, 1), "│ Погода под лугом и над ним │");

    // Lower-case letters of KOI8-R have the codes of line drawings; a short run of them is text.
    let words = "Тссс... шшшш, мммм! Что это было за чудо, спросил кто-то под лугом.\nДождь, дождь и дождь, а завтра будет солнце.\n";
    assert_eq!(text(&written("koi8-r", words)).charset().name(), "KOI8-U");

    // Umlauts are no box drawings, and degree signs make ruled lines in Latin-1.
    let words = "ÄÖÜ, ÄÄ und ßß, groß und klein: Grüße, schöne Äpfel\n";
    let found = text(&written("windows-1252", words)).charset();
    assert_eq!(found.name(), "windows-1252");
    assert_ne!(text(&b"\xb0".repeat(40)).charset(), Charset::CP437);
}

#[test]
fn utf8_row_is_decoded_as_utf8_on_any_page() {
    let octets = [
        "Grüße in UTF-8 → hier\n".as_bytes(),
        &written("windows-1252", "Grüße in Latin-1, für alle hier\n"),
        "Ende — wirklich\n".as_bytes(),
    ];
    let document = text(&octets.concat());
    assert_eq!(row(&document, 0), "Grüße in UTF-8 → hier");
    assert_eq!(row(&document, 1), "Grüße in Latin-1, für alle hier");
    assert_eq!(row(&document, 2), "Ende — wirklich");
    let document = text("nothing — but UTF-8".as_bytes());
    assert_eq!(document.non_utf8_charset(), None);
    assert!(!document.needs_finish());
}

#[test]
fn detected_charset_does_not_depend_on_chunks() {
    let russian = written("koi8-r", "Сегодня дождь, а завтра будет солнце");
    let octets = [b"plain words\n".as_slice(), &russian, b"\nplain again\n"].concat();
    for piece in 1..=octets.len() {
        let document = page("gopher://h.example/0a", Shape::Text, &octets, piece);
        assert_eq!(document.charset().name(), "KOI8-U", "in pieces of {piece}");
    }
    // The last line has no line ending.
    assert_eq!(text(&russian).charset().name(), "KOI8-U");
}

#[test]
fn rows_are_decoded_again_once_when_charset_is_detected() {
    let line = written("koi8-r", "Сегодня дождь, а завтра будет солнце\n");
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let mut document = Document::new(url, Shape::Text, CharsetSetting::Detected);
    document.append(&line);
    document.append(&line);
    assert_eq!(document.charset().name(), "windows-1252");
    assert!(document.needs_finish());
    let settled = document.clone().finished();
    assert_eq!(settled.charset().name(), "KOI8-U");
    assert!(!settled.needs_finish());
    // The charset is decided before the end when enough octets have arrived.
    document.take(line.repeat(64 * 1024 / line.len()));
    assert_eq!(document.charset().name(), "KOI8-U");
    assert!(!document.needs_finish());
}

#[test]
fn set_charset_overrides_detection_until_auto() {
    let octets = written("koi8-r", "Сегодня дождь, а завтра будет солнце\n");
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let latin = Charset::named("latin1").unwrap();
    let mut document = Document::new(url, Shape::Text, CharsetSetting::Set(latin));
    document.append(&octets);
    assert!(!document.needs_finish());
    let mut document = document.finished();
    assert_eq!(document.charset(), latin);
    document.set_charset_setting(CharsetSetting::Detected);
    assert!(document.needs_finish());
    assert_eq!(document.finished().charset().name(), "KOI8-U");
}

#[test]
fn article_without_declared_charset_is_detected_from_body() {
    let article = |declared: &str| {
        let head = format!(
            "Subject: x\nContent-Type: text/plain{declared}\nContent-Transfer-Encoding: quoted-printable\n\n"
        );
        let words = written("koi8-r", "Сегодня дождь, а завтра будет солнце");
        let body: Vec<String> = words.iter().map(|octet| format!("={octet:02X}")).collect();
        let body = body.concat();
        let octets = format!("{head}{body}\n").into_bytes();
        let document = page("news:a@h.example", Shape::Article, &octets, 50);
        (
            document.non_utf8_charset(),
            row(&document, document.count() - 1),
        )
    };
    let (non_utf8_charset, line) = article("");
    assert_eq!(non_utf8_charset.map(Charset::name), Some("KOI8-U"));
    assert_eq!(line, "Сегодня дождь, а завтра будет солнце");
    // A declared charset is used, and nothing is detected.
    let (non_utf8_charset, line) = article("; charset=koi8-r");
    assert_eq!(non_utf8_charset, None);
    assert_eq!(line, "Сегодня дождь, а завтра будет солнце");
}

#[test]
fn code_page_437_is_found_by_its_names() {
    for name in ["cp437", "IBM437", " 437 "] {
        assert_eq!(Charset::named(name), Some(Charset::CP437), "{name}");
    }
    let all: Vec<u8> = (0x80..=0xff).collect();
    let read = Charset::CP437.decode(&all);
    assert_eq!(read.chars().count(), 128);
    assert_eq!(read.chars().next(), Some('Ç'));
    assert_eq!(read.chars().nth(0x40), Some('└'));
    assert_eq!(read.chars().nth(0x7e), Some('■'));
    assert_eq!(
        CharsetSetting::named("Auto"),
        Some(CharsetSetting::Detected)
    );
    assert_eq!(CharsetSetting::named("no such charset"), None);
}

#[test]
fn link_inside_colour_escapes_is_a_link() {
    let document =
        text(b"see \x1b[34mgopher://h.example/0a\x1b[0m and \x1b[1m<URL:news:x.y>\x1b[m\n");
    let row = document.row(0).unwrap();
    assert_eq!(row.text(), "see gopher://h.example/0a and <URL:news:x.y>");
    let links = document.links(0);
    let targets: Vec<_> = links
        .iter()
        .map(|link| link.target.as_ref().unwrap().as_str())
        .collect();
    assert_eq!(targets, ["gopher://h.example/0a", "news:x.y"]);
    let shown: Vec<_> = row
        .spans
        .iter()
        .filter(|span| span.link.is_some())
        .collect();
    assert_eq!(shown[0].text.as_str(), "gopher://h.example/0a");
    assert_eq!(shown[1].text.as_str(), "<URL:news:x.y>");
}

#[test]
fn links_end_at_punctuation_of_the_page_charset() {
    for (charset, line, whole, target) in [
        (
            "windows-1252",
            "Où «http://h.example/a»?",
            "http://h.example/a",
            Some("http://h.example/a"),
        ),
        (
            "windows-1252",
            "Là “http://h.example/a”",
            "http://h.example/a",
            Some("http://h.example/a"),
        ),
        (
            "windows-1252",
            "à http://münchen.example/ ou",
            "http://münchen.example/",
            None,
        ),
        (
            "windows-1252",
            "à gopher://h.example/0café, ou",
            "gopher://h.example/0café",
            None,
        ),
        (
            "shift_jis",
            "次は http://h.example/a」と",
            "http://h.example/a",
            Some("http://h.example/a"),
        ),
        (
            "shift_jis",
            "次は http://h.example/日本 と",
            "http://h.example/日本",
            None,
        ),
        (
            "utf-8",
            "à gopher://h.example/0café, ou",
            "gopher://h.example/0café",
            Some("gopher://h.example/0caf%C3%A9"),
        ),
        (
            "utf-8",
            "à http://münchen.example/ ou",
            "http://münchen.example/",
            Some("http://münchen.example/"),
        ),
    ] {
        let label = line;
        let url = Url::parse("gopher://h.example/0a").unwrap();
        let read_as = CharsetSetting::named(charset).unwrap();
        let mut document = Document::new(url, Shape::Text, read_as);
        document.append(&written(charset, line));
        let document = document.finished();
        let row = document.row(0).unwrap();
        let linked: Vec<&str> = row
            .spans
            .iter()
            .filter(|span| span.link.is_some())
            .map(|span| span.text.as_str())
            .collect();
        assert_eq!(linked, [whole], "{label}");
        let links = document.links(0);
        assert_eq!(links.len(), 1, "{label}");
        let opened = links[0].target.as_ref().ok().map(Url::as_str);
        assert_eq!(opened, target, "{label}");
    }
}

#[test]
fn mail_address_is_linked_whole_or_not_at_all() {
    let people = |line: &str| {
        let octets = format!("-200:1:       email: {line}\r\n200:Ok.\r\n");
        let document = page(
            "gopher://h.example:105/2%09x",
            Shape::People,
            octets.as_bytes(),
            7,
        );
        let links = document.links(0);
        links
            .iter()
            .map(|link| link.target.as_ref().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(people("ada@x.example"), ["mailto:ada@x.example"]);
    assert_eq!(people("“ada@x.example”"), ["mailto:ada@x.example"]);
    assert_eq!(people("jürgen@x.example"), [""; 0]);
    assert_eq!(people("ada@a.münchen.example"), [""; 0]);
}

#[test]
fn articles_of_a_mixed_group_have_their_own_charsets() {
    let articles = [
        (
            "koi8-r",
            "Новая версия программы",
            "Иван Петров <ivan@example.ru>",
        ),
        (
            "windows-1251",
            "Вопрос о настройке почты",
            "Анна <anna@example.ru>",
        ),
        (
            "shift_jis",
            "新しいバージョンについて",
            "山田太郎 <y@example.jp>",
        ),
        ("big5", "關於新版本的一些問題", "王小明 <w@example.tw>"),
        ("euc-kr", "새로운 버전에 대한 질문", "김철수 <k@example.kr>"),
        (
            "windows-1252",
            "Größe und Gewicht für Käufer",
            "Jörg Müller <j@example.de>",
        ),
    ];
    let mut octets = Vec::new();
    for (number, (charset, subject, from)) in articles.iter().enumerate() {
        let from = written(charset, from);
        octets.extend(format!("{}\t", 10 - number).bytes());
        octets.extend([written(charset, subject), from, b"d\t<1@x>".to_vec()].join(&b'\t'));
        octets.extend(b"\t\t1\t1\n");
    }
    let mut group = page(
        "nntp://news.example.org/alt.test",
        Shape::Group,
        &octets,
        64,
    );
    for (number, (charset, subject, from)) in articles.iter().enumerate() {
        let shown = group.row(number).unwrap();
        let name = from.split(" <").next().unwrap();
        assert_eq!(
            (shown.text(), shown.lead.unwrap().to_string()),
            ((*subject).to_owned(), name.to_owned()),
            "{charset}"
        );
        assert_eq!(group.link(number, 0).unwrap().label.as_str(), *subject);
    }
    // The user's choice is for all of them.
    group.set_charset_setting(CharsetSetting::named("koi8-r").unwrap());
    assert_ne!(row(&group, 1), articles[1].1);
}

#[test]
fn few_octets_of_a_listing_are_read_by_the_charset_of_the_directory_above() {
    let listing = |names: &[&str], charset: &str, prior: Option<&str>| {
        let lines = names.iter().map(|name| {
            let line = format!("-rw-r--r-- 1 ftp ftp 5 Nov 19 2025 {name}\r\n");
            written(charset, &line)
        });
        let url = Url::parse("ftp://ftp.example.org/pub/").unwrap();
        let shape = Shape::Listing {
            format: None,
            today: Day {
                year: 2026,
                month: 11,
                day: 26,
            },
            place: ListingPlace::Server,
        };
        let mut document = Document::new(url, shape, CharsetSetting::Detected);
        document.expect_charset(prior.and_then(Charset::named));
        document.append(&lines.collect::<Vec<_>>().concat());
        let document = document.finished();
        let rows = 0..document.count();
        let texts: Vec<String> = rows.map(|number| row(&document, number)).collect();
        (texts, document.expected_charset().map(Charset::name))
    };
    let (texts, expected) = listing(&["яя.txt"], "windows-1251", Some("windows-1251"));
    assert!(texts.contains(&"яя.txt".to_owned()), "{texts:?}");
    assert_eq!(expected, Some("windows-1251"));
    // Without any such octet the charset is passed on; many octets overrule it.
    assert_eq!(listing(&["a"], "utf-8", Some("koi8-r")).1, Some("KOI8-R"));
    let many = [
        "Документация по программе.txt",
        "Обновление сервера.txt",
        "Прочитай меня сначала.txt",
    ];
    let (texts, _) = listing(&many, "windows-1251", Some("koi8-r"));
    assert!(texts.contains(&many[0].to_owned()), "{texts:?}");
    // What is malformed in the expected charset is in another.
    let (_, expected) = listing(&["яя.txt"], "windows-1251", Some("utf-8"));
    assert_ne!(expected, Some("UTF-8"));
}

#[test]
fn utf_16_with_a_mark_is_read_as_such_in_every_scheme() {
    let text = "Grüße\r\nПривет 💩\r\n";
    for (is_big, piece) in [(false, 1), (true, 3), (false, 64)] {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        let octets = units.flat_map(|unit| {
            if is_big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        let octets: Vec<u8> = octets.collect();
        for (address, shape) in [
            ("gopher://h.example/0a", Shape::Text),
            ("ftp://h.example/a.txt", Shape::Text),
            ("gemini://h.example/a", Shape::Gemtext),
            ("http://h.example/a", Shape::Html),
        ] {
            let document = page(address, shape, &octets, piece);
            let rows: Vec<String> = (0..document.count())
                .map(|number| row(&document, number))
                .collect();
            assert_eq!(
                rows.join(" ").replace("  ", " ").trim(),
                "Grüße Привет 💩",
                "{address} {is_big}"
            );
        }
    }
}

/// Texts of old Macs, and those that mix their line ends.
#[test]
fn text_is_saved_with_the_line_ends_that_came() {
    for octets in [
        b"one\rtwo\r".as_slice(),
        b"one\rtwo\r\nthree\rfour",
        b"one\r\ntwo\rthree\n",
        b"one\n\rtwo\r",
        b"\r",
        b"\r\r\r\ntwo\r",
        b"no end",
        b"caf\xe9\rtwo",
        b"\xef\xbb\xbfone\rtwo",
    ] {
        for shape in [Shape::Text, Shape::Gemtext, Shape::Html] {
            for part in 1..=octets.len() {
                let url = Url::parse("gopher://h.example/0/a").unwrap();
                let mut document = Document::new(url, shape, CharsetSetting::default());
                octets.chunks(part).for_each(|part| document.append(part));
                assert_eq!(
                    document.sent().to_vec(),
                    octets,
                    "{:?}",
                    octets.escape_ascii()
                );
                let document = document.finished();
                assert_eq!(
                    document.sent().to_vec(),
                    octets,
                    "{:?}",
                    octets.escape_ascii()
                );
            }
        }
    }
}
