//! The name of a server in messages.

/// The text `host:port`, as used in messages.
pub fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        return format!("[{host}]:{port}");
    }
    format!("{host}:{port}")
}
