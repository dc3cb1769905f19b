//! Elements of HTML, and the rows and links that show them.

use geomys_testing::loading::texts;

use super::html::{page, targets};

/// Checks the single row of each page.
fn rows(cases: &[(&str, &str)]) {
    for (html, row) in cases {
        assert_eq!(texts(&page(html)), [*row], "{html}");
    }
}

#[test]
fn superscripts_and_subscripts_are_marked() {
    rows(&[
        ("2<sup>10</sup> = 1024", "2^10 = 1024"),
        ("x<sub>1</sub> + x<sub>n+1</sub>", "x[1] + x[n+1]"),
        ("e<sup>n + 1</sup>", "e^(n + 1)"),
        ("words<sup>[3]</sup>", "words^[3]"),
        ("the 1<sup>st</sup> and 2<sup> </sup>", "the 1st and 2"),
    ]);
    let document = page("<a href=x>a<sup>2</sup></a> b<sup><a href=y>1</a></sup> <a href=z>c</a>");
    assert_eq!(
        targets(&document),
        [
            "a^2 -> http://h.example/d/x",
            "1 -> http://h.example/d/y",
            "c -> http://h.example/d/z"
        ]
    );
}

#[test]
fn quotations_and_deleted_text_are_marked() {
    rows(&[
        ("he said <q>no</q>.", "he said \"no\"."),
        (
            "<del>old</del> <s>older</s> new",
            "[deleted: old] [deleted: older] new",
        ),
    ]);
}

#[test]
fn numbered_items_have_their_own_numbers_and_styles() {
    let list = |html: &str| {
        let texts = texts(&page(html));
        let marks = texts.iter().filter_map(|text| text.split('.').next());
        marks.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        list("<ol><li>x<li value=7>x<li>x<li value=y>x"),
        ["1", "7", "8", "9"]
    );
    assert_eq!(
        list("<ol type=a start=26><li>x<li>x<li value=0>x"),
        ["z", "aa", "0"]
    );
    assert_eq!(list("<ol type=A><li>x<li>x"), ["A", "B"]);
    assert_eq!(
        list("<ol type=i start=3><li>x<li>x<li value=1994>x"),
        ["iii", "iv", "mcmxciv"]
    );
    assert_eq!(list("<ol type=I start=4000><li>x"), ["4000"]);
}

#[test]
fn cell_over_several_rows_keeps_the_columns_below() {
    let table = "<table><tr><td rowspan=2>left<td>a1<td>b1<tr><td>a2<td>b2<tr><td>c<td rowspan=9>a3<td>b3<tr><td>d<td>b4</table>";
    assert_eq!(
        texts(&page(table)),
        [
            "left  a1  b1",
            "      a2  b2",
            "c     a3  b3",
            "d         b4"
        ]
    );
}

#[test]
fn areas_of_image_maps_are_links() {
    let map = "<map><area href=a alt='The roof'><area href='/cellar.html'><area href='#x'><area nohref></map>";
    assert_eq!(
        targets(&page(map)),
        [
            "[area: The roof] -> http://h.example/d/a",
            "[area: cellar.html] -> http://h.example/cellar.html",
            "[area: without a name] -> http://h.example/d/page.html?q#x"
        ]
    );
}

#[test]
fn page_that_leads_on_has_a_link() {
    for content in ["0; URL='next.html'", "5;url=next.html", "1, next.html"] {
        let html = format!("<meta http-equiv=Refresh content=\"{content}\">words");
        assert_eq!(
            targets(&page(html)),
            ["[this page redirects to next.html] -> http://h.example/d/next.html"]
        );
    }
    for html in [
        "<meta http-equiv=refresh content=300>",
        "<meta http-equiv=refresh content='0;url=javascript:x'>",
        "<meta name=refresh content='0;url=x'>",
    ] {
        assert!(targets(&page(html)).is_empty(), "{html}");
    }
}

#[test]
fn element_with_very_many_attributes_is_laid_out() {
    let attributes = (0..800_000)
        .map(|number| format!(" a{number}=1"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(
        texts(&page(format!("<p>before<p{attributes}>after"))),
        ["before", "", "after"]
    );
}

#[test]
fn link_with_a_picture_alone_shows_the_name_of_its_file() {
    let document = page(
        "<a href=x><img src=/i/home.gif alt=''></a> <a href=y><img src=ball.gif alt=''> Words</a> \
         <a href=z><img src=a.gif alt=' '>\n<img src=b.gif alt=''></a> <img src=c.gif alt=''>",
    );
    assert_eq!(
        targets(&document),
        [
            "[home.gif] -> http://h.example/d/x",
            "Words -> http://h.example/d/y",
            "[a.gif] -> http://h.example/d/z",
        ]
    );
}

#[test]
fn decoration_by_pictures_is_a_bullet_a_rule_or_a_space() {
    rows(&[
        ("<img src=/i/redball.gif> One", "• One"),
        ("<img src=/i/football.gif> One", "[image: football.gif] One"),
        ("<img src=/i/red-ball.gif> One", "• One"),
        ("<img src=x.gif width=14 height=14> One", "• One"),
        ("One <img src=dot.gif alt=''> two", "One two"),
        (
            "<img src=balls.gif width=200> One",
            "[image: balls.gif] One",
        ),
        ("<img src=line.gif width=500 height=10>", &"-".repeat(40)),
        ("<img src=x.gif width=600 height=3 alt=''>", &"-".repeat(40)),
        (
            "<img src=line.gif alt='The line'> One",
            "[image: The line] One",
        ),
        ("<img src=baseline.gif> One", "[image: baseline.gif] One"),
        ("<li><img src=ball.gif>One", "• One"),
        ("<a href=x><img src=line.gif></a>", "[line.gif]"),
    ]);
}

#[test]
fn spacers_indent_the_text_behind_them() {
    rows(&[
        ("<img src=s.gif width=40 height=1>Words", "    Words"),
        ("Some <img src=spacer.gif width=40>words", "Some words"),
        (
            "<a href=x><img src=s.gif width=0 height=0 alt='Skip links'></a>",
            "[Skip links]",
        ),
        (
            "<img src=s.gif width=40 height=1 alt=spacer>Words",
            "    Words",
        ),
        (
            "<img src=spacer.gif width=9000>Words",
            &format!("{}Words", " ".repeat(40)),
        ),
    ]);
    let comment = |pixels: usize, text: &str| {
        format!(
            "<tr><td><table><tr><td><img src=s.gif height=1 width={pixels}></td><td><a href=up>^</a></td>\
             <td><p>{text}</p><p>more</p></td></tr></table></td></tr>"
        )
    };
    let tree = [
        comment(40, "First"),
        comment(80, "Answer"),
        comment(120, "Deep"),
    ]
    .concat();
    let shown = texts(&page(format!("<table>{tree}</table>")));
    let indents = ["First", "Answer", "Deep"].map(|word| {
        let row = shown.iter().find(|row| row.contains(word)).unwrap();
        row.find(word).unwrap()
    });
    assert_eq!(
        [indents[1] - indents[0], indents[2] - indents[1]],
        [4, 4],
        "{shown:#?}"
    );
}

#[test]
fn formulas_are_text_in_a_line() {
    let math = |content: &str| format!("so <math> {content} </math> holds");
    let words = |content: &str| format!("so {content} holds");
    for (content, expected) in [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        (
            "<mfrac> <mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow> <mi>c</mi> </mfrac>",
            "(a+b)/c",
        ),
        (
            "<msup><mi>e</mi><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msup>",
            "e^(a+b)",
        ),
        (
            "<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn>",
            "x^2+1",
        ),
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x[i]"),
        (
            "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
            "x[i]^2",
        ),
        ("<msqrt><mn>2</mn></msqrt>", "√2"),
        ("<msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt>", "√(a+1)"),
        (
            "<mfrac><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>3</mn></mfrac>",
            "(1/2)/3",
        ),
        (
            "<semantics><mi>y</mi><annotation encoding='application/x-tex'>y</annotation></semantics>",
            "y",
        ),
        ("<mfrac><mn>1</mn>", "1/"),
        (
            "<msup><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>2</mn></msup>",
            "(1/2)^2",
        ),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑[i=0]^ni",
        ),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>",
            "[1, 2; 3, 4]",
        ),
    ] {
        assert_eq!(texts(&page(math(content))), [words(expected)], "{content}");
    }
}

/// A superscript that ends inside a formula, as no good page has it, moves what the formula knows of its line.
#[test]
fn formula_in_a_superscript_that_ends_inside_it_is_shown() {
    for inner in ["msub", "msup", "mfrac", "mroot", "msqrt", "msubsup"] {
        for outer in ["sup", "sub"] {
            let html = format!(
                "<{outer}>x<math><{inner}><mi>a→</mi><mi>y</{outer}></mi><mi>→z</mi></{inner}></math>"
            );
            let text = texts(&page(&html)).concat();
            assert!(text.contains("a→"), "{html}: {text}");
        }
    }
    rows(&[
        (
            "<sup>x<math><msub><mi>a→</mi><mi>y</sup></mi></msub></math>",
            "^(xa→[y)]",
        ),
        ("<sup>1 <kbd>k→</sup></kbd>", "^(1 k→)"),
    ]);
}
