//! A URL explained part by part, for `geomys url` and the key that shows a link's address.
//!
//! Values are as written and still encoded, so they are ASCII without controls and safe on any terminal.

use super::Url;
use super::production::Explanation;

impl Url {
    /// Label and value of each part, in the order of the URL. A password is `***`; absent parts are left out.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://ada:pw@h.example/a").unwrap();
    /// assert_eq!(url.explanation()[2], ("password", "***".to_owned()));
    /// ```
    pub fn explanation(&self) -> Vec<(&'static str, String)> {
        self.masked_url().explanation_with_passwords()
    }

    /// Label and value of each part, with passwords as written.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://ada:pw@h.example/a").unwrap();
    /// assert_eq!(url.explanation_with_passwords()[2], ("password", "pw".to_owned()));
    /// ```
    pub fn explanation_with_passwords(&self) -> Vec<(&'static str, String)> {
        let mut lines = Explanation::default();
        lines.add("scheme", self.scheme_name().to_ascii_lowercase());
        let parts = self.base_parts();
        if let Some(login) = parts.login() {
            lines.user(&login);
        }
        if let Some(address) = parts.address() {
            lines.address(&address);
        }
        parts.production().explain(&mut lines);
        lines.part("fragment", self.fragment());
        lines.0
    }
}
