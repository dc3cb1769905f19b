//! The views: what a pane shows of a page, one kind of page a file.

pub mod arrange;
pub mod article;
pub mod builtin;
pub mod display;
pub mod document_view;
pub mod failure;
pub mod find;
pub mod form;
pub mod gutter;
pub mod hints;
pub mod marked;
pub mod menu;
pub mod outline;
pub mod picture;
pub mod position;
pub mod saved;
pub mod scroll;
pub mod send_form;
pub mod shown_picture;
pub mod terminal;
