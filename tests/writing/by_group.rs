//! An author who is another one in some groups.

use geomys_demo::Demo;

use super::{ADA, says, session};

const WEATHER: &str = "[news.groups]\n\"underloam.talk.*,!*.music\" = \
    { from = \"Bea <bea@example.org>\", signature = \"\", charset = \"iso-8859-1\" }\n";

#[tokio::test(flavor = "multi_thread")]
async fn author_signature_and_charset_are_those_of_the_group() {
    let demo = Demo::start().await.unwrap();
    let settings = format!("{ADA}{WEATHER}");
    let editor = "printf 'Schön.\\n' >> \"$1\"\nsed -i 's/^Subject: *$/Subject: Grüße/' \"$1\"\n";
    let weather = session(&demo, "underloam.talk.weather", &settings, editor);
    weather.wait("of 10").await;
    weather.press("P");
    weather.wait("Post this article?").await;
    weather.wait("as Bea").await;
    weather.choose("Post it").await;
    weather.wait("Posted").await;
    weather.wait("Grüße").await;
    weather.press("g g Enter");
    weather.wait("Schön.").await;
    assert!(!weather.screen().contains("Analyst"));
    weather.press("\\");
    weather.wait("From: Bea <bea@example.org>").await;
    weather.wait("Subject: =?iso-8859-1?q?Gr=FC=DFe?=").await;
    weather.wait("charset=iso-8859-1").await;
    drop(weather);

    // Elsewhere nothing has changed.
    let elsewhere = session(
        &demo,
        "underloam.infosystems.gopher",
        &settings,
        &says("Grüße", "Schön."),
    );
    elsewhere.wait("Is a selector a path?").await;
    elsewhere.press("P");
    elsewhere.wait("as Ada").await;
    elsewhere.wait("Ada, Analyst").await;
}
