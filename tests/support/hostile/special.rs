//! Pages that are expensive for one format only.

use std::fmt::Write as _;

use geomys_page::document::{ListingPlace, Shape};
use geomys_wire::protocol::ftp::listing::Format;
use geomys_wire::text::Text;

use super::pages::TODAY;
use super::{End, HostilePage};

/// Pages of one format: with `count` links, rows or elements each, and long parts of `length` octets.
#[expect(clippy::too_many_lines, reason = "a table")]
pub fn special(count: usize, length: usize) -> Vec<HostilePage> {
    let html = |name, octets: String| {
        HostilePage::new(name, "http://h/x", Shape::Html, octets.into_bytes())
    };
    let links = "<a href=x>y</a> ".repeat(count);
    let long = "a".repeat(length);
    let redirected = HostilePage::new(
        "HTML, redirected to a long URL",
        &format!("http://h/{long}/"),
        Shape::Html,
        links.clone().into_bytes(),
    );
    let mut mirrors = String::from("1x\t/x\th\t70\r\n");
    let mut names = String::new();
    let mut folded = String::new();
    for number in 0..count {
        write!(mirrors, "+x\t/{number}\th\t70\r\n").unwrap();
        writeln!(names, "1{:900}\t/{number}\th\t70\r", "x").unwrap();
        writeln!(
            folded,
            "{number}\tx\ta@b\t1 Jan 1994\t<{number}@b>\t<0@b>\t5\t5\r"
        )
        .unwrap();
    }
    let listing = Shape::Listing {
        format: Some(Format::Facts),
        today: TODAY,
        place: ListingPlace::Server,
    };
    let mut remark = HostilePage::new(
        "listing, remark",
        "ftp://h/x/",
        listing,
        b"type=file; a\r\n".to_vec(),
    );
    remark.remark = Some(
        format!("{}\n", "http://h/[ ".repeat(length / 11))
            .repeat(200)
            .into_bytes(),
    );
    let mut failure = HostilePage::new(
        "failure, words of the server",
        "gopher://h/1/x",
        Shape::Menu,
        Vec::new(),
    );
    let said = Text::new(
        "e\u{301} ".repeat(length / 4).as_bytes(),
        geomys_wire::text::Charset::default(),
    );
    failure.end = End::Failed(vec![said; 200]);
    let mut form = HostilePage::new(
        "form, questions",
        "gopher://h/1/x%09%09%3F",
        Shape::Menu,
        Vec::new(),
    );
    // A form has 128 KiB at most.
    let question = format!("Choose: {}\tA\tB", "e\u{301} ".repeat(length / 4));
    form.end = End::Form(vec![question.into_bytes(); 2]);
    let mut choices = HostilePage::new(
        "form, choices",
        "gopher://h/1/x%09%09%3F",
        Shape::Menu,
        Vec::new(),
    );
    let question = format!("Choose: a{}", "\tword".repeat(length / 5));
    choices.end = End::Form(vec![question.into_bytes(); 2]);
    vec![
        html(
            "HTML, a long base",
            format!("<base href=\"http://h/{}/\">{links}", "a".repeat(length)),
        ),
        html(
            "HTML, a base of 8 kB",
            format!("<base href=\"http://h/{}/\">{links}", "a".repeat(8000)),
        ),
        redirected,
        html("HTML, links in one row", "<a href=x>y</a>".repeat(count)),
        html(
            "HTML, links of 60 kB",
            format!("<a href=\"{long}\">y</a> ").repeat(100),
        ),
        html(
            "HTML, faulty links of 8 kB",
            format!("<a href=\"{}\">y</a> ", "[".repeat(length.min(8000))).repeat(count / 10),
        ),
        html("HTML, one long word", "x".repeat(count * 10)),
        html("HTML, deep", "<ul><li>".repeat(count)),
        html("HTML, tables in tables", "<table><tr><td>".repeat(count)),
        html(
            "HTML, cells",
            format!("<table>{}</table>", "<tr><td>a<td>b".repeat(count)),
        ),
        html(
            "HTML, marks",
            format!("<p>{}", "e\u{301}".repeat(count * 3)),
        ),
        html(
            "HTML, an item of a list",
            format!("<ol start={}>{}", i64::MAX, "<li>".repeat(count)),
        ),
        HostilePage::new(
            "menu, many mirrors",
            "gopher://h/1/x",
            Shape::Menu,
            mirrors.into_bytes(),
        ),
        HostilePage::new(
            "menu, long names",
            "gopher://h/1/x",
            Shape::Menu,
            names.into_bytes(),
        ),
        HostilePage::new(
            "overview, one thread",
            "nntp://h/g",
            Shape::Group,
            folded.into_bytes(),
        ),
        HostilePage::text("text, many blank lines", "\n".repeat(count * 100)),
        HostilePage::text(
            "text, no link in many lines",
            format!("{}\n", "a:".repeat(500)).repeat(count),
        ),
        HostilePage::new(
            "article, headers",
            "nntp://h/g/5",
            Shape::Article,
            format!(
                "{}\r\nx\r\n",
                format!("Subject: {}\r\n", "=?utf-8?q?=C3=A9?= ".repeat(length / 20)).repeat(100)
            )
            .into_bytes(),
        ),
        HostilePage::new(
            "article, references",
            "nntp://h/g/5",
            Shape::Article,
            format!("References: {}\r\n\r\nx\r\n", "<a@b> ".repeat(length / 6)).into_bytes(),
        ),
        HostilePage::new(
            "article, groups",
            "nntp://h/g/5",
            Shape::Article,
            format!("Newsgroups: {}\r\n\r\nx\r\n", "a.b,".repeat(length / 4)).into_bytes(),
        ),
        remark,
        failure,
        form,
        choices,
    ]
}
