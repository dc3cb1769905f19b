//! The JSON of the commands: one object a line, with one shape of each field in all of them.

use serde_json::{Value, json};

use super::command::Profile;

const LIST: &str = "\
One <URL:gopher://h.example/>
# Work
## Old holes
Two <URL:GOPHER://h.example:70> #x
Bad <URL:ftp://ada:secret@h.example/a b>
";

/// The section of the manual that names the type of each field.
const MANUAL: &str = include_str!("../../assets/manual/scripts.md");

/// Returns the type that the manual gives to a field.
fn type_of(name: &str) -> &'static str {
    let (_, section) = MANUAL.split_once("## JSON of bookmarks").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let field = format!("`{name}`");
    let rows = section.lines().filter_map(|line| line.strip_prefix("- "));
    let mut rows = rows.filter_map(|row| row.split_once(": "));
    let row = rows.find(|(_, names)| names.split(", ").any(|named| named == field));
    row.map_or("nothing", |(of_type, _)| of_type)
}

fn is_of_its_type(name: &str, value: &Value) -> bool {
    let is_text = |value: &Value| value.is_string();
    match type_of(name) {
        "number" => value.is_u64(),
        "number or null" => value.is_null() || value.is_u64(),
        "true or false" => value.is_boolean(),
        "text" => is_text(value),
        "text or null" => value.is_null() || is_text(value),
        "list of texts" => value
            .as_array()
            .is_some_and(|names| names.iter().all(is_text)),
        "list" => value.is_array(),
        "object" if name == "into" => value.as_object().is_some_and(|inner| {
            inner
                .iter()
                .all(|(name, value)| is_of_its_type(name, value))
        }),
        "object" => value.is_object(),
        "object or null" => value.is_null() || value.is_object(),
        _ => false,
    }
}

fn objects(profile: &Profile, arguments: &[&str], input: &str) -> Vec<Value> {
    let (_, out, said) = profile.fed(arguments, input);
    let objects: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!objects.is_empty(), "{arguments:?}: {said}");
    assert!(!out.contains("secret"), "{out}");
    for object in &objects {
        for (name, value) in object.as_object().unwrap() {
            assert!(
                is_of_its_type(name, value),
                "{arguments:?}: {name} is {value}"
            );
        }
    }
    objects
}

#[test]
fn fields_have_one_shape_in_every_object() {
    let profile = Profile::new(LIST);
    let listed = objects(&profile, &["list", "--json"], "");
    assert_eq!(listed[1]["folder"], json!(["Work", "Old holes"]));
    let checked = objects(&profile, &["check", "--json", "is:fault"], "");
    assert_eq!(checked[0]["folder"], json!(["Work", "Old holes"]));
    let merged = objects(&profile, &["merge", "--json", "--dry-run"], "");
    assert_eq!(merged[0]["title"], "Two");
    assert_eq!(
        merged[0]["into"],
        json!({"line": 1, "title": "One", "url": "gopher://h.example/", "folder": []})
    );
    let repaired = objects(
        &profile,
        &["repair", "--json", "--matching", "is:fault"],
        "",
    );
    assert_eq!(repaired[0]["url"], "ftp://ada:***@h.example/a b");
    assert_eq!(repaired[0]["new"], "ftp://ada:***@h.example/a%20b");
    let table = "url,colour,title\ngopher://h.example/,red,One\ngopher://i.example/,blue,Three\n";
    let imported = objects(&profile, &["import", "--json", "-"], table);
    assert_eq!(
        imported,
        [json!({
            "file": "-", "format": "csv", "imported": 1,
            "left_out": [{"title": "One", "reason": "already in the bookmarks"}],
            "dropped": {}, "fields": {"colour": 2},
        })]
    );
}
