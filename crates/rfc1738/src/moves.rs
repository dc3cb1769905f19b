//! Navigation from a URL to its parents.
//!
//! A move stays on the same server with the same user, and never starts from a URL of another resource. Schemes
//! without a hierarchy that a client may rely on (mailto, prospero, telnet) have no parent.

use super::parts::Parts;
use super::{Dialect, Url};

impl Url {
    /// The URL one level up, or `None` at the top.
    ///
    /// ftp: the parent directory with `;type=d`. gopher: the menu whose selector is this one cut at its last slash,
    /// then the root. http and file: the path up to a slash. nntp: from an article to its group. news: from articles to
    /// their group, from a group to all groups. wais: from a search or document to its database.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example/0/a/b.txt").unwrap();
    /// assert_eq!(url.up().unwrap().as_str(), "gopher://h.example/1/a");
    /// ```
    pub fn up(&self) -> Option<Url> {
        let parts = self.base_parts();
        let path = parts.production().parent_path()?;
        self.on_same_server(&parts, &path)
    }

    /// The top of the server: the URL without a path, with the user as written; for news, all groups. `None` for
    /// schemes whose servers have no top (mailto, nntp, wais, and unknown schemes).
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://ada@h.example/a/b").unwrap();
    /// assert_eq!(url.root().unwrap().as_str(), "ftp://ada@h.example/");
    /// ```
    pub fn root(&self) -> Option<Url> {
        let parts = self.base_parts();
        let path = parts.production().root_path()?;
        self.on_same_server(&parts, path)
    }

    /// The URL of `path` on the server of this one, with the user as written.
    fn on_same_server(&self, parts: &Parts<'_>, path: &str) -> Option<Url> {
        let has_no_server = matches!(parts, Parts::News(news) if news.server.is_none());
        let text = if has_no_server {
            format!("{}:{path}", self.scheme_name())
        } else {
            format!("{}/{path}", self.head())
        };
        Dialect::Extended.parse(&text).ok()
    }

    /// Scheme, login, host and port: everything before the slash that ends them, in schemes with `//`.
    pub(super) fn head(&self) -> &str {
        self.head_and_tail().0
    }

    /// The text after the slash that ends the host, as written. It includes the type of a gopher item, `;type=`, a
    /// search and fields. `None` if that slash is missing, and in schemes without `//`.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://h.example/a;type=i").unwrap();
    /// assert_eq!(url.path(), Some("a;type=i"));
    /// ```
    pub fn path(&self) -> Option<&str> {
        self.tail().strip_prefix('/')
    }

    /// The text after [`Url::head`] and before the fragment: empty, or a slash and the rest.
    pub(super) fn tail(&self) -> &str {
        self.head_and_tail().1
    }

    fn head_and_tail(&self) -> (&str, &str) {
        let text = self.before_fragment();
        let name = self.scheme_name().len();
        let rest = text.get(name..).unwrap_or("");
        // `file:/path` has no host, and no slash that would end it.
        let after = if rest.starts_with("://") { name + 3 } else { 0 };
        let slash = text.get(after..).and_then(|rest| rest.find('/'));
        let end = slash.map_or(text.len(), |at| after + at);
        text.split_at_checked(end).unwrap_or((text, ""))
    }
}
