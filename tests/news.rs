//! News in the browser: lists and their counts, overviews, cross-posts, logins.

mod answers;
mod changes;
mod connections;
mod counts;
mod cross_posts;
mod defaults;
mod first_page;
mod mailbox_marks;
mod mailboxes;
mod overview;
mod refusal;
mod threads;
mod tls;
