//! Reading of JSON Feed 1.0 and 1.1.
//!
//! ```text
//! feed = { "version", "title", "home_page_url", "description", "items": [ item ] }
//! item = { "id", "url", "external_url", "title", "content_html", "content_text", "summary",
//!          "date_published", "date_modified", "attachments": [ { "url" } ] }
//! ```
//!
//! A feed that has not arrived whole has no items. Identifiers may be numbers.

use serde_json::Value;

use super::{Feed, Field, ITEMS, Item, escaped};

/// Reads a feed.
pub(super) fn read(feed: &str) -> Feed {
    let Ok(value) = serde_json::from_str::<Value>(feed) else {
        return Feed::default();
    };
    let mut head = Item::default();
    set(&mut head, &value, "title", Field::Title, escaped);
    set(
        &mut head,
        &value,
        "home_page_url",
        Field::Link,
        str::to_owned,
    );
    set(&mut head, &value, "description", Field::Subtitle, escaped);
    let items = value.get("items").and_then(Value::as_array);
    let items = items.into_iter().flatten();
    Feed {
        head,
        cut: (items.clone().count() > ITEMS).then_some(feed.len()),
        items: items.take(ITEMS).map(item).collect(),
    }
}

fn item(value: &Value) -> Item {
    let mut item = Item::default();
    for (key, field) in [
        ("id", Field::Id),
        ("url", Field::Link),
        ("external_url", Field::Link),
        ("date_published", Field::Published),
        ("date_modified", Field::Modified),
        ("content_html", Field::Encoded),
    ] {
        set(&mut item, value, key, field, str::to_owned);
    }
    for (key, field) in [
        ("title", Field::Title),
        ("content_text", Field::Content),
        ("summary", Field::Summary),
    ] {
        set(&mut item, value, key, field, escaped);
    }
    let attachments = value.get("attachments").and_then(Value::as_array);
    let attachments = attachments.into_iter().flatten();
    let urls = attachments.filter_map(|attachment| attachment.get("url")?.as_str());
    item.enclosures = urls.map(str::to_owned).collect();
    item
}

/// Sets a field to the value of a key.
fn set(item: &mut Item, value: &Value, key: &str, field: Field, form: fn(&str) -> String) {
    match value.get(key) {
        Some(Value::String(text)) => item.set(field, form(text)),
        Some(Value::Number(number)) => item.set(field, number.to_string()),
        _ => {}
    }
}
