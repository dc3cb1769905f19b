//! The order of a listing's rows.

/// By what a listing is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// By name, as octets, capitals and small letters alike.
    Name,
    /// By size.
    Size,
    /// By date.
    Date,
    /// By kind, then by suffix.
    Kind,
}

/// A column and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub column: Column,
    /// The last first.
    pub reverse: bool,
}

impl Order {
    /// By this column, its natural way first: names from A, the largest and the newest first.
    pub fn new(column: Column) -> Self {
        let reverse = match column {
            Column::Name | Column::Kind => false,
            Column::Size | Column::Date => true,
        };
        Self { column, reverse }
    }

    /// What a key for `column` makes of this order: that column, or, when it is that already, the other way.
    #[must_use]
    pub fn by(self, column: Column) -> Self {
        if self.column == column {
            Self {
                reverse: !self.reverse,
                ..self
            }
        } else {
            Self::new(column)
        }
    }

    /// In words, for the status line.
    pub fn words(self) -> &'static str {
        match (self.column, self.reverse) {
            (Column::Name, false) => "name",
            (Column::Name, true) => "name, from the end",
            (Column::Size, true) => "size, the largest first",
            (Column::Size, false) => "size, the smallest first",
            (Column::Date, true) => "date, the newest first",
            (Column::Date, false) => "date, the oldest first",
            (Column::Kind, false) => "kind",
            (Column::Kind, true) => "kind, from the end",
        }
    }
}
