//! The outline of a page: the headings of gemtext and of the Web, in a list that goes to one.

use geomys::ui::window_title;
use geomys_demo::Demo;
use geomys_page::document::{Document, Shape};
use geomys_testing::loading::url;
use geomys_wire::text::CharsetSetting;

use crate::support::screen::{Browser, Session};

fn outline(html: &str) -> Vec<(usize, String)> {
    let here = url("http://h.example/");
    let mut document = Document::new(here, Shape::Html, CharsetSetting::Detected);
    document.append(html.as_bytes());
    let document = document.finished();
    let entries = document.outline().into_iter();
    entries
        .map(|entry| {
            let row = document.row(entry.row).unwrap().text();
            assert_eq!(row.trim(), entry.text.as_str());
            (entry.level, entry.text.to_string())
        })
        .collect()
}

#[test]
fn headings_of_the_web_have_their_levels() {
    let html = "<h1>One</h1><p>words<h2>Two <a href=x>and</a> more</h2><h6>Six</h6><h3></h3>\
        <table><tr><th>no heading</th></tr></table><ul><li><h4>In a list</h4></ul>";
    let expected = [
        (1, "One".to_owned()),
        (2, "Two and more".to_owned()),
        (6, "Six".to_owned()),
    ];
    let found = outline(html);
    assert_eq!(found[..3], expected);
    assert_eq!(found.len(), 4);
    assert!(found[3].1.ends_with("In a list"), "{found:?}");
    assert_eq!(outline("<p>words"), []);
}

#[test]
fn headings_in_tables_are_in_the_outline_once() {
    let long = "A heading of many words that is wrapped in its narrow column";
    // In columns, with a long heading, below each other, and beside each other.
    for (html, expected) in [
        (
            "<tr><td>a<td><h2>Two</h2><tr><td>b<td>c".to_owned(),
            vec![(2, "a  Two")],
        ),
        (
            format!("<tr><td><h2>{long}</h2><td>many other words beside it<tr><td>b<td>c"),
            vec![(2, "A heading of many words that")],
        ),
        (
            "<tr><td><h1>One</h1><p>words<tr><td><h3>Three</h3>".to_owned(),
            vec![(1, "One"), (3, "Three")],
        ),
        (
            "<tr><td>a<td><h2>Two</h2><td><table><tr><td>b</table>".to_owned(),
            vec![(2, "a  Two  b")],
        ),
    ] {
        let found = outline(&format!("<table>{html}</table>"));
        let found: Vec<(usize, &str)> = found
            .iter()
            .map(|(level, text)| (*level, text.as_str()))
            .collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((level, text), (expected, start)) in found.iter().zip(expected) {
            assert_eq!(*level, expected, "{found:?}");
            assert!(text.starts_with(start), "{found:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn heading_is_found_by_its_letters_and_enter_goes_there() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 24);
    session.press("o");
    session.type_in(&format!("gemini://{}/", demo.addresses.gemini));
    session.press("Enter");
    session.wait("The observatory of Underloam").await;
    session.press("g h");
    session.wait("Headings").await;
    session.wait("Doors that are odd").await;
    insta::assert_snapshot!(
        "outline",
        session
            .screen()
            .replace(&demo.addresses.gemini.to_string(), "HOST")
    );
    session.type_in("doors");
    session.press("Enter");
    session.wait("Only for those with a key").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_without_headings_says_so() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24);
    session.press("o");
    session.type_in(&format!("nex://{}/", demo.addresses.nex));
    session.press("Enter");
    session.wait("Not a heading").await;
    session.press("g h");
    session.wait("No headings on this page").await;
    session.press("g f");
    session.wait("No preformatted blocks on this page").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_heading_of_gemtext_is_the_title_everywhere() {
    let demo = Demo::start().await.unwrap();
    let title = "The observatory of Underloam";
    let url = format!("gemini://{}/", demo.addresses.gemini);
    // The page has no bookmark yet.
    let session = Browser::new()
        .demo(&demo)
        .bookmarks(
            "Another <URL:gemini://h.example/>
",
        )
        .size((120, 30))
        .open(&url)
        .start();
    session.wait(&format!("{title} ━")).await;
    session.press("a");
    session.wait("New bookmark").await;
    let form = session.dialog();
    assert!(form.contains(title), "{form}");
    session.press("Esc q");
    let ended = session.end().await;
    assert_eq!(ended.app.page().unwrap().title.as_str(), title);
    assert_eq!(window_title(&ended.app), format!("{title} - Geomys"));
    let history = std::fs::read_to_string(ended.profile.path().join("history.jsonl")).unwrap();
    let visit = history.lines().find(|line| line.contains(&url)).unwrap();
    assert!(visit.contains(title), "{visit}");
}
