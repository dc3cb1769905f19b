//! The kind of a file by its name, where the protocol does not state it.

use super::row::Kind;

/// The names of text files without a suffix, in lower case. Other text may follow the name.
const TEXTS: [&str; 18] = [
    "readme",
    "read.me",
    "index",
    "00-index",
    "license",
    "licence",
    "copying",
    "copyright",
    "changelog",
    "changes",
    "news",
    "todo",
    "install",
    "authors",
    "makefile",
    "gophermap",
    "mbox",
    ".message",
];

/// The kind of a file by its name; nothing when it cannot be determined.
pub fn kind(name: &[u8]) -> Option<Kind> {
    let by_suffix = suffix(name).and_then(|suffix| kind_of_suffix(&suffix.to_ascii_lowercase()));
    let is_text = || {
        TEXTS.iter().any(|text| {
            let split = name.split_at_checked(text.len());
            split.is_some_and(|(head, rest)| {
                head.eq_ignore_ascii_case(text.as_bytes())
                    && !rest.first().is_some_and(u8::is_ascii_alphanumeric)
            })
        })
    };
    by_suffix.or_else(|| is_text().then_some(Kind::Text))
}

/// The kind of files with a suffix, in lower case.
fn kind_of_suffix(suffix: &[u8]) -> Option<Kind> {
    Some(match suffix {
        b"txt" | b"text" | b"md" | b"me" | b"1st" | b"asc" | b"ascii" | b"nfo" | b"diz"
        | b"faq" | b"log" | b"lst" | b"csv" | b"tsv" | b"json" | b"xml" | b"rss" | b"atom"
        | b"html" | b"htm" | b"css" | b"js" | b"tex" | b"bib" | b"rst" | b"ini" | b"cfg"
        | b"conf" | b"toml" | b"yaml" | b"yml" | b"c" | b"h" | b"cc" | b"cpp" | b"hpp" | b"rs"
        | b"go" | b"py" | b"pl" | b"rb" | b"lua" | b"sh" | b"bat" | b"java" | b"pas" | b"bas"
        | b"f" | b"f77" | b"f90" | b"asm" | b"lisp" | b"el" | b"scm" | b"sql" | b"diff"
        | b"patch" | b"sig" | b"md5" | b"sha1" | b"sha256" | b"sha512" | b"lsm" | b"announce"
        | b"eml" | b"mbox" | b"ics" | b"vcf" | b"readme" | b"gophermap" | b"mk" | b"gmi"
        | b"gemini" => Kind::Text,
        b"png" | b"gif" | b"jpg" | b"jpeg" | b"jpe" | b"bmp" | b"tif" | b"tiff" | b"webp"
        | b"avif" | b"svg" | b"ico" | b"xbm" | b"xpm" | b"ppm" | b"pgm" | b"pbm" | b"pnm"
        | b"pcx" | b"tga" | b"iff" | b"ilbm" | b"pict" | b"psd" => Kind::Image,
        b"wav" | b"mp3" | b"ogg" | b"oga" | b"opus" | b"flac" | b"aac" | b"m4a" | b"wma"
        | b"au" | b"snd" | b"aif" | b"aiff" | b"mid" | b"midi" | b"mod" | b"xm" | b"s3m"
        | b"it" | b"sid" | b"voc" | b"ra" => Kind::Sound,
        b"mpg" | b"mpeg" | b"mp4" | b"m4v" | b"mkv" | b"webm" | b"avi" | b"mov" | b"qt"
        | b"wmv" | b"flv" | b"ogv" | b"fli" | b"flc" | b"rm" => Kind::Movie,
        b"pdf" | b"ps" | b"eps" | b"dvi" | b"djvu" | b"doc" | b"docx" | b"rtf" | b"odt"
        | b"ods" | b"odp" | b"xls" | b"xlsx" | b"ppt" | b"pptx" | b"epub" | b"mobi" | b"wri" => {
            Kind::Document
        }
        b"zip" | b"gz" | b"tgz" | b"bz2" | b"tbz" | b"tbz2" | b"xz" | b"txz" | b"zst" | b"lz"
        | b"lzma" | b"z" | b"tar" | b"cpio" | b"7z" | b"rar" | b"arj" | b"lha" | b"lzh"
        | b"zoo" | b"arc" | b"sit" | b"hqx" | b"sea" | b"cab" | b"iso" | b"img" | b"dsk"
        | b"adf" | b"d64" | b"bin" | b"exe" | b"com" | b"dll" | b"so" | b"o" | b"a" | b"msi"
        | b"deb" | b"rpm" | b"apk" | b"jar" | b"class" | b"pyc" | b"dmg" | b"pkg" | b"rom"
        | b"dat" | b"db" | b"sqlite" | b"gpg" | b"ttf" | b"otf" | b"woff" => Kind::Binary,
        _ => return None,
    })
}

/// Returns true for the name of a compressed file or an archive that Geomys opens.
pub fn is_packed(name: &[u8]) -> bool {
    let suffix = suffix(name).unwrap_or_default().to_ascii_lowercase();
    matches!(
        suffix.as_slice(),
        b"gz"
            | b"z"
            | b"bz2"
            | b"xz"
            | b"zst"
            | b"lz"
            | b"lzma"
            | b"uue"
            | b"uu"
            | b"shar"
            | b"tar"
            | b"tgz"
            | b"taz"
            | b"tbz"
            | b"tbz2"
            | b"txz"
            | b"tzst"
            | b"zip"
            | b"jar"
            | b"apk"
            | b"a"
            | b"deb"
            | b"cpio"
            | b"rpm"
            | b"lha"
            | b"lzh"
            | b"mbox"
    )
}

/// The suffix of a name: the text behind the last dot, when there is text before the dot.
pub fn suffix(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0)?;
    name.get(dot + 1..).filter(|suffix| !suffix.is_empty())
}

/// The MIME types of files, each with its suffixes, the usual one first.
const MIME_TYPES: [(&str, &[&str]); 47] = [
    ("image/gif", &["gif"]),
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg", "jpe"]),
    ("image/tiff", &["tif", "tiff"]),
    ("image/bmp", &["bmp"]),
    ("image/webp", &["webp"]),
    ("image/svg+xml", &["svg"]),
    ("image/x-xbitmap", &["xbm"]),
    ("audio/x-wav", &["wav"]),
    ("audio/wav", &["wav"]),
    ("audio/basic", &["au", "snd"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/flac", &["flac"]),
    ("audio/midi", &["mid", "midi"]),
    ("video/mpeg", &["mpg", "mpeg"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/webm", &["webm"]),
    ("video/quicktime", &["mov"]),
    ("application/pdf", &["pdf"]),
    ("application/postscript", &["ps", "eps"]),
    ("application/rtf", &["rtf"]),
    ("text/rtf", &["rtf"]),
    ("application/msword", &["doc"]),
    ("application/x-dvi", &["dvi"]),
    ("application/epub+zip", &["epub"]),
    ("application/zip", &["zip"]),
    ("application/x-zip-compressed", &["zip"]),
    ("application/gzip", &["gz"]),
    ("application/x-gzip", &["gz"]),
    ("application/x-bzip2", &["bz2"]),
    ("application/x-xz", &["xz"]),
    ("application/zstd", &["zst"]),
    ("application/x-tar", &["tar"]),
    ("application/x-7z-compressed", &["7z"]),
    ("application/mac-binhex40", &["hqx"]),
    ("application/json", &["json"]),
    ("application/xml", &["xml"]),
    ("text/xml", &["xml"]),
    ("text/gemini", &["gmi", "gemini"]),
    ("text/html", &["html", "htm"]),
    ("application/xhtml+xml", &["xhtml"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/markdown", &["md"]),
    ("message/rfc822", &["eml"]),
    ("text/plain", &["txt", "text"]),
];

/// The MIME type of a file by its name, for opening it externally; nothing for what Geomys shows itself.
pub fn mime(name: &[u8]) -> Option<&'static str> {
    let is_opened = !matches!(kind(name), Some(Kind::Text | Kind::Binary));
    media_type(name).filter(|_| is_opened)
}

/// The MIME type of a file by the suffix of its name.
pub fn media_type(name: &[u8]) -> Option<&'static str> {
    let suffix = suffix(name)?;
    let is_own = |one: &&str| one.as_bytes().eq_ignore_ascii_case(suffix);
    let mut types = MIME_TYPES.iter();
    let (mime, _) = types.find(|(_, suffixes)| suffixes.iter().any(is_own))?;
    Some(mime)
}

/// The usual suffix of files of a MIME type.
pub fn of_mime(mime: &str) -> Option<&'static str> {
    let mut types = MIME_TYPES.iter();
    let (_, suffixes) = types.find(|(name, _)| name.eq_ignore_ascii_case(mime))?;
    suffixes.first().copied()
}

/// Returns true if the suffix of a name is one of a MIME type's.
pub fn is_of_mime(name: &[u8], mime: &str) -> bool {
    let own = suffix(name).unwrap_or_default();
    let mut types = MIME_TYPES
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(mime));
    types.any(|(_, suffixes)| {
        let mut suffixes = suffixes.iter();
        suffixes.any(|suffix| suffix.as_bytes().eq_ignore_ascii_case(own))
    })
}

/// The displayed name of a kind, with its article, for a prompt.
pub fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a text",
        Kind::Image => "an image",
        Kind::Sound => "a sound",
        Kind::Movie => "a movie",
        Kind::Document => "a document",
        _ => "a binary file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_name() {
        for (name, expected) in [
            (b"soup.TXT".as_slice(), Some(Kind::Text)),
            (b"README", Some(Kind::Text)),
            (b"READ.ME", Some(Kind::Text)),
            (b"README.gopher-2", Some(Kind::Text)),
            (b"readme.zip", Some(Kind::Binary)),
            (b"newsletter", None),
            (b"a.tar.gz", Some(Kind::Binary)),
            (b"door.png", Some(Kind::Image)),
            (b".zip", None),
            (b"dot.", None),
            (b"", None),
        ] {
            assert_eq!(kind(name), expected, "{}", name.escape_ascii());
        }
    }
}
