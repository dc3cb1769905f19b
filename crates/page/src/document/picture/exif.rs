//! The orientation of a camera's picture, by its metadata (Exif 2.3, section 4.6.4, tag 274).

/// The tag of the orientation.
const ORIENTATION: u16 = 274;

/// The octets of an entry of a directory.
const ENTRY: usize = 12;

/// Returns the orientation of a picture, 1 to 8; 1 if the metadata have none.
pub(super) fn orientation(exif: &[u8]) -> u16 {
    find(exif)
        .filter(|value| (1..=8).contains(value))
        .unwrap_or(1)
}

fn find(exif: &[u8]) -> Option<u16> {
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let is_little = match tiff.first_chunk()? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |octets: &[u8]| {
        let octets = *octets.first_chunk()?;
        Some(if is_little {
            u16::from_le_bytes(octets)
        } else {
            u16::from_be_bytes(octets)
        })
    };
    let offset = *tiff.get(4..)?.first_chunk()?;
    let offset = if is_little {
        u32::from_le_bytes(offset)
    } else {
        u32::from_be_bytes(offset)
    };
    let directory = tiff.get(usize::try_from(offset).ok()?..)?;
    let count = short(directory)?;
    let mut entries = directory.get(2..)?.chunks_exact(ENTRY).take(count.into());
    let entry = entries.find(|entry| short(entry) == Some(ORIENTATION))?;
    short(entry.get(8..)?)
}
