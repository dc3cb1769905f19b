//! The kind of a file by its name, where the protocol does not state it.

use super::Kind;

/// The kinds of files and their suffixes, in lower case.
const SUFFIXES: [(Kind, &[&[u8]]); 6] = [
    (
        Kind::Text,
        &[
            b"txt",
            b"text",
            b"md",
            b"me",
            b"1st",
            b"asc",
            b"ascii",
            b"nfo",
            b"diz",
            b"faq",
            b"log",
            b"lst",
            b"csv",
            b"tsv",
            b"json",
            b"xml",
            b"html",
            b"htm",
            b"css",
            b"js",
            b"tex",
            b"bib",
            b"rst",
            b"ini",
            b"cfg",
            b"conf",
            b"toml",
            b"yaml",
            b"yml",
            b"c",
            b"h",
            b"cc",
            b"cpp",
            b"hpp",
            b"rs",
            b"go",
            b"py",
            b"pl",
            b"rb",
            b"lua",
            b"sh",
            b"bat",
            b"java",
            b"pas",
            b"bas",
            b"f",
            b"f77",
            b"f90",
            b"asm",
            b"lisp",
            b"el",
            b"scm",
            b"sql",
            b"diff",
            b"patch",
            b"sig",
            b"md5",
            b"sha1",
            b"sha256",
            b"sha512",
            b"lsm",
            b"announce",
            b"eml",
            b"mbox",
            b"ics",
            b"vcf",
            b"readme",
            b"gophermap",
            b"bib",
            b"mk",
        ],
    ),
    (
        Kind::Image,
        &[
            b"png", b"gif", b"jpg", b"jpeg", b"jpe", b"bmp", b"tif", b"tiff", b"webp", b"avif",
            b"svg", b"ico", b"xbm", b"xpm", b"ppm", b"pgm", b"pbm", b"pnm", b"pcx", b"tga", b"iff",
            b"ilbm", b"pict", b"psd",
        ],
    ),
    (
        Kind::Sound,
        &[
            b"wav", b"mp3", b"ogg", b"oga", b"opus", b"flac", b"aac", b"m4a", b"wma", b"au",
            b"snd", b"aif", b"aiff", b"mid", b"midi", b"mod", b"xm", b"s3m", b"it", b"sid", b"voc",
            b"ra",
        ],
    ),
    (
        Kind::Movie,
        &[
            b"mpg", b"mpeg", b"mp4", b"m4v", b"mkv", b"webm", b"avi", b"mov", b"qt", b"wmv",
            b"flv", b"ogv", b"fli", b"flc", b"rm",
        ],
    ),
    (
        Kind::Document,
        &[
            b"pdf", b"ps", b"eps", b"dvi", b"djvu", b"doc", b"docx", b"rtf", b"odt", b"ods",
            b"odp", b"xls", b"xlsx", b"ppt", b"pptx", b"epub", b"mobi", b"wri",
        ],
    ),
    (
        Kind::Binary,
        &[
            b"zip", b"gz", b"tgz", b"bz2", b"tbz", b"tbz2", b"xz", b"txz", b"zst", b"lz", b"lzma",
            b"z", b"tar", b"cpio", b"7z", b"rar", b"arj", b"lha", b"lzh", b"zoo", b"arc", b"sit",
            b"hqx", b"sea", b"cab", b"iso", b"img", b"dsk", b"adf", b"d64", b"bin", b"exe", b"com",
            b"dll", b"so", b"o", b"a", b"msi", b"deb", b"rpm", b"apk", b"jar", b"class", b"pyc",
            b"dmg", b"pkg", b"rom", b"dat", b"db", b"sqlite", b"gpg", b"ttf", b"otf", b"woff",
        ],
    ),
];

/// The names of text files without a suffix, in lower case. Other text may follow the name.
const TEXTS: [&[u8]; 18] = [
    b"readme",
    b"read.me",
    b"index",
    b"00-index",
    b"license",
    b"licence",
    b"copying",
    b"copyright",
    b"changelog",
    b"changes",
    b"news",
    b"todo",
    b"install",
    b"authors",
    b"makefile",
    b"gophermap",
    b"mbox",
    b".message",
];

/// The kind of a file by its name; nothing when it cannot be determined.
pub fn kind(name: &[u8]) -> Option<Kind> {
    if let Some(suffix) = suffix(name) {
        let is_it = |other: &&[u8]| other.eq_ignore_ascii_case(suffix);
        let found = SUFFIXES
            .iter()
            .find(|(_, suffixes)| suffixes.iter().any(is_it));
        if let Some((kind, _)) = found {
            return Some(*kind);
        }
    }
    let is_text = TEXTS.iter().any(|text| {
        name.split_at_checked(text.len())
            .is_some_and(|(head, rest)| {
                head.eq_ignore_ascii_case(text)
                    && !rest.first().is_some_and(u8::is_ascii_alphanumeric)
            })
    });
    is_text.then_some(Kind::Text)
}

/// The suffix of a name: the text behind the last dot, when there is text before the dot.
pub fn suffix(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0)?;
    name.get(dot + 1..).filter(|suffix| !suffix.is_empty())
}

/// The MIME types of files that other programs show, and their suffixes.
const TYPES: [(&str, &[&[u8]]); 21] = [
    ("image/gif", &[b"gif"]),
    ("image/png", &[b"png"]),
    ("image/jpeg", &[b"jpg", b"jpeg", b"jpe"]),
    ("image/tiff", &[b"tif", b"tiff"]),
    ("image/bmp", &[b"bmp"]),
    ("image/webp", &[b"webp"]),
    ("image/svg+xml", &[b"svg"]),
    ("image/x-xbitmap", &[b"xbm"]),
    ("audio/x-wav", &[b"wav"]),
    ("audio/basic", &[b"au", b"snd"]),
    ("audio/mpeg", &[b"mp3"]),
    ("audio/ogg", &[b"ogg", b"oga", b"opus"]),
    ("audio/flac", &[b"flac"]),
    ("audio/midi", &[b"mid", b"midi"]),
    ("video/mpeg", &[b"mpg", b"mpeg"]),
    ("video/mp4", &[b"mp4", b"m4v"]),
    ("video/quicktime", &[b"mov", b"qt"]),
    ("application/pdf", &[b"pdf"]),
    ("application/postscript", &[b"ps", b"eps"]),
    ("application/rtf", &[b"rtf"]),
    ("application/epub+zip", &[b"epub"]),
];

/// The MIME type of a file by its name, for opening it externally.
pub fn mime(name: &[u8]) -> Option<&'static str> {
    let suffix = suffix(name)?;
    let is_it = |other: &&[u8]| other.eq_ignore_ascii_case(suffix);
    let found = TYPES
        .iter()
        .find(|(_, suffixes)| suffixes.iter().any(is_it));
    found.map(|(mime, _)| *mime)
}

/// The displayed name of a kind, with its article, for a prompt.
pub fn kind_words(kind: Kind) -> &'static str {
    const WORDS: [(Kind, &str); 5] = [
        (Kind::Text, "a text"),
        (Kind::Image, "an image"),
        (Kind::Sound, "a sound"),
        (Kind::Movie, "a movie"),
        (Kind::Document, "a document"),
    ];
    let found = WORDS.iter().find(|(other, _)| *other == kind);
    found.map_or("a binary file", |(_, words)| words)
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
