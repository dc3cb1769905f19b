//! Layout for a pane: tables, preformatted lines, superscripts.

use geomys_page::document::{Document, Shape};
use geomys_testing::loading::{texts, url};
use geomys_wire::text::{self, CharsetSetting};
use proptest::prelude::*;

/// A page that is laid out for a pane of this many columns.
fn fitted(html: &str, columns: usize) -> Document {
    let mut document = Document::new(
        url("http://h.example/"),
        Shape::Html,
        CharsetSetting::Detected,
    );
    document.set_columns(columns);
    document.append(html.as_bytes());
    document.finished()
}

const SEEDS: &str = "<table><tr><th>Kind<th>Remark<tr><td>Pocket<td>It lives in the plains and eats what it finds below them\
                     <tr><td>Mountain<td>Short</table>";

#[test]
fn table_is_as_wide_as_the_pane_allows() {
    assert_eq!(
        texts(&fitted(SEEDS, 80)),
        [
            "Kind      Remark",
            "Pocket    It lives in the plains and eats what it finds below them",
            "Mountain  Short",
        ]
    );
    assert_eq!(
        texts(&fitted(SEEDS, 40)),
        [
            "Kind      Remark",
            "Pocket    It lives in the plains and",
            "          eats what it finds below them",
            "Mountain  Short",
        ]
    );
}

#[test]
fn empty_table_is_not_shown() {
    let page =
        "<p>Above<table><tr><td></table><table></table><p>Below<ul><li><table></table>Item</ul>";
    assert_eq!(
        texts(&fitted(page, 40)),
        ["Above", "", "Below", "", "• Item"]
    );
}

#[test]
fn long_head_is_cut_before_each_value() {
    let head = "A very long head ".repeat(50);
    let value = "value".repeat(20);
    let page =
        format!("<table><tr><th>{head}<th>B<tr><td>a<td>{value}<tr><td>c<td>{value}</table>");
    let rows = texts(&fitted(&page, 40));
    assert!(rows[0].starts_with("A very long head A very"), "{rows:?}");
    assert!(rows[0].ends_with("…: a"), "{rows:?}");
    assert!(rows.iter().all(|row| text::width(row) <= 110), "{rows:?}");
}

#[test]
fn table_is_laid_out_again_for_a_resized_pane() {
    let page = format!("<p>Above{SEEDS}<p>Below");
    let mut document = fitted(&page, 40);
    assert!(!document.wants_layout() && document.is_resized(80));
    document.set_columns(80);
    assert!(document.wants_layout());
    // The row below the table is found again.
    let below = document.origin(document.count() - 1).unwrap();
    let wider = document.clone().laid_out();
    document.adopt_layout(&wider);
    assert!(!document.wants_layout());
    assert_eq!(texts(&document), texts(&fitted(&page, 80)));
    assert_eq!(document.row_of(below), Some(document.count() - 1));
    // No other page depends on its pane.
    let mut plain = fitted("<p>Words", 40);
    plain.set_columns(80);
    assert!(!plain.wants_layout());
}

#[test]
fn table_without_room_has_a_line_for_each_head() {
    let page = "<table><thead><tr><td>Target<td>Notes</thead><tr><td><a href=a>aarch64-unknown-linux-gnu</a>\
                <td>kernel-3.2-or-later,glibc-2.17<tr><th colspan=2>Others<tr><td>x86<td></table>";
    let document = fitted(page, 30);
    assert_eq!(
        texts(&document),
        [
            "Target: aarch64-unknown-linux-gnu",
            "Notes: kernel-3.2-or-later,glibc-2.17",
            "",
            "Others",
            "",
            "Target: x86"
        ]
    );
    let row = document.row(0).unwrap();
    assert_eq!((row.hang, row.wraps), (2, true));
    assert_eq!(
        document.link(0, 0).unwrap().label.as_str(),
        "aarch64-unknown-linux-gnu"
    );
    // Where the words have room, none is cut.
    let page = format!(
        "<table><tr><td>{0}<td>{0} {0}</table>",
        "longword".repeat(2)
    );
    assert_eq!(texts(&fitted(&page, 34)).len(), 2);
}

#[test]
fn table_in_a_cell_stays_in_its_cell() {
    let page = "<table><tr><th>Name<th>Parts<tr><td>a<td>first<table><tr><td>n1<td>n2<tr><td>m1<td>m2</table>\
                <tr><td>b<td>none</table>";
    assert_eq!(
        texts(&fitted(page, 80)),
        [
            "Name  Parts",
            "a     first",
            "",
            "      n1  n2",
            "      m1  m2",
            "b     none"
        ]
    );
}

#[test]
fn cell_over_several_columns_is_wrapped_to_all_of_them() {
    let page = "<table><caption>All of them</caption><tr><td colspan=2>one two three four<td>x<tr><td>aaaaaa<td>bbbbbb<td>c\
                </table>";
    assert_eq!(
        texts(&fitted(page, 80)),
        [
            "All of them",
            "one two three four  x",
            "aaaaaa    bbbbbb    c"
        ]
    );
    assert_eq!(
        texts(&fitted(page, 18)),
        [
            "All of them",
            "one two three    x",
            "four",
            "aaaaaa   bbbbbb  c"
        ]
    );
}

#[test]
fn table_in_an_item_is_indented() {
    let page = "<ol><li>Steps:<table><tr><td>a<td>b c d<tr><td>e<td>f</table><li>Next</ol>";
    assert_eq!(
        texts(&fitted(page, 9)),
        [
            "1. Steps:",
            "",
            "   a  b c",
            "      d",
            "   e  f",
            "",
            "2. Next"
        ]
    );
}

#[test]
fn preformatted_lines_are_never_wrapped() {
    let long = "0123456789 ".repeat(12);
    let page = format!(
        "<p>Words<pre>{long}</pre><table><tr><td>a<td><pre>x    y\n  z</pre></table>\
         <blockquote><pre>{long}</pre></blockquote><ul><li><pre>{long}</pre></ul>"
    );
    let document = fitted(&page, 40);
    let rows: Vec<_> = (0..document.count())
        .map(|row| document.row(row).unwrap())
        .collect();
    let fixed = rows.iter().filter(|row| !row.wraps);
    let fixed: Vec<String> = fixed.map(|row| row.text().trim_end().to_owned()).collect();
    let long = long.trim_end();
    assert_eq!(
        fixed,
        [
            long.to_owned(),
            "a  x    y".to_owned(),
            "     z".to_owned(),
            format!("  {long}"),
            format!("• {long}"),
        ]
    );
    assert_eq!(document.preformatted_columns(), long.len() + 2);
}

#[test]
fn nested_scripts_keep_their_meaning() {
    for (html, text) in [
        ("e<sup>-x<sup>2</sup></sup>", "e^(-x^2)"),
        ("x<sub>i<sub>j</sub></sub>+1", "x[i[j]]+1"),
        ("2<sup>x<sub>1</sub></sup>", "2^(x[1])"),
        ("2<sup>a-b</sup>", "2^(a-b)"),
        ("10<sup>-3</sup>", "10^-3"),
        ("2<sup>(a)+(b)</sup>", "2^((a)+(b))"),
        ("2<sup>(a+b)</sup>", "2^(a+b)"),
    ] {
        assert_eq!(texts(&fitted(html, 80)), [text]);
    }
}

fn text_page(text: &str) -> Document {
    let mut document = Document::new(
        url("gopher://h.example/0/x"),
        Shape::Text,
        CharsetSetting::Detected,
    );
    for octets in text.as_bytes().chunks(7) {
        document.append(octets);
    }
    document.finished()
}

#[test]
fn text_wrapped_by_hand_has_the_columns_of_its_longest_line() {
    let words = "these are words of a text ".repeat(40);
    let wrapped: Vec<&str> = text::wrap(&words, 100);
    let wrapped = wrapped.join("\n");
    let longest = wrapped.lines().map(|line| line.trim_end().len()).max();
    let paragraphs = |lengths: &[usize], end: &str| -> String {
        let lines = lengths
            .iter()
            .map(|length| format!("{}{end}", &words[..*length]));
        lines.collect()
    };
    let table = format!("{}\n", "name      12      x".repeat(6)).repeat(5);
    let program = "fn f() {\n    g();\n}\n".repeat(9) + &"x".repeat(110) + "\n";
    for (text, columns) in [
        (wrapped.as_str(), longest.unwrap()),
        (&table, 19 * 6),
        (&program, 110),
        // A paragraph a line.
        (&paragraphs(&[150, 90, 130, 40], "\n\n"), 0),
        (&paragraphs(&[150, 20, 60, 40, 100, 30], "\n"), 0),
        (&paragraphs(&[161, 160, 159, 158], "\n"), 0),
        ("one line", 0),
    ] {
        assert_eq!(text_page(text).hard_wrapped_columns(), columns, "{text}");
    }
}

#[test]
fn preformatted_lines_of_gemtext_are_measured() {
    let mut document = Document::new(
        url("gemini://h.example/"),
        Shape::Gemtext,
        CharsetSetting::Detected,
    );
    let long = "x".repeat(120);
    document.append(format!("{long}{long}\n```\n{long}\n```\n").as_bytes());
    let document = document.finished();
    assert_eq!(document.preformatted_columns(), 120);
    assert!(!document.row(2).unwrap().wraps && document.row(0).unwrap().wraps);
}

proptest! {
    #[test]
    fn no_word_of_a_table_is_lost_or_wider_than_the_pane(
        rows in proptest::collection::vec(proptest::collection::vec("([a-z]{1,9} ?){0,6}", 1..5), 1..6),
        columns in 12_usize..60,
        has_heads in any::<bool>(),
    ) {
        let tag = |row: usize| if has_heads && row == 0 { "th" } else { "td" };
        let cells = |(number, row): (usize, &Vec<String>)| {
            let start = format!("<{}>", tag(number));
            format!("<tr>{start}{}", row.join(&start))
        };
        let html: Vec<String> = rows.iter().enumerate().map(cells).collect();
        let html = html.concat();
        let document = fitted(&format!("<table>{html}</table>"), columns);
        let shown = texts(&document).join(" ");
        for word in rows.iter().skip(usize::from(has_heads)).flatten().flat_map(|cell| cell.split(' ')) {
            prop_assert!(shown.contains(word), "{word} in {shown}");
        }
        for row in (0..document.count()).filter_map(|row| document.row(row)) {
            prop_assert!(row.wraps || text::width(&row.text()) <= columns, "{}", row.text());
        }
    }
}

/// The elements that the law below nests at random.
const NESTED: [&str; 18] = [
    "p", "div", "span", "b", "a", "ul", "li", "table", "tbody", "tr", "td", "th", "h2", "pre",
    "label", "sup", "kbd", "form",
];

proptest! {
    #[test]
    fn hidden_parts_lose_and_double_no_word(
        parts in proptest::collection::vec((0..3_u8, 0..NESTED.len(), any::<bool>()), 1..30),
    ) {
        let part = |(number, (part, tag, is_hidden)): (usize, &(u8, usize, bool))| {
            let tag = NESTED[*tag];
            match (part, is_hidden) {
                (0, true) => format!("<{tag} hidden href=/x>"),
                (0, false) => format!("<{tag} href=/x>"),
                (1, _) => format!("</{tag}>"),
                _ => format!("w{number}w"),
            }
        };
        let html: String = parts.iter().enumerate().map(part).collect();
        let mut page = fitted(&html, 60);
        page.toggle_blocks(0);
        let unfolded = texts(&page).join(" ");
        for number in (0..parts.len()).filter(|number| parts[*number].0 == 2) {
            let word = format!("w{number}w");
            prop_assert_eq!(unfolded.matches(&word).count(), 1, "{} in {}: {}", word, html, unfolded);
        }
    }
}

#[test]
fn cells_stand_on_the_right_or_in_the_middle() {
    let table = "<table><tr><th>Name<th align=right>Size<tr><td>a<td align=right>7<tr><td>long name<td align=right>1234\
                 <tr align=center><td>b<td style='text-align: RIGHT'>12</table>";
    assert_eq!(
        texts(&fitted(table, 60)),
        [
            "Name       Size",
            "a             7",
            "long name  1234",
            "    b        12"
        ]
    );
}

/// As cgit and pygments write the source of a program.
#[test]
fn code_stays_beside_the_numbers_of_its_lines() {
    let numbers = (1..=9).map(|line| format!("<a href='#n{line}'>{line}</a>\n"));
    let numbers = numbers.collect::<Vec<_>>().concat();
    let long = "x".repeat(90);
    let code = format!("\n\nfn main() {{\n    {long};\n\n}}\n7\n8\n9\n");
    let page = fitted(
        &format!(
            "<table><tr><td><div><pre>{numbers}</pre></div></td><td><pre><code>{code}</code></pre></td></tr></table>"
        ),
        60,
    );
    let rows = texts(&page);
    assert_eq!(rows.len(), 9, "{rows:#?}");
    assert_eq!(rows[..3], ["1", "2 fn main() {", &format!("3     {long};")]);
    assert_eq!(rows[3..], ["4", "5 }", "6 7", "7 8", "8 9", "9"]);
    assert!(!page.row(2).unwrap().wraps);
    let by_line =
        "<table><tr><td>1<td><pre>let a = 1;</pre><tr><td>2<td><pre>  let b = 2;</pre></table>";
    assert_eq!(
        texts(&fitted(by_line, 12)),
        ["1 let a = 1;", "2   let b = 2;"]
    );
}

#[test]
fn hidden_parts_are_one_row_that_unfolds() {
    let html = "<p>Start<div style='color:red; display : none'><p>one<div>two</div><ul><li>three</ul></div><p hidden>four\
                <p>Middle<section hidden></section><span hidden>six</span><table hidden><tr><td>five</table><p>End";
    let mut page = fitted(html, 60);
    let folded = [
        "Start",
        "3 hidden lines",
        "",
        "1 hidden line",
        "",
        "Middle",
        "1 hidden line",
        "",
        "1 hidden line",
        "",
        "End",
    ];
    assert_eq!(texts(&page), folded);
    assert!(page.toggle_remark(1));
    let unfolded = texts(&page);
    assert_eq!(unfolded[..4], ["Start", "3 hidden lines", "one", "two"]);
    assert!(unfolded.contains(&"• three".to_owned()), "{unfolded:#?}");
    assert!(!page.toggle_remark(2));
    assert!(page.toggle_remark(1));
    assert_eq!(texts(&page), folded);
    let row = page.toggle_blocks(0).unwrap();
    assert_eq!(row, 0);
    assert!(texts(&page).contains(&"five".to_owned()));
    // All is printed.
    let mut printed =
        Document::new(url("http://h/"), Shape::Html, CharsetSetting::Detected).for_output();
    printed.append(html.as_bytes());
    let printed = texts(&printed.finished());
    for word in ["one", "two", "• three", "four", "six", "five"] {
        assert!(
            printed.iter().any(|row| row == word),
            "{word}: {printed:#?}"
        );
    }
    assert!(!printed.concat().contains("hidden line"));
}

#[test]
fn hidden_items_of_lists_are_rows_that_unfold() {
    let html = "<ul><li>one<li hidden>two<ul><li>deep</ul><li>three<li style='display:none'>four</li><li>five</ul><p>End";
    let mut page = fitted(html, 60);
    let folded = [
        "• one",
        "2 hidden lines",
        "• three",
        "1 hidden line",
        "• five",
        "",
        "End",
    ];
    let rows: Vec<String> = texts(&page);
    assert_eq!(
        rows.iter().map(|row| row.trim()).collect::<Vec<_>>(),
        folded
    );
    assert!(page.toggle_remark(1));
    let rows = texts(&page).concat();
    assert!(rows.contains("• two") && rows.contains("• deep"), "{rows}");
    assert!(!rows.contains("four"));
}

#[test]
fn hidden_parts_of_a_line_are_a_row_below_it() {
    let html = "<ul><li>Write to <a href=/me>Ada <b hidden>trap</b>Byron</a> <span style='display:none'>or <i>not</i></span>                now<p>Then</ul><p><a hidden href=/pit>pit</a>End";
    let mut page = fitted(html, 60);
    let folded = [
        "• Write to Ada Byron now",
        "1 hidden line",
        "1 hidden line",
        "",
        "  Then",
        "",
        "End",
        "1 hidden line",
    ];
    assert_eq!(texts(&page), folded);
    assert_eq!(page.link_count(0), 1);
    page.toggle_blocks(0);
    let rows = texts(&page);
    for (row, text) in [(2, "trap"), (4, "or not"), (10, "pit")] {
        assert_eq!(rows[row], text, "{rows:#?}");
    }
}

#[test]
fn hidden_parts_end_where_the_blocks_around_them_end() {
    for html in [
        "<p>one <span hidden>secret<p>two<h2>three</h2>",
        "<div>one <span hidden>secret</div><p>two<h2>three</h2>",
        "<ul><li>one <b hidden>secret<li>two</ul><h2>three</h2>",
        "<p>one <img hidden alt=secret src=x><p>two<h2>three</h2>",
        "<p>one<dl><dt hidden>secret<dt>two</dl><h2>three</h2>",
        "<p>one <sup style='display:none'>secret</sup><p>two<h2>three</h2>",
    ] {
        let rows = texts(&fitted(html, 60));
        let shown: Vec<&str> = rows
            .iter()
            .map(|row| row.trim_start_matches(['•', ' ']))
            .collect();
        let shown: Vec<&str> = shown.into_iter().filter(|row| !row.is_empty()).collect();
        assert_eq!(shown, ["one", "1 hidden line", "two", "three"], "{html}");
    }
    // What stands in a block stays with it.
    let html = "<div>one <span hidden><p>secret<p>more</p></span> two</div>three";
    let rows = texts(&fitted(html, 60));
    assert_eq!(rows, ["one two", "2 hidden lines", "three"]);
}

#[test]
fn hidden_parts_of_a_table_are_rows_below_it() {
    let html = "<table><tr><td>a<td hidden>b<td>c<tr hidden><td>d<td>e<tr><td>f<td><div hidden>g</div>h<tbody hidden>                <tr><td>i<tr><td>j</tbody><tr><td>k<td>l</table>m";
    let mut page = fitted(html, 60);
    let hidden = |count: usize| match count {
        1 => "1 hidden line",
        _ => "2 hidden lines",
    };
    let rows = texts(&page);
    assert_eq!(rows[..3], ["a  c", "f  h", "k  l"]);
    assert_eq!(rows[3..7], [1, 1, 1, 2].map(hidden));
    assert_eq!(rows[7..], ["", "m"]);
    page.toggle_blocks(0);
    let rows = texts(&page);
    assert_eq!(rows[4..6], ["b", hidden(1)]);
    assert_eq!(rows[6..8], ["d  e", hidden(1)]);
    assert_eq!(rows[8..], ["g", hidden(2), "i", "j", "", "m"]);
}

/// As GitHub writes the source of a program.
#[test]
fn code_beside_numbers_that_only_a_style_sheet_shows_keeps_its_blanks() {
    let line = |number: usize, code: &str| {
        format!(
            "<tr><td id=L{number} data-line-number={number}></td><td class=code>{code}</td></tr>\n"
        )
    };
    let lines = [
        line(1, "<span>fn</span> main() {"),
        line(2, "    let  <b>a</b> = 1;"),
        line(3, ""),
        line(10, "\tb();"),
    ];
    let html = format!("<table>{}</table>", lines.concat());
    let rows = [
        "1  fn main() {",
        "2      let  a = 1;",
        "3",
        "10         b();",
    ];
    assert_eq!(texts(&fitted(&html, 60)), rows);
    let styled = "<table><tr><td style='white-space: pre'>a  b<td>c   d</table>";
    assert_eq!(texts(&fitted(styled, 60)), ["a  b  c d"]);
}

#[test]
fn code_with_blank_lines_and_with_two_numbers_stays_beside_them() {
    let long = "x".repeat(70);
    let row = |numbers: &[&str], code: &str| {
        let numbers = numbers.iter().map(|number| match *number {
            "" => "<td></td>".to_owned(),
            number => format!("<td data-line-number={number}></td>"),
        });
        format!("<tr>{}<td>{code}</td></tr>", numbers.collect::<String>())
    };
    for blank in ["", "\n", "<br>", "&nbsp;"] {
        let rows = [
            row(&["1"], "a"),
            row(&["2"], &format!("  {long}")),
            row(&["3"], blank),
        ];
        let page = fitted(&format!("<table>{}</table>", rows.concat()), 60);
        let rows = texts(&page);
        assert_eq!(rows[..3], ["1 a", &format!("2   {long}"), "3"], "{blank:?}");
    }
    let rows = [
        row(&["1", "1"], &long),
        row(&["2", ""], "- return  0"),
        row(&["", "2"], "+ return  1"),
    ];
    let page = fitted(&format!("<table>{}</table>", rows.concat()), 60);
    let expected = [
        format!("1 1 {long}"),
        "2   - return  0".to_owned(),
        "  2 + return  1".to_owned(),
    ];
    assert_eq!(texts(&page), expected);
}

#[test]
fn columns_and_parts_of_a_table_align_their_cells() {
    let html = "<table><colgroup align=right span=2><colgroup><col><col align=center></colgroup><tbody align=right>                <tr><td>a<td>b<td>c<td>d<tr align=left><td>long a<td>long b<td>long c<td>long d                <tr><td align=left>e<td>f<td>g<td>h</table>";
    assert_eq!(
        texts(&fitted(html, 60)),
        [
            "     a       b       c    d",
            "long a  long b  long c  long d",
            "e            f       g    h",
        ]
    );
}

#[test]
fn malformed_hidden_parts_lose_no_text() {
    for html in [
        "<div hidden>a<p>b",
        "<div hidden>a<div>b</div>c</div>d",
        "<p hidden>a<p hidden>b<ul><li>c",
        "<table><tr><td><div hidden>a</div>b</table>c",
        "<div hidden><table><tr><td>a</div>b</table>c",
        "</div><div hidden>a</p></div></div>b",
        "<ul hidden><li>a</ul></ul>b<ol><li>c<div hidden>d</ol>e",
        "<div><span hidden>a</div>b<p><i hidden>c<p>d</p></p>e",
        "<tr hidden>a<td hidden>b</table>c",
        "<table><tr hidden><td>a<table><tr hidden><td>b</table>c</table>d</table>e",
        "<table><td hidden>a<tbody hidden>b</table>c",
        "<button><span hidden>a</button>b<label hidden>c<input></label>d",
    ] {
        let mut page = fitted(html, 60);
        page.toggle_blocks(0);
        let words = texts(&page).concat();
        for letter in "abcde".chars().filter(|letter| {
            html.contains(&format!(">{letter}")) || html.contains(&format!("{letter}<"))
        }) {
            assert!(
                words.contains(letter) || !html.contains(&format!(">{letter}")),
                "{html}: {words}"
            );
        }
    }
}

/// The text of a page is not many times as long as the page.
#[test]
fn table_with_long_numbers_beside_its_lines_is_not_padded_to_them() {
    let digits = "9".repeat(15_000);
    let numbers = "1\n".repeat(300);
    let code = "x\n".repeat(301);
    let wide = "y".repeat(15_000);
    let right = format!("<td align=right><pre>{code}{wide}</pre>");
    for html in [
        format!("<table><tr><td><pre>{digits}\n{numbers}</pre><td><pre>{code}</pre></table>"),
        format!("<table><tr><td><pre>1\n{numbers}</pre>{right}</table>"),
        format!(
            "<table><tr><td><pre>1</pre><td><pre>{wide}</pre>\
             <tr><td><td><pre>1\n{numbers}</pre><td><pre>{code}</pre></table>"
        ),
    ] {
        let octets: usize = texts(&fitted(&html, 80)).iter().map(String::len).sum();
        assert!(octets < 4 * html.len(), "{octets} of {}", html.len());
    }
}
