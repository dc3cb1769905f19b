//! In which charset a page is read: detected, set, or chosen.

use geomys::document::{Document, Shape};
use geomys::text::{Charset, ReadAs};
use geomys::url::Url;

/// A page as it is once all of it is here, from pieces of `piece` octets.
fn page(address: &str, shape: Shape, octets: &[u8], piece: usize) -> Document {
    let mut document = Document::new(Url::parse(address).unwrap(), shape, ReadAs::Detected);
    for piece in octets.chunks(piece) {
        document.append(piece);
    }
    if document.wants_finish() {
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
fn languages_are_told_by_their_octets() {
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
        assert_eq!(document.foreign().map(Charset::name), Some(found));
        for (number, line) in words.lines().enumerate() {
            assert_eq!(row(&document, number), line);
        }
    }
}

#[test]
fn the_country_of_a_host_helps_where_the_octets_say_little() {
    let octets = written("koi8-r", "Погода\n");
    let at = |address| page(address, Shape::Text, &octets, 100);
    assert_eq!(row(&at("gopher://pogoda.ru/0a"), 0), "Погода");
    // An address is no country.
    assert!(at("gopher://127.0.0.1/0a").foreign().is_some());
}

/// A board's welcome, as it was drawn on a PC.
const BOARD: &[u8] = b"\xda\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xbf\n\
    \xb3 \xb0\xb1\xb2\xdb Welcome, f\x81r alle \xb3\n\
    \xc0\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xc4\xd9\n\
    \xdb\xdb\xdb\xdb\xdb\xdf\xdf\xdf\xdf\xdf \xcd\xcd\xcd\xcd\n";

#[test]
fn drawings_of_the_pc_are_told_from_languages() {
    let document = text(BOARD);
    assert_eq!(document.charset(), Charset::CP437);
    assert_eq!(row(&document, 0), "┌──────────┐");
    assert_eq!(row(&document, 1), "│ ░▒▓█ Welcome, für alle │");
    assert_eq!(row(&document, 3), "█████▀▀▀▀▀ ════");

    // Only a rule between words.
    let rule = [&b"News\n"[..], &b"\xc4".repeat(40), b"\nNone.\n"].concat();
    assert_eq!(text(&rule).charset(), Charset::CP437);
}

#[test]
fn languages_are_not_taken_for_drawings() {
    // Russian of DOS draws with the same octets.
    let words = "┌────────────────────┐\n│ Погода под лугом и над ним │\n└────────────────────┘\nСегодня дождь, а завтра будет солнце.\n";
    // The library that writes it has the octets of the frame too.
    let document = text(&written("ibm866", words));
    assert_eq!(document.charset().name(), "IBM866");
    assert_eq!(row(&document, 1), "│ Погода под лугом и над ним │");

    // Small letters of KOI8-R stand where the others draw; a few of them in a run are a shout.
    let words = "Тссс... шшшш, мммм! Что это было за чудо, спросил кто-то под лугом.\nДождь, дождь и дождь, а завтра будет солнце.\n";
    assert_eq!(text(&written("koi8-r", words)).charset().name(), "KOI8-U");

    // Umlauts are no walls, and degrees make rules in Latin-1.
    let words = "ÄÖÜ, ÄÄ und ßß, groß und klein: Grüße, schöne Äpfel\n";
    let found = text(&written("windows-1252", words)).charset();
    assert_eq!(found.name(), "windows-1252");
    assert_ne!(text(&b"\xb0".repeat(40)).charset(), Charset::CP437);
}

#[test]
fn a_row_that_is_utf8_is_utf8_on_any_page() {
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
    assert_eq!(document.foreign(), None);
    assert!(!document.wants_finish());
}

#[test]
fn what_is_detected_does_not_depend_on_how_it_arrives() {
    let russian = written("koi8-r", "Сегодня дождь, а завтра будет солнце");
    let octets = [b"plain words\n".as_slice(), &russian, b"\nplain again\n"].concat();
    for piece in 1..=octets.len() {
        let document = page("gopher://h.example/0a", Shape::Text, &octets, piece);
        assert_eq!(document.charset().name(), "KOI8-U", "in pieces of {piece}");
    }
    // The last line has no end.
    assert_eq!(text(&russian).charset().name(), "KOI8-U");
}

#[test]
fn rows_change_their_letters_once_when_all_or_enough_is_here() {
    let line = written("koi8-r", "Сегодня дождь, а завтра будет солнце\n");
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let mut document = Document::new(url, Shape::Text, ReadAs::Detected);
    document.append(&line);
    document.append(&line);
    assert_eq!(document.charset().name(), "windows-1252");
    assert!(document.wants_finish());
    let settled = document.clone().finished();
    assert_eq!(settled.charset().name(), "KOI8-U");
    assert!(!settled.wants_finish());
    // It is settled before the end when that much has come.
    document.take(line.repeat(64 * 1024 / line.len()));
    assert_eq!(document.charset().name(), "KOI8-U");
    assert!(!document.wants_finish());
}

#[test]
fn a_charset_that_is_set_wins_and_auto_gives_it_back() {
    let octets = written("koi8-r", "Сегодня дождь, а завтра будет солнце\n");
    let url = Url::parse("gopher://h.example/0a").unwrap();
    let latin = Charset::named("latin1").unwrap();
    let mut document = Document::new(url, Shape::Text, latin);
    document.append(&octets);
    assert!(!document.wants_finish());
    let mut document = document.finished();
    assert_eq!(document.charset(), latin);
    document.set_read_as(ReadAs::Detected);
    assert!(document.wants_finish());
    assert_eq!(document.finished().charset().name(), "KOI8-U");
}

#[test]
fn an_article_that_declares_nothing_is_detected_by_what_it_says() {
    let article = |declared: &str| {
        let head = format!(
            "Subject: x\nContent-Type: text/plain{declared}\nContent-Transfer-Encoding: quoted-printable\n\n"
        );
        let words = written("koi8-r", "Сегодня дождь, а завтра будет солнце");
        let body: Vec<String> = words.iter().map(|octet| format!("={octet:02X}")).collect();
        let body = body.concat();
        let octets = format!("{head}{body}\n").into_bytes();
        let document = page("news:a@h.example", Shape::Article, &octets, 50);
        (document.foreign(), row(&document, document.count() - 1))
    };
    let (foreign, line) = article("");
    assert_eq!(foreign.map(Charset::name), Some("KOI8-U"));
    assert_eq!(line, "Сегодня дождь, а завтра будет солнце");
    // What it declares is so, and leaves nothing to detect.
    let (foreign, line) = article("; charset=koi8-r");
    assert_eq!(foreign, None);
    assert_eq!(line, "Сегодня дождь, а завтра будет солнце");
}

#[test]
fn code_page_437_has_its_names() {
    for name in ["cp437", "IBM437", " 437 "] {
        assert_eq!(Charset::named(name), Some(Charset::CP437), "{name}");
    }
    let all: Vec<u8> = (0x80..=0xff).collect();
    let read = Charset::CP437.decode(&all);
    assert_eq!(read.chars().count(), 128);
    assert_eq!(read.chars().next(), Some('Ç'));
    assert_eq!(read.chars().nth(0x40), Some('└'));
    assert_eq!(read.chars().nth(0x7e), Some('■'));
    assert_eq!(ReadAs::named("Auto"), Some(ReadAs::Detected));
    assert_eq!(ReadAs::named("no such charset"), None);
}
