//! Forms of pages: their fields, and the requests that send the answers.

use std::sync::Arc;

use geomys_load::{FormAnswers, FormKind, PostedAnswers, Purpose, Question, Reason, Request};
use geomys_page::document::{
    Document, FieldAnswer, FormMethod, LinkForm, Shape, WebFieldKind, WebForm, WebWidget,
};
use geomys_testing::loading::{carry_out, texts, url};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;
use geomys_wire::text::{Charset, CharsetSetting};

use super::html::page;

const FORM: &str = "<form action='/send' method=POST>Name: <input name=n value='Ada'><input type=hidden name=h value='1&amp;2'>\
    <input type=password name=p placeholder='your key'><input type=checkbox name=c value=yes checked>\
    <input type=radio name=r value=a><input type=radio name=r value=b checked>\
    <select name=s><option>One<option value=2 selected>Two</select><select name=m multiple><option value=x>X<option>Y</select>\
    <textarea name=t>\nfirst\nsecond</textarea><input name=off disabled><input type=file name=f>\
    <input type=submit name=go value=Send><button name=no>No</button><input type=reset name=z></form>";

fn form(html: &str) -> Arc<WebForm> {
    let document = page(html);
    let links = (0..document.count()).flat_map(|row| document.links(row));
    let mut forms = links.filter_map(|link| match link.form {
        Some(LinkForm::Web(form)) => Some(form),
        Some(LinkForm::Input) | None => None,
    });
    forms.next().unwrap()
}

fn text(words: &str) -> FieldAnswer {
    FieldAnswer::Text(words.to_owned())
}

#[test]
fn fields_of_a_form_have_their_kinds_and_defaults() {
    let form = form(FORM);
    assert_eq!(form.method, FormMethod::Post);
    assert!(form.has_secret());
    let fields: Vec<_> = form.shown().collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["n", "p", "c", "r", "s", "m", "m", "t", "f", ""]);
    assert_eq!(
        (fields[0].hint.as_str(), fields[1].hint.as_str()),
        ("Name:", "your key")
    );
    assert_eq!(fields[0].kind, WebFieldKind::Line("Ada".to_owned()));
    let WebFieldKind::Choice(choices, chosen) = &fields[4].kind else {
        panic!("{:?}", fields[4]);
    };
    let choices: Vec<_> = choices
        .iter()
        .map(|choice| (choice.label.as_str(), choice.value()))
        .collect();
    assert_eq!((choices, *chosen), (vec![("One", "One"), ("Two", "2")], 1));
    assert_eq!(
        fields[7].kind,
        WebFieldKind::Lines("first\nsecond".to_owned())
    );
}

#[test]
fn fields_and_buttons_stand_where_they_are() {
    let cases: [(&str, &[&str]); 13] = [
        (
            "<form>Find <input name=q value='default words'> <input type=radio name=m value=e checked> exact \
             <input type=radio name=m value=f> fuzzy <input type=submit value='Go now'></form>",
            &["Find [default words_] (*) exact ( ) fuzzy [Go now]"],
        ),
        // A button has the name that it shows.
        (
            "<form><input name=q size=4><button name=b value=1>Look <b>up</b></button><input type=submit></form>",
            &["[____][Look up][Submit]"],
        ),
        (
            "<form><input name=q size=4><input type=image src=/go.png alt=Go></form>",
            &["[____][Go]"],
        ),
        (
            "<form><input name=q size=4><button><div>Look</div></button><button value=1 aria-label=Help><svg></svg></button></form>",
            &["[____][Look][Help]"],
        ),
        // A form without a button has one.
        ("<form><input name=q size=4></form>", &["[____] [Send]"]),
        // Fields outside of a form, and labels around boxes.
        (
            "<p>Name: <input size=5 name=n value=Ada> <label><input type=checkbox name=c checked> yes</label>",
            &["Name: [Ada__] [x] yes"],
        ),
        (
            "<p>Key: <input type=password size=5 value=abc>",
            &["Key: [***__]"],
        ),
        (
            "<form>Size <select name=s><option>Small<option selected>Large size</select> <button>Go</button></form>",
            &["Size [Large size_] [Go]"],
        ),
        (
            "<form><select name=s multiple><option>One<option selected>Two</select> <button>Go</button></form>",
            &["[ ] One [x] Two [Go]"],
        ),
        // The lines of a text.
        (
            "<form>Words:<textarea name=t rows=3 cols=6>\none two three\nfour</textarea><button>Go</button></form>",
            &["Words:", "[one tw]", "[four__]", "[______]", "[Go]"],
        ),
        // A form in a table, also where its elements are not nested.
        (
            "<table><form><tr><td>Name<td><input name=n size=8 value='A B'><tr><td>Key<td><input name=k size=8></form></table>",
            &["Name  [A B_____]", "Key   [________] [Send]"],
        ),
        // What is hidden is not shown; what is disabled is.
        (
            "<form>A<input type=hidden name=h><input name=d disabled size=3>B<button>Go</button></form>",
            &["A[___]B[Go]"],
        ),
        (
            "<p>Above<form id=f action=/f></form><p><input name=late form=f size=3>",
            &["Above", "", "[___]"],
        ),
    ];
    for (html, rows) in cases {
        assert_eq!(texts(&page(html)), rows, "{html}");
    }
}

/// The parts of forms in a page, with the targets of their forms.
fn widgets(document: &Document) -> Vec<(WebWidget, String)> {
    let links = (0..document.count()).flat_map(|row| document.links(row));
    let widgets = links.filter_map(|link| Some((link.widget?, link.target.ok()?.to_string())));
    widgets.collect()
}

#[test]
fn field_belongs_to_the_form_that_it_names() {
    let page = page(
        "<input name=before form=b><form id=a action=/a><input name=q><input name=r form=b></form><form id=b action=/b></form>\
         <input name=outside>",
    );
    let mut targets: Vec<String> = widgets(&page).into_iter().map(|(_, to)| to).collect();
    targets.dedup();
    let of = |path: &str| format!("http://h.example{path}");
    let own = of("/d/page.html?q");
    assert_eq!(
        targets,
        [of("/b"), of("/a"), of("/b"), of("/a"), of("/b"), own]
    );
}

#[test]
fn label_is_the_text_beside_its_button_or_box() {
    let form = form(
        "<form><input type=radio name=r value=1> exact <b>words</b><br><input type=radio name=r value=2>fuzzy\
         <input type=checkbox name=c value=x> with <i>case</i><input type=radio name=r value=3><button>Go</button></form>",
    );
    let fields: Vec<_> = form.shown().collect();
    let WebFieldKind::Choice(choices, _) = &fields[0].kind else {
        panic!("{fields:?}");
    };
    let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["exact words", "fuzzy", "3"]);
    assert_eq!(fields[1].hint, "with case");
}

#[test]
fn select_without_a_name_is_no_button() {
    let form = form(
        "<form><select><option>One<option>Two</select><button name=b value=1>Go</button></form>",
    );
    assert_eq!(form.shown().count(), 1);
    let pairs = form.pairs(&[FieldAnswer::Choice(1)]);
    assert_eq!(pairs, [("b".to_owned(), "1".to_owned())]);
}

#[test]
fn answers_are_shown_where_the_fields_are() {
    let mut page = page(
        "<form>Q <input name=q size=6> <input type=checkbox name=c> c <input type=radio name=r> a <input type=radio name=r> b\
         <textarea name=t rows=2 cols=4></textarea><button>Go</button></form>",
    );
    let parts = widgets(&page);
    let of = |number: usize| parts[number].0;
    assert!(page.answer(of(0), text("longer words"), Some((0, 12))));
    assert!(page.answer(of(1), FieldAnswer::Check(true), None));
    assert!(page.answer(of(3), FieldAnswer::Choice(1), None));
    assert!(page.answer(of(4), text("one\ntwo\nthree"), Some((2, 0))));
    assert!(!page.answer(of(1), text("no text"), None));
    // The part around the cursor is shown, and the width stays.
    assert_eq!(
        texts(&page),
        ["Q [words_] [x] c ( ) a (*) b", "[two_]", "[thre]", "[Go]"]
    );
    let carets: Vec<Option<usize>> = (0..3).map(|row| page.row(row).unwrap().caret).collect();
    assert_eq!(carets, [Some(8), None, Some(1)]);
    // The answers and the cursor remain where the page is laid out again.
    page.set_columns(40);
    let again = page.clone().laid_out();
    page.adopt_layout(&again);
    let row = page.row(0).unwrap();
    assert_eq!(row.text(), "Q [words_] [x] c ( ) a (*) b");
    assert_eq!(row.caret, Some(8));
    page.answer(of(0), text("longer words"), None);
    assert_eq!(page.row(0).unwrap().text(), "Q [longer] [x] c ( ) a (*) b");
}

#[test]
fn text_that_is_too_long_to_edit_is_sent_as_it_is() {
    let value = "x".repeat(20_000);
    let form = form(&format!(
        "<form><input name=a value={value}><textarea name=b>\n{value}</textarea><input name=c></form>"
    ));
    assert_eq!(form.shown().count(), 1);
    let pairs = form.pairs(&[text("y")]);
    let lengths: Vec<usize> = pairs.iter().map(|(_, value)| value.len()).collect();
    assert_eq!(lengths, [20_000, 20_000, 1]);
}

#[test]
fn answers_are_encoded_with_the_hidden_fields() {
    let form = form(FORM);
    let pairs = form.pairs(&[
        text("Ä b"),
        text(""),
        FieldAnswer::Check(false),
        FieldAnswer::Choice(0),
        FieldAnswer::Choice(0),
        FieldAnswer::Check(true),
        FieldAnswer::Check(true),
        text("x\r\ny"),
        FieldAnswer::Nothing,
        FieldAnswer::Choice(1),
    ]);
    assert_eq!(
        form.query(&pairs),
        "n=%C3%84+b&h=1%262&p=&r=a&s=One&m=x&m=Y&t=x%0D%0Ay&no="
    );
    assert_eq!(form.body(&pairs).0, "application/x-www-form-urlencoded");
}

#[test]
fn multipart_body_has_a_boundary_that_no_value_has() {
    let form = form("<form method=post enctype=multipart/form-data><input name='a\"b'></form>");
    let (media, body) = form.body(&form.pairs(&[text("geomys-0")]));
    assert_eq!(media, "multipart/form-data; boundary=geomys-1");
    assert_eq!(
        String::from_utf8(body).unwrap(),
        "--geomys-1\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\ngeomys-0\r\n--geomys-1--\r\n"
    );
}

#[test]
fn plain_body_is_a_line_for_each_answer() {
    let form = form(
        "<form method=post enctype=text/plain><input name=a><input name=b type=hidden value=2></form>",
    );
    let (media, body) = form.body(&form.pairs(&[text("x y&z")]));
    assert_eq!(media, "text/plain");
    assert_eq!(String::from_utf8(body).unwrap(), "a=x y&z\r\nb=2\r\n");
}

#[test]
fn button_that_is_a_picture_sends_a_point_of_it() {
    for (html, query) in [
        ("<input type=image name=im src=x>", "a=1&im.x=0&im.y=0"),
        ("<input type=image src=x value=v>", "a=1&x=0&y=0"),
        (
            "<input type=image name=im src=x><input type=submit name=s value=v>",
            "a=1&im.x=0&im.y=0",
        ),
        ("<input type=submit name=s value=v>", "a=1&s=v"),
    ] {
        let form = form(&format!(
            "<form><input type=hidden name=a value=1>{html}</form>"
        ));
        assert_eq!(form.query(&form.pairs(&[])), query, "{html}");
    }
}

#[test]
fn searchable_index_sends_its_words_as_the_query() {
    let document = page("<isindex prompt='Find a word:'>");
    assert_eq!(
        document.row(0).unwrap().text(),
        "Find a word: [____________________] [Send]"
    );
    let form = form("<isindex action=/find>");
    let pairs = form.pairs(&[text("one & two")]);
    assert_eq!(form.query(&pairs), "one+%26+two");
    assert_eq!(
        page("<isindex>").row(0).unwrap().text(),
        "This is a searchable index. Enter search keywords: [____________________] [Send]"
    );
}

#[test]
fn searchable_index_in_a_form_is_no_form_of_its_own() {
    let document = page("<form action=/a><input name=q><isindex><input name=r></form>");
    assert_eq!(
        document.row(0).unwrap().text(),
        "[____________________][____________________] [Send]"
    );
    let form = form("<form action=/a><input name=q><isindex prompt=x><input name=r></form>");
    let pairs = form.pairs(&[text("one"), text("two")]);
    assert_eq!(form.query(&pairs), "q=one&r=two");
}

#[test]
fn empty_field_shows_its_placeholder_until_it_is_edited() {
    let mut document = page("<form><input name=q placeholder='Search  here' size=14></form>");
    let shown = |document: &Document| document.row(0).unwrap().text();
    assert_eq!(shown(&document), "[Search here___] [Send]");
    let (widget, _) = widgets(&document).remove(0);
    document.answer(widget, FieldAnswer::Text(String::new()), Some((0, 0)));
    assert_eq!(shown(&document), "[______________] [Send]");
    document.answer(widget, text("x"), None);
    assert_eq!(shown(&document), "[x_____________] [Send]");
    assert_eq!(
        form("<form><input name=q placeholder=p></form>").query(&[]),
        ""
    );
}

#[test]
fn text_of_several_lines_is_as_wide_as_the_pane_and_found() {
    let html = "<form><textarea name=t rows=3 cols=200>\nThe first line\nsecond</textarea></form>";
    let document = page(html);
    let rows = texts(&document);
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(rows[0].len(), 80, "{rows:?}");
    // A page that is printed has all of it.
    let lines = (0..99).map(|line| format!("line {line} {}\n", "word ".repeat(40)));
    let long = lines.collect::<Vec<_>>().concat();
    let mut printed =
        Document::new(url("http://h/"), Shape::Html, CharsetSetting::default()).for_output();
    printed.append(format!("<form><textarea name=t>{long}</textarea></form>").as_bytes());
    let printed = texts(&printed.finished()).join("\n");
    assert_eq!(printed.matches("word").count(), 99 * 40);
}

#[test]
fn text_that_nobody_edits_is_a_wrapped_text() {
    let html = "<form><textarea name=t readonly cols=5>\nThe agreement\n\nof all</textarea><input name=q></form>";
    assert_eq!(
        texts(&page(html)),
        [
            "The agreement",
            "",
            "of all",
            "[____________________] [Send]"
        ]
    );
    let form = form(html);
    assert_eq!(
        form.query(&form.pairs(&[text("x")])),
        "t=The+agreement%0A%0Aof+all&q=x"
    );
    let disabled = "<form><textarea name=t disabled>Off</textarea><input name=q></form>";
    assert_eq!(
        texts(&page(disabled)),
        ["Off", "[____________________] [Send]"]
    );
}

/// The query of a form of a page in this charset, for this answer.
fn query(page: &[u8], charset: &str, answer: &str) -> String {
    let charset = Charset::named(charset).unwrap();
    let mut document = Document::new(url("http://h/"), Shape::Html, CharsetSetting::Set(charset));
    document.append(page);
    let document = document.finished();
    let mut links = (0..document.count()).flat_map(|row| document.links(row));
    let form = links.find_map(|link| link.form);
    let Some(LinkForm::Web(form)) = form else {
        panic!("no form");
    };
    form.query(&form.pairs(&[text(answer)]))
}

#[test]
fn answers_are_in_the_charset_of_the_form_or_of_its_page() {
    let field = "<form><input name=q></form>";
    let named = "<form accept-charset='x-unknown koi8-r, utf-8'><input name=q></form>";
    let koi = [&b"\xe4\xe1 "[..], field.as_bytes()].concat();
    let wide: Vec<u8> = field.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&[u8], &str, &str, &str); 7] = [
        // The form names a charset; a character that it does not have is a reference.
        (named.as_bytes(), "utf-8", "да", "q=%C4%C1"),
        (named.as_bytes(), "utf-8", "é", "q=%26%23233%3B"),
        // Otherwise the page's, declared or seen in its octets.
        (&koi, "koi8-r", "да", "q=%C4%C1"),
        (field.as_bytes(), "koi8-r", "да", "q=%C4%C1"),
        (field.as_bytes(), "windows-1252", "да", "q=%D0%B4%D0%B0"),
        (
            "да <form><input name=q>".as_bytes(),
            "koi8-r",
            "да",
            "q=%D0%B4%D0%B0",
        ),
        // UTF-16 is never sent.
        (&wide, "utf-16le", "é", "q=%C3%A9"),
    ];
    for (page, charset, answer, sent) in cases {
        assert_eq!(query(page, charset, answer), sent, "{charset} {answer}");
    }
}

#[test]
fn field_for_the_charset_has_its_name() {
    let page = "<form accept-charset=koi8-r method=post><input type=hidden name=_charset_><input name=q></form>";
    let form = form(page);
    let (_, body) = form.body(&form.pairs(&[text("да")]));
    assert_eq!(body, b"_charset_=KOI8-R&q=%C4%C1");
}

fn post(address: String) -> Request {
    let posted = PostedAnswers {
        media: "application/x-www-form-urlencoded".to_owned(),
        octets: b"n=Ada".to_vec(),
        ..PostedAnswers::default()
    };
    Request {
        answers: FormAnswers::Posted(posted),
        ..Request::show(url(address), Reason::Typed)
    }
}

fn answer(request: &HttpRequest) -> Vec<u8> {
    let is_post = request.head.starts_with("POST");
    let to = |status: &str, path: &str| {
        format!("HTTP/1.1 {status} x\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    };
    match (request.path(), is_post) {
        ("/303", true) => to("303", "/303"),
        ("/307", true) => to("307", "/other"),
        ("/file", true) => ok("Content-Type: image/png\r\n", "x"),
        ("/", _) => ok(
            "Content-Type: text/html\r\n",
            "<p>Start<form method=post action=/send><input name=n></form><form action='/find?old'><input name=q></form>",
        ),
        (path, _) => {
            let body = format!("<p>{path} has {}", request.body);
            ok("Content-Type: text/html\r\n", body)
        }
    }
}

#[tokio::test]
async fn form_is_asked_for_without_a_request() {
    let web = Web::start(answer).await;
    let fill = |purpose| Request {
        purpose,
        answers: FormAnswers::Fill(LinkForm::Web(form(FORM))),
        ..Request::show(url(web.url("/send")), Reason::Typed)
    };
    let Question::Form(asked) = carry_out(&Net::default(), fill(Purpose::Show))
        .await
        .question()
    else {
        panic!("no form");
    };
    assert!(matches!(asked.kind, FormKind::Web(_)));
    carry_out(&Net::default(), fill(Purpose::Save))
        .await
        .failure();
    assert!(web.take_lines().is_empty());
}

#[tokio::test]
async fn answers_are_posted_once() {
    let web = Web::start(answer).await;
    let net = Net::default();
    let loaded = carry_out(&net, post(web.url("/send"))).await.whole();
    assert_eq!(loaded.octets, b"<p>/send has n=Ada");
    let sent = web.take_requests().pop().unwrap();
    assert_eq!(
        sent.field("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    assert_eq!(
        (sent.field("content-length"), sent.body.as_str()),
        (Some("5"), "n=Ada")
    );
    // After a redirect the page is requested, even under the same URL.
    let loaded = carry_out(&net, post(web.url("/303"))).await.whole();
    assert_eq!(loaded.octets, b"<p>/303 has ");
    assert_eq!(web.take_lines(), ["POST /303", "GET /303"]);
    let failure = carry_out(&net, post(web.url("/307"))).await.failure();
    assert!(
        failure.sentence.contains("redirects the form there"),
        "{failure:?}"
    );
    let failure = carry_out(&net, post(web.url("/file"))).await.failure();
    assert_eq!(failure.sentence, "the reply to the form is an image");
    assert_eq!(web.take_lines(), ["POST /307", "POST /file"]);
    assert!(!format!("{:?}", post(web.url("/"))).contains("Ada"));
}

/// What was sent has arrived: an error would make somebody send it again.
#[tokio::test]
async fn page_that_does_not_come_after_a_form_is_no_error() {
    for (location, reason) in [("/gone", "404"), ("gopher://h.example/", "only web pages")] {
        let web = Web::start(move |request| match request.path() {
            "/send" => {
                let head = format!("HTTP/1.1 303 See Other\r\nLocation: {location}\r\n");
                [head.as_bytes(), b"Content-Length: 0\r\n\r\n"].concat()
            }
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        })
        .await;
        let page = carry_out(&Net::default(), post(web.url("/send")))
            .await
            .whole();
        let text = String::from_utf8(page.octets).unwrap();
        assert!(text.starts_with("Sent; the page "), "{text}");
        assert!(text.contains(reason), "{text}");
        // A page that was only requested is missing.
        let get = Request::show(url(web.url("/send")), Reason::Typed);
        carry_out(&Net::default(), get).await.failure();
    }
}

/// The page tells what is wrong with what was sent.
#[tokio::test]
async fn page_of_an_error_after_a_form_is_shown() {
    let web = Web::start(|request| match request.path() {
        "/send" => {
            b"HTTP/1.1 303 See Other\r\nLocation: /form\r\nContent-Length: 0\r\n\r\n".to_vec()
        }
        _ => b"HTTP/1.1 422 No\r\nContent-Type: text/html\r\nContent-Length: 19\r\n\r\n<p>The name is used"
            .to_vec(),
    })
    .await;
    let request = Request {
        is_attended: true,
        ..post(web.url("/send"))
    };
    let failure = carry_out(&Net::default(), request).await.failure();
    assert_eq!(failure.page.unwrap().octets, b"<p>The name is used");
}
