//! Line ends. Texts of FTP end their lines in CRLF on the wire (RFC 959, section 3.1.1.1), and in LF in a file.

/// Converts the line ends of saved texts of FTP in a stream.
#[derive(Debug, Default)]
pub(super) struct CrlfToLf {
    /// True if the last octet was a CR, which may begin a line end.
    buffered: bool,
}

impl CrlfToLf {
    /// Converts octets of the wire to those of a file. A CR without an LF stays.
    pub(super) fn push(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut converted = Vec::with_capacity(octets.len() + 1);
        for &octet in octets {
            if self.buffered && octet != b'\n' {
                converted.push(b'\r');
            }
            self.buffered = octet == b'\r';
            if !self.buffered {
                converted.push(octet);
            }
        }
        converted
    }

    /// Returns the octets that are still buffered at the end.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        if std::mem::take(&mut self.buffered) {
            b"\r".to_vec()
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_end_is_converted_for_any_split(
            text in "(a|\r|\n|\r\n){0,20}",
            cut in 0..24_usize,
        ) {
            let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
            let mut ends = CrlfToLf::default();
            let converted = [ends.push(first), ends.push(second), ends.finish()].concat();
            prop_assert_eq!(converted, text.replace("\r\n", "\n").into_bytes());
        }
    }
}
