//! The width of a text: no line that its writer has wrapped is broken for the numbers of links.

use std::fmt::Write as _;

use geomys_app::Rect;
use geomys_app::settings::Reading;
use geomys_app::view::gutter::rows_area;
use geomys_app::view::viewport::Viewport;
use geomys_page::document::{Document, Kind, Shape};
use geomys_wire::text::{self, CharsetSetting};
use proptest::prelude::*;
use rfc1738::Url;

/// The number of rows that are looked at, at the start and at the end of a text.
const LOOKED_AT: usize = 60;

/// The kinds of pages whose lines stay as they were written.
#[derive(Clone, Copy, Debug)]
enum Source {
    Gopher,
    Plain,
    Article,
    Gemtext,
}

impl Source {
    /// A page of these lines, with links of its own kind.
    fn document(self, lines: &[String], links: usize) -> Document {
        let (url, shape) = match self {
            Self::Gopher => ("gopher://h.example/0/text", Shape::Text),
            Self::Plain => ("http://h.example/text", Shape::Text),
            Self::Article => ("news:a@h.example", Shape::Article),
            Self::Gemtext => ("gemini://h.example/", Shape::Gemtext),
        };
        let mut text = String::new();
        if let Self::Article = self {
            text.push_str("From: ada@h.example\nSubject: lines\nMessage-ID: <a@h.example>\n");
            text.push_str("Content-Type: text/plain; charset=utf-8\nX-One: 1\nX-Two: 2\n\n");
        }
        let link = |text: &mut String, line: &str| {
            let room = 80 - text::width(line).min(80);
            // A line of its own, up to the last of 80 columns.
            let url = format!("http://h.example/{}", "x".repeat(room % 50));
            let _ = match self {
                Self::Gemtext => writeln!(text, "=> {url} {line}"),
                _ if text::width(line) + 1 + url.len() <= 80 => writeln!(text, "{line} {url}"),
                _ => writeln!(text, "{url}"),
            };
        };
        let mut cycle = lines.iter().cycle();
        // The lines stand where the test looks.
        let first = match self {
            Self::Gemtext => 0,
            _ => links / 2,
        };
        for _ in 0..first {
            link(&mut text, cycle.next().unwrap());
        }
        if let Self::Gemtext = self {
            text.push_str("```\n");
        }
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        if let Self::Gemtext = self {
            text.push_str("```\n");
        }
        for _ in first..links {
            link(&mut text, cycle.next().unwrap());
        }
        let mut document =
            Document::new(Url::parse(url).unwrap(), shape, CharsetSetting::default());
        document.append(text.as_bytes());
        document.finished()
    }
}

/// Lines of 1 to 80 columns.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(vec![
        "a",
        "word ",
        " ",
        "   ",
        "日",
        "本語",
        "é",
        "|",
        "-",
        "> ",
        "80",
        "http://a.example/",
        "news:b@h.example ",
    ]);
    let line = (prop::collection::vec(piece, 1..60), 1_usize..=80);
    let line = line.prop_map(|(pieces, columns)| {
        let line = text::columns(&pieces.concat(), 0, columns);
        if line.trim().is_empty() {
            "x".to_owned()
        } else {
            line.trim_end().to_owned()
        }
    });
    prop::collection::vec(line, 1..30)
}

fn case() -> impl Strategy<Value = (Source, usize)> {
    let source = prop::sample::select(vec![
        Source::Gopher,
        Source::Plain,
        Source::Article,
        Source::Gemtext,
    ]);
    (source, prop::sample::select(vec![0, 1, 999, 10_000]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_line_of_80_columns_is_broken_in_a_pane_of_80_or_more(
        lines in lines(),
        (source, links) in case(),
        more in 0_u16..=120,
        is_wrapped: bool,
    ) {
        let mut view = Viewport::from(source.document(&lines, links));
        view.wrap = is_wrapped;
        let mut checked = 0;
        for width in [80, 81, 83, 84, 86, 80 + more] {
            let pane = Rect::new(0, 0, width, 24);
            let area = view.area(pane, Reading::default());
            let drawn = usize::from(rows_area(&view, pane, Reading::default()).width);
            prop_assert!(width > 80 || area.gutter.width() == 0);
            let count = view.document.count();
            let looked_at = (0..count).filter(|row| *row < LOOKED_AT || row + LOOKED_AT >= count);
            for number in looked_at {
                let written = view.document.row(number).unwrap();
                let is_link_line = matches!(source, Source::Gemtext) && written.number.is_some();
                if is_link_line || matches!(written.kind, Kind::Remark(_)) {
                    continue;
                }
                let written = written.text();
                let row = view.on_screen(area).laid_out(number).unwrap();
                let taken = area.gutter.width_before(&row.row) + text::width(&row.text);
                prop_assert_eq!(row.lines.len(), 1, "{:?} in {}", row.text, width);
                prop_assert!(taken <= drawn, "{:?} in {}", row.text, width);
                let mut shown = row.text.clone();
                for number in row.numbers.ranges().collect::<Vec<_>>().into_iter().rev() {
                    let label = shown.get(number.clone()).unwrap();
                    prop_assert!(label.trim_start().starts_with('[') && label.ends_with(']'));
                    shown.replace_range(number, "");
                }
                let letters = |text: &str| text.replace(' ', "");
                prop_assert_eq!(letters(&shown), letters(&written));
                checked += 1;
            }
        }
        prop_assert!(checked >= lines.len().min(LOOKED_AT));
    }
}
