"""Posts articles to a news server, over NNTP.

    post.py HOST:PORT FILE...
"""

import socket
import sys


def ask(stream, line, expected):
    stream.write(line + b"\r\n")
    stream.flush()
    answer = stream.readline()
    if not answer.startswith(expected):
        sys.exit(f"the news server answers {line[:40]!r} by {answer!r}")


def main(authority, files):
    host, port = authority.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        stream = connection.makefile("rwb")
        greeting = stream.readline()
        if not greeting.startswith(b"20"):
            sys.exit(f"the news server greets by {greeting!r}")
        ask(stream, b"MODE READER", b"200")
        for name in files:
            ask(stream, b"POST", b"340")
            with open(name, "rb") as file:
                lines = file.read().split(b"\r\n")[:-1]
            stuffed = [b"." + line if line.startswith(b".") else line for line in lines]
            ask(stream, b"\r\n".join([*stuffed, b"."]), b"240")
        ask(stream, b"QUIT", b"205")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
