//! Hostile shapes: a unit that is repeated, behind a beginning and before an end.

/// A shape of octets of any length.
pub(crate) struct Shape {
    pub(crate) name: String,
    unit: &'static [u8],
}

impl Shape {
    /// Octets of this shape of about this length, behind the head of a parser.
    pub(crate) fn octets(&self, head: &[u8], bytes: usize) -> Vec<u8> {
        let count = bytes / self.unit.len();
        [head, &self.unit.repeat(count)].concat()
    }
}

/// The syntax that a unit is of. Every parser reads the units of [`Syntax::General`], and those of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Letters, blanks, line ends, brackets, quotes, escapes, characters of all kinds.
    General,
    /// Escape sequences of terminals, commands of telnet.
    Terminal,
    /// URLs and Message-IDs in texts.
    Url,
    /// HTML, feeds, lists of bookmarks in XML.
    Markup,
    /// JSON, TOML, CSV.
    Data,
    /// Protocols and pages of lines: Gopher, Gemini, CSO, WAIS, Prospero.
    Lines,
    /// Listings and replies of FTP.
    Ftp,
    /// Articles and lists of news, mail.
    News,
    /// Files of the user.
    Files,
}

/// The units: what opens without an end, what is many, what is long, what is deep.
#[rustfmt::skip]
const UNITS: &[(Syntax, &[&[u8]])] = &[
    (Syntax::General, &[
        b"a", b"a ", b" ", b"\t", b"\n", b"\r", b"\r\n", b"a\n", b" a\n", b"\ta\n", b"a:\n", b"a: b\n", b".\n",
        b"..\r\n", b"\0", b"\x0c\n", b"\xff", b"\xc3", b"\xfe\xff\0a", b"aa aaaa aaaaaa aaaaaaaaaa\n", b"0", b"9\n",
        b"1-2,", b"1,", b"-", b"-\n", b"--\n", b"-- \n", b"=", b"=\n", b"(", b")", b"()", b"(a", b"( ", b"\\(", b"[",
        b"]", b"[a", b"{", b"}", b"<", b">", b"<a", b"<>", b"\"", b"\" ", b"\\", b"\\\"", b"'", b"`", b"``", b"```\n",
        b"%", b"%2", b"%41", b"%00", b"&", b"&a", b"&#", b"&#x", b"&amp;", b"&amp", b";", b",", b":", b"::", b"/",
        b"//", b"/a", b"../", b"./", b"/..", b"/../a", b"?", b"?a", b"#", b"#a", b"@", b"a@", b"@a", b"a@b.c ", b"*",
        b"*a", b"a*", b"!", b"$", b"|", b"||", b"~", b"+", b"_", b"=?", b"?=", b"=?a?q?", b"=?a?b?",
        b"=?utf-8?q?a?= ", b"=?utf-8?q?=41?=\n ", b"=41", b"=4", b"=\r\n", b"\xc3\xa9", b"\xcc\x81", b"a\xcc\x81",
        b"\xe2\x80\x8d", b"\xf0\x9f\x91\xa9\xe2\x80\x8d", b"\xe2\x80\xae", b"\xf0\x9f\x87\xa9", b"\xe3\x81\x82",
        b"\xce\xa3 ", b"\xc4\xb0", b"\xf0\xd2\xc9\xd7\xc5\xd4 ", b"\x1b$B$\"", b"\x1b(B", b"~{", b"+AGE-",
        b"\x81\x40",
    ]),
    (Syntax::Terminal, &[
        b"\x1b", b"\x1b[", b"\x1b[1m", b"\x1b[1;", b"\x1b[999;999H", b"\x1b]", b"\x1b]0;", b"\x1bP", b"\x1b_",
        b"\x9b", b"\x08", b"\xff\xfa", b"\xff\xfa\x18\x01", b"\xff\xfd\x01", b"\xff\xf0",
    ]),
    (Syntax::Url, &[
        b"http://a/ ", b"http:", b"http://", b"<URL:http://a/ ", b"<URL:", b"<URL:http://a/\n", b"<http://a/>",
        b"http://a/,", b"http://a/(", b"<a@b>", b"<a@b> ", b"<a@b", b"news:a@b ", b"www.a.b ", b"gopher://a:70/1",
        b"http://a/a/../", b"javascript:", b"a:b:", b"a.b.c,", b"://", b"http://[", b"ftp://a:b@",
    ]),
    (Syntax::Markup, &[
        b"<b>", b"</b>", b"<i><b>", b"<p>", b"<div>", b"<div><p>", b"<ul><li>", b"<ol><li>", b"<dl><dt>",
        b"<blockquote>", b"<table>", b"<table><tr><td>", b"<tr>", b"<td>", b"<tr><td>a", b"<td colspan=9>a",
        b"<td rowspan=999>a", b"<td>a<td>b<tr>", b"<a href=x>", b"<a href=x>a</a>", b"<a name=x>",
        b"<a name=x id=x>a</a>", b"<img src=a>", b"<form>", b"<form><input name=a>", b"<input name=a>",
        b"<select><option>a", b"<option>a", b"<textarea>", b"<pre>", b"<pre>a\n", b"<title>", b"<script>", b"<style>",
        b"<!--", b"<!-- -->", b"<!", b"<![CDATA[", b"<?", b"<h1>a</h1>", b"<h1>", b"<br>", b"<hr>", b"<font>",
        b"<center>", b"<span style=x>", b"<base href=/a/>", b"<meta http-equiv=refresh content='0;url=a'>",
        b"<link rel=next href=a>", b"<frame src=a>", b"<map><area href=a>", b"<label>", b"<button>", b"<a ", b"<a x",
        b"<a x=", b"<a x=\"", b"<a x='", b"</", b"<math>", b"<svg>", b"<template>", b"<isindex>", b"<nobr>", b"&shy;",
        b"&zwnj;", b"&#65533;", b"<item><title>a</title><link>http://a/</link></item>",
        b"<entry><link href='a'/></entry>", b"<outline text='a'>", b"<outline text='a' xmlUrl='http://a/'/>",
        b"<folder><title>a</title>", b"<DT><A HREF=\"http://a/\">a</A>\n", b"<DT><H3>a</H3>\n<DL><p>\n",
        b"<dict><key>a</key>", b"<array>",
    ]),
    (Syntax::Data, &[
        b"{\"a\":", b"[[", b"[1,", b"{\"a\":1},", b"\"a\",", b"\"a\"\"", b"a,b\n", b"a;b;c\n", b"null,", b"\\u0041",
        b"{\"url\":\"http://a/\",\"title\":\"a\"}\n", b"{\"tabs\":[", b"a = 1\n", b"[a]\n", b"[[a]]\n", b"a.b = 1\n",
        b"a = [", b"a = \"\"\"",
    ]),
    (Syntax::Lines, &[
        b"1a\ta\th\t70\r\n", b"1a\t", b"ia\t\t\t\r\n", b"0a\t/a\tbad~host\t70\r\n", b"+INFO: 0a\ta\th\t70\r\n",
        b"+INFO: 0a\ta\th\t70\r\n+ADMIN:\r\n Admin: a <a@b>\r\n", b"+VIEWS:\r\n text/plain: <1k>\r\n",
        b"+ASK:\r\n Ask: a\tb\r\n", b"Choose: a\tb\tc\td\n", b"Ask: a\n", b"Select: a\n", b"-200:1:name: a\r\n",
        b"-200:1:   : a\r\n", b"200:Ok\r\n", b"=> a b\n", b"=>", b"=> ", b"# a\n", b"## a\n", b"> a\n", b"* a\n",
        b"> ", b">> a\n", b"> > > a\n", b"CAPS\nx=y\n", b"(:source :a \"b\"\n", b"(:a ", b":a b ",
        b"LINK L FILE a b c d 1\r\n", b"OBJECT-INFO a b\r\n", b"ATTRIBUTE LINK a b\r\n",
    ]),
    (Syntax::Ftp, &[
        b"-rw-r--r-- 1 a b 1 Jan 1 2000 a\r\n", b"drwxr-xr-x 1 a b 1 Jan 1 12:00 a\r\n",
        b"lrwxrwxrwx 1 a b 1 Jan 1 2000 a -> b\r\n", b"-rw-r--r-- 1 a b 1 Jan 1 2000  a -> ", b"total 1\r\n",
        b"/a:\r\n", b"01-01-00 12:00AM <DIR> a\r\n", b"+i8388621.29609,m824255902,/,\ta\r\n",
        b"type=file;size=1;modify=20000101000000; a\r\n", b"type=", b"a=b;",
        b"A.TXT;1 1 1-JAN-2000 12:00 [A,B] (R)\r\n", b"A.TXT;1\r\n", b"220-a\r\n", b"220 a\r\n", b"250-a\r\n a\r\n",
        b"211-a\r\n MLST\r\n", b"VOLUME 3390 2000/01/01 1 1 FB 80 80 PS A\r\n",
    ]),
    (Syntax::News, &[
        b"1\ta\tb\t1 Jan 2000 00:00:00 +0000\t<a@b>\t\t1\t1\r\n", b"1\ta\tb\tc\t<a@b>\t<a@b> <a@b>\t1\t1\r\n",
        b"1\tRe: Re: Re: a\tb\tc\t\t\t\t\r\n", b"a.b 1 1 y\r\n", b"a.b A group\r\n", b"Re: ", b"Subject: a\n",
        b"References: <a@b>\n", b"From: a <b@c>, ", b"Content-Type: text/plain\n",
        b"Content-Type: message/rfc822\n\n", b"--b\n", b"--b\n\na\n", b"--b\nContent-Type: a/b\n\n",
        b"--b\nContent-Type: text/html\n\na\n", b"--b\nContent-Disposition: attachment; filename=a\n\na\n",
        b"--b--\n", b"begin 644 a\n", b"begin 644 a\n#86%A\n`\nend\n", b"begin 644 a\n#86%A\n",
        b"=ybegin line=1 size=1 name=a\na\n=yend size=1\n", b"=ybegin part=1 line=1 size=1 name=a\n",
        b"=ypart begin=1 end=1\n", b"=yend size=1\n", b"YWFh", b"YWFh\n", b"a; a=b;", b"; a*0=b", b"; a*0*=''b",
        b"filename=\"a\"; ", b"? 1 a b\n", b"a.b: 1-2,4\n", b"a.b! 1\n", b"?*,", b"!a*,", b"*?*?",
        b"[*] a\nScore: 1\n", b"Score: 1\n Subject: a\n", b"Subject: (a*)*b\n",
    ]),
    (Syntax::Files, &[
        b"a <URL:http://a/> #a\n", b"# a\n", b"## a\n  b\n", b"#a ", b"  a\n", b"machine a login b password c\n",
        b"machine a ", b"macdef a\n", b"text/plain; a %s; test=a\n", b"a; b; c\\\n", b"http://a/\ta\t1\n",
        b"2000-01-01T00:00:00Z http://a/ a\n", b"-a ", b"(a or ", b"not ", b"a\tb\tc\td\te\n", b"POST /a HTTP/1.1\n",
        b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"1\r\na\r\n", b"WARC/1.0\r\n", b"* 1 FETCH\r\n",
        b"20 text/gemini\r\n",
    ]),
];

/// The shapes for a parser of these syntaxes.
pub(crate) fn of(syntaxes: &[Syntax]) -> impl Iterator<Item = Shape> {
    let is_read = |syntax: &Syntax| *syntax == Syntax::General || syntaxes.contains(syntax);
    let units = UNITS.iter().filter(move |(syntax, _)| is_read(syntax));
    units.flat_map(|(_, units)| *units).map(|unit| Shape {
        name: unit.escape_ascii().to_string(),
        unit,
    })
}
