//! Names of the fields of a bookmark in tables and objects of other programs: the columns of CSV, the keys of JSON.

/// Field of a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Title,
    Url,
    Folder,
    Tags,
    Note,
    Added,
}

/// Names of each field, separated by blanks, as [`folded_name`] returns them; the first that is there decides.
const NAMES: [(Field, &str); 6] = [
    (
        Field::Title,
        "title name text label pagetitle linktitle bookmarktitle",
    ),
    (
        Field::Url,
        "url uri href link address location website pageurl sourceurl linkurl bookmarkurl",
    ),
    (
        Field::Folder,
        "folder path group parent category collection folderpath foldername collectiontitle",
    ),
    (Field::Tags, "tags tag labels keywords documenttags taglist"),
    (
        Field::Note,
        "note notes description desc comment comments excerpt extended annotation documentnote",
    ),
    (
        Field::Added,
        "added adddate dateadded addedat created createdat creationdate datecreated createdon timeadded saved savedat saveddate \
         datesaved bookmarkedat timestamp time date",
    ),
];

/// Returns a name in lower case, without the blanks and hyphens between its words: `Document tags` and `document_tags`
/// are one.
fn folded_name(written: &str) -> String {
    let letters = written
        .chars()
        .filter(|c| !c.is_whitespace() && !"_-".contains(*c));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

impl Field {
    /// Returns the field that a column or a key names.
    pub(super) fn named(written: &str) -> Option<Self> {
        let name = folded_name(written);
        let mut all = NAMES.iter();
        let found = all.find(|(_, names)| names.split(' ').any(|own| own == name));
        found.map(|(field, _)| *field)
    }

    /// Returns the position of a name among those of its field; the first is the usual one.
    pub(super) fn name_rank(self, written: &str) -> Option<usize> {
        let name = folded_name(written);
        let (_, names) = NAMES.iter().find(|(field, _)| *field == self)?;
        names.split(' ').position(|own| own == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_field_are_synonyms() {
        for (written, field) in [
            ("Document tags", Some(Field::Tags)),
            ("labels", Some(Field::Tags)),
            ("savedAt", Some(Field::Added)),
            ("creation date", Some(Field::Added)),
            ("ADD_DATE", Some(Field::Added)),
            ("date-added", Some(Field::Added)),
            (" URL ", Some(Field::Url)),
            ("reading progress", None),
        ] {
            assert_eq!(Field::named(written), field, "{written}");
        }
        assert!(Field::Added.name_rank("added") < Field::Added.name_rank("date"));
    }

    #[test]
    fn every_name_is_one_that_is_looked_up() {
        for (field, names) in NAMES {
            for own in names.split(' ') {
                assert_eq!(
                    (folded_name(own).as_str(), Field::named(own)),
                    (own, Some(field))
                );
            }
        }
    }
}
