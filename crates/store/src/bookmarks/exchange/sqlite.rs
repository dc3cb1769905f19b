//! The rows of one table of an `SQLite` database, version 3, read without `SQLite`.
//!
//! ```text
//! file     = page *page                    ; the first 100 octets of the first page are the file's header
//! interior = %x05 header right *pointer    ; cells: child page, key
//! leaf     = %x0d header *pointer          ; cells: payload size, key, payload [ first overflow page ]
//! overflow = next *octet
//! payload  = header-size *type *value      ; sizes, types and keys are varints
//! ```
//! Only tables with row ids in databases of UTF-8 are read, not indices, views or tables WITHOUT ROWID. A write-ahead log is a
//! second file that may hold the newest rows, so a database that has one is refused.

use std::collections::HashSet;

use super::tree::FormatError;

/// The beginning of every database.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The size of the header of the file, in octets.
const FILE_HEADER: usize = 100;

/// The largest number of columns of a row, as in `SQLite`.
const MAX_COLUMNS: usize = 32_767;

/// The deepest page of a table: `SQLite` needs fewer than 20 levels for the largest file.
const DEEPEST: usize = 32;

/// A table with the names of its columns, in lower case, and its rows.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Text(String),
    /// A floating-point number, or octets.
    Other,
}

/// Reads the table of this name; `None` if the database has none.
///
/// # Errors
/// The database is damaged, or of a kind that is not read.
pub(super) fn table(octets: &[u8], name: &str) -> Result<Option<Table>, FormatError> {
    let file = Database::new(octets)?;
    for row in file.rows(1)? {
        let [kind, own, _, root, sql] = row.as_slice() else {
            continue;
        };
        let (Value::Text(kind), Value::Text(own), Value::Text(sql)) = (kind, own, sql) else {
            continue;
        };
        if kind != "table" || !own.eq_ignore_ascii_case(name) {
            continue;
        }
        let Value::Integer(root) = root else {
            return Err(damaged("a table without a page"));
        };
        let root = u32::try_from(*root).map_err(|_| damaged("a table without a page"))?;
        return Ok(Some(Table {
            columns: column_names(sql),
            rows: file.rows(root)?,
        }));
    }
    Ok(None)
}

/// Returns the names of the columns in `CREATE TABLE name (...)`, in lower case.
fn column_names(sql: &str) -> Vec<String> {
    let (_, definitions) = sql.split_once('(').unwrap_or_default();
    let (mut depth, mut quote) = (0_usize, None);
    let definitions = definitions.split(|c: char| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') => return depth == 0,
            (Some(_) | None, _) => {}
        }
        false
    });
    let names = definitions.map(|column| {
        let word = column.split_whitespace().next().unwrap_or_default();
        word.trim_matches(['"', '`', '[', ']', '\'']).to_lowercase()
    });
    names.collect()
}

fn damaged(what: &str) -> FormatError {
    FormatError(format!("the database is damaged: {what}"))
}

/// The pages of a database.
struct Database<'a> {
    octets: &'a [u8],
    page_size: usize,
    /// The octets of a page without those reserved at its end.
    usable: usize,
}

impl<'a> Database<'a> {
    fn new(octets: &'a [u8]) -> Result<Self, FormatError> {
        if !octets.starts_with(MAGIC) {
            return Err(FormatError("it is no SQLite database".to_owned()));
        }
        let header = octets.get(..FILE_HEADER);
        let header = header.ok_or_else(|| damaged("its header is truncated"))?;
        let page_size = match number(header, 16, 2)? {
            1 => 65_536,
            size @ 512.. if size.is_power_of_two() => size,
            _ => return Err(damaged("the size of its pages")),
        };
        let reserved = number(header, 20, 1)?;
        if number(header, 18, 1)? > 1 || number(header, 19, 1)? > 1 {
            let sentence =
                "its write-ahead log is not read: end that by `PRAGMA journal_mode=DELETE`";
            return Err(FormatError(sentence.to_owned()));
        }
        if number(header, 56, 4)? > 1 {
            return Err(FormatError("its texts are in UTF-16".to_owned()));
        }
        let usable = page_size - reserved;
        if usable < 480 {
            return Err(damaged("the size of its pages"));
        }
        Ok(Self {
            octets,
            page_size,
            usable,
        })
    }

    /// Returns a page by its number, from 1, without the reserved octets.
    fn page(&self, page: u32) -> Result<&'a [u8], FormatError> {
        let index = usize::try_from(page)
            .ok()
            .and_then(|page| page.checked_sub(1));
        let start = index.and_then(|index| index.checked_mul(self.page_size));
        let octets =
            start.and_then(|start| self.octets.get(start..start.checked_add(self.usable)?));
        octets.ok_or_else(|| damaged(&format!("page {page} is missing")))
    }

    /// Returns the rows of the table whose first page this is, in the order of their keys.
    fn rows(&self, root: u32) -> Result<Vec<Vec<Value>>, FormatError> {
        let mut rows = Vec::new();
        // No payload is stored twice: what is larger than the file is damaged.
        let mut room = self.octets.len();
        let mut visited = HashSet::new();
        let mut open = vec![(root, 0)];
        while let Some((page_number, depth)) = open.pop() {
            if depth > DEEPEST || !visited.insert(page_number) {
                return Err(damaged(&format!("page {page_number} is in a circle")));
            }
            let page = self.page(page_number)?;
            let at = if page_number == 1 { FILE_HEADER } else { 0 };
            let cells = number(page, at + 3, 2)?;
            match number(page, at, 1)? {
                0x05 => {
                    let mut children = Vec::new();
                    for cell in 0..cells {
                        let cell = number(page, at + 12 + 2 * cell, 2)?;
                        children.push(page_reference(page, cell)?);
                    }
                    children.push(page_reference(page, at + 8)?);
                    open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
                }
                0x0d => {
                    for cell in 0..cells {
                        let cell = number(page, at + 8 + 2 * cell, 2)?;
                        let (key, payload) = self.cell(page, cell, &mut room)?;
                        rows.push(record(&payload, key)?);
                    }
                }
                _ => return Err(damaged(&format!("page {page_number} is of no table"))),
            }
        }
        Ok(rows)
    }

    /// Returns the key and the payload of a cell; takes the size of the payload from `room`.
    fn cell(
        &self,
        page: &[u8],
        cell: usize,
        room: &mut usize,
    ) -> Result<(i64, Vec<u8>), FormatError> {
        let mut rest = page.get(cell..).unwrap_or_default();
        let size = size(varint(&mut rest)?)?;
        let key = varint(&mut rest)?;
        *room = room
            .checked_sub(size)
            .ok_or_else(|| damaged("a row is larger than the file"))?;
        let usable = self.usable;
        let most = usable - 35;
        if size <= most {
            let payload = rest.get(..size).ok_or_else(truncated)?;
            return Ok((key, payload.to_vec()));
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let local = least + (size - least) % (usable - 4);
        let local = if local <= most { local } else { least };
        let mut payload = rest.get(..local).ok_or_else(truncated)?.to_vec();
        let mut next = page_reference(rest, local)?;
        while payload.len() < size {
            let page = self.page(next)?;
            next = page_reference(page, 0)?;
            let more = page.get(4..).unwrap_or_default();
            let more = more.get(..size - payload.len()).unwrap_or(more);
            payload.extend_from_slice(more);
        }
        Ok((key, payload))
    }
}

/// Parses the values of a row; an integer key that stands for a column is NULL in the payload.
fn record(payload: &[u8], key: i64) -> Result<Vec<Value>, FormatError> {
    let mut header = payload;
    let header_size = size(varint(&mut header)?)?;
    let read = payload.len() - header.len();
    let types = header_size.checked_sub(read).ok_or_else(truncated)?;
    let mut types = header.get(..types).ok_or_else(truncated)?;
    let mut values = payload.get(header_size..).ok_or_else(truncated)?;
    let mut row = Vec::new();
    while !types.is_empty() {
        if row.len() == MAX_COLUMNS {
            return Err(damaged("a row has too many columns"));
        }
        let serial_type = varint(&mut types)?;
        row.push(value(serial_type, &mut values)?);
    }
    if let Some(first) = row.first_mut().filter(|first| **first == Value::Null) {
        *first = Value::Integer(key);
    }
    Ok(row)
}

/// Parses one value by its type.
fn value(serial_type: i64, values: &mut &[u8]) -> Result<Value, FormatError> {
    let length = match serial_type {
        0 | 8 | 9 => 0,
        1..=4 => size(serial_type)?,
        5 => 6,
        6 | 7 => 8,
        12.. => size((serial_type - 12) / 2)?,
        _ => return Err(damaged("a value of an unknown type")),
    };
    let (octets, rest) = values.split_at_checked(length).ok_or_else(truncated)?;
    *values = rest;
    Ok(match serial_type {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        1..=6 => {
            let is_negative = octets.first().is_some_and(|first| *first >= 0x80);
            let start = if is_negative { -1 } else { 0 };
            let add = |number: i64, octet: &u8| number << 8 | i64::from(*octet);
            Value::Integer(octets.iter().fold(start, add))
        }
        odd if odd >= 13 && odd % 2 == 1 => {
            Value::Text(String::from_utf8_lossy(octets).into_owned())
        }
        _ => Value::Other,
    })
}

fn truncated() -> FormatError {
    damaged("a row is truncated")
}

fn size(number: i64) -> Result<usize, FormatError> {
    usize::try_from(number).map_err(|_| damaged("a negative size"))
}

/// Returns the big-endian number of up to four octets at an offset.
fn number(octets: &[u8], at: usize, length: usize) -> Result<usize, FormatError> {
    let octets = at
        .checked_add(length)
        .and_then(|end| octets.get(at..end))
        .ok_or_else(|| damaged("a page is truncated"))?;
    Ok(octets
        .iter()
        .fold(0, |number, &octet| number << 8 | usize::from(octet)))
}

/// Returns the number of a page at an offset.
fn page_reference(octets: &[u8], at: usize) -> Result<u32, FormatError> {
    let page = number(octets, at, 4)?;
    u32::try_from(page).map_err(|_| damaged("the number of a page"))
}

/// Parses a number of one to nine octets: seven bits of each, eight of the ninth.
fn varint(octets: &mut &[u8]) -> Result<i64, FormatError> {
    let mut number = 0_i64;
    for place in 0..9 {
        let (&octet, rest) = octets.split_first().ok_or_else(truncated)?;
        *octets = rest;
        if place == 8 {
            return Ok(number << 8 | i64::from(octet));
        }
        number = number << 7 | i64::from(octet & 0x7f);
        if octet < 0x80 {
            break;
        }
    }
    Ok(number)
}
