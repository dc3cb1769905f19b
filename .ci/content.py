"""Makes what the real servers serve, under one directory: gopher/, gopher+/, ftp/, web/, gemini/ and news/.

    content.py DIRECTORY

Everything is the same each time, dates included. The tests compare what they are sent with these files.
"""

import os
import random
import sys

# 1994-12-01 12:00, the month in which RFC 1738 came out.
DATE = 786283200

UTF8_TEXT = """The real thing
==============

A line with two blanks  and a tab\tin it, and one that follows an empty line.

.profile begins with a dot
.
That was a line of one dot. It does not end the text.
Grüße, naïveté, Ελληνικά.
"""

# Lines that begin with dots. No server in use doubles them, and the last one shows it.
DOTS = b"..\n../up\n...\nplain\n.profile\n"


def put(root, name, content):
    path = os.path.join(os.fsencode(root), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def noise(seed, length):
    """Octets of every value: line ends and Telnet's 255 among them."""
    return random.Random(seed).randbytes(length)


def gopher(root):
    put(root, b"text.txt", UTF8_TEXT.encode())
    put(root, b"octets.bin", noise(1436, 300_000))
    put(root, b"burrow/a name with blanks.txt", b"Blanks are part of a selector.\n")
    put(root, b"burrow/number #1.txt", b"So is this.\n")
    put(root, b"burrow/dots.txt", DOTS)
    put(root, b"burrow/deep/down.txt", b"Far down.\n")
    menu = (
        b"The hall\n"
        b"\n"
        b"0A text\ttext.txt\n"
        b"1The burrow\tburrow\n"
        b"9Octets\toctets.bin\n"
        b"0Nothing there\tmissing.txt\n"
        b"hThe Web\tURL:http://www.example.org/\n"
        b"1Elsewhere\t/1/far\tgopher.example.org\t7070\n"
        b"7A search\t/search\n"
    )
    put(root, b"gophermap", menu)


def gopher_plus(root):
    put(root, b"text.txt", UTF8_TEXT.encode())
    put(root, b"text.txt.abstract", b"What the text is about.\nIn two lines.\n")
    put(root, b"octets.gif", noise(1993, 200_000))
    put(root, b"burrow/deep.txt", b"Far down.\n")
    put(root, b"burrow/dots.txt", DOTS)


def web(root):
    put(root, b"text.txt", UTF8_TEXT.encode())
    put(root, b"octets.bin", noise(2616, 700_000))
    put(root, b"page.html", b"<title>A page</title><h1>A page</h1><p>Of <a href=text.txt>a text</a>.\n" * 200)
    put(root, b"koi8/russian.txt", "Привет\n".encode("koi8-r"))
    put(root, b"names/a name with blanks.txt", b"blanks\n")
    put(root, b"names/number #1; 100%.txt", b"marks\n")
    put(root, b"members/list.txt", b"Ada\n")


def ftp(root):
    put(root, b"welcome.txt", UTF8_TEXT.encode())
    put(root, b"octets.bin", noise(959, 1_500_000))
    put(root, b"names/a name with blanks.txt", b"blanks\n")
    put(root, b"names/number #1; 100%.txt", b"marks\n")
    put(root, "names/grün.txt".encode(), "grün in UTF-8\n".encode())
    put(root, b"names/caf\xe9.txt", b"caf\xe9 in Latin-1\n")
    put(root, b"names/ leading.txt", b"a blank before it\n")
    put(root, b"names/burrow/deep/down.txt", b"Far down.\n")
    put(root, b"tree/README", b"A tree to be fetched whole.\n")
    put(root, b"tree/octets.bin", noise(3659, 3_000_000))
    put(root, b"tree/empty.txt", b"")
    put(root, b"tree/caf\xe9/na\xefve.txt", b"Latin-1\n")
    # Octet 255, which begins a command of Telnet, is a letter in windows-1251.
    put(root, b"names/burrow/\xff\xe1\xeb\xee\xed\xff/\xff.txt", b"windows-1251\n")
    put(root, b"tree/deep/deeper/deepest/-l", b"no option\n")
    put(root, b"tree/deep/a b/c.txt", b"blanks\n")
    os.makedirs(os.path.join(root, "tree", "nothing"), exist_ok=True)
    put(root, b"closed/hidden.txt", b"Nobody may enter.\n")
    os.symlink("../deep", os.path.join(root, "tree", "deep", "again"))
    os.symlink("deep/a b/c.txt", os.path.join(root, "tree", "c.txt"))
    os.symlink("burrow/deep", os.path.join(root, "names", "shortcut"))
    os.symlink("burrow/deep/down.txt", os.path.join(root, "names", "down"))


def article(group, id, subject, body, references=()):
    lines = [
        f"From: Ada <ada@example.org>",
        f"Newsgroups: {group}",
        f"Subject: {subject}",
        f"Message-ID: <{id}>",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
    ]
    if references:
        lines.append("References: " + " ".join(f"<{reference}>" for reference in references))
    return "\r\n".join([*lines, "", *body.splitlines(), ""]).encode()


def news(root):
    first = article(
        "local.burrow",
        "first@geomys.example.org",
        "Who digs here?",
        "The tunnel begins at <URL:gopher://gopher.example.org/1/tunnel>.\n"
        ".hidden lines begin with a dot\n"
        ".\n"
        "and some hold nothing else.\n"
        "Grüße\n",
    )
    second = article(
        "local.burrow",
        "second@geomys.example.org",
        "Re: Who digs here?",
        "Ada wrote:\n> The tunnel begins somewhere.\n\nI do.\n",
        references=["first@geomys.example.org"],
    )
    third = article("local.test", "third@geomys.example.org", "=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=", "A test.\n")
    for name, octets in [(b"1", first), (b"2", second), (b"3", third)]:
        put(root, name, octets)


def gemini(root):
    page = (
        "# The capsule\n"
        "\n"
        "=> text.txt A text\n"
        "=> names/ Names\n"
        "=> /moved It was moved\n"
        "=> missing.gmi Nothing there\n"
        "Grüße, Ελληνικά.\n"
    )
    put(root, b"index.gmi", page.encode())
    put(root, b"text.txt", UTF8_TEXT.encode())
    put(root, b"octets.bin", noise(1965, 300_000))
    put(root, b"names/a name with blanks.txt", b"Blanks are encoded.\n")
    put(root, b"private/index.gmi", b"# For members\n")


def main(root):
    for name, fill in [("gopher", gopher), ("gopher+", gopher_plus), ("ftp", ftp), ("web", web), ("gemini", gemini), ("news", news)]:
        fill(os.path.join(root, name))
    # The servers run as users of their own, and must be able to read it all and write none of it.
    for directory, directories, files in os.walk(os.fsencode(root), topdown=False):
        for name in directories + files:
            path = os.path.join(directory, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.path.isdir(path) else 0o644)
            os.utime(path, (DATE, DATE), follow_symlinks=False)
    os.chmod(root, 0o755)
    os.chmod(os.path.join(root, "ftp", "closed"), 0o700)


if __name__ == "__main__":
    main(sys.argv[1])
