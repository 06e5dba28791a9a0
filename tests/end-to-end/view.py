"""
`heddle view` and clients that are not browsers: requests that end early, are too long, or lie about where they are sent to.
Whatever one sends, it gets nothing but its due, and others are served meanwhile. (What the server gives to the page is
compared with the report in report.py; what its handler does with any request is fuzzed, tests/fuzz/fuzz_view.c.)
"""
import re
import signal
import socket

from harness import check, same
from report import View, write_archive

HALF_OPEN = 300  # connections that say nothing more


def started():
    return View(write_archive(2, 100))


def exchange(view, request, patience=30):
    """Sends bytes as they are, and no more; what comes back until the server closes, or for so many seconds."""
    answer = b""
    with socket.create_connection((view.host, view.port), timeout=30) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has heard enough; what it said is there to read
        connection.settimeout(patience)
        try:
            while piece := connection.recv(65536):
                answer += piece
        except (ConnectionResetError, TimeoutError):
            pass
    return answer


def statuses(answer):
    return [int(status) for status in re.findall(rb"^HTTP/1\.[01] (\d{3})", answer, re.M)]


def request(view, path=None, method="GET", host=None, more=b""):
    host = f"127.0.0.1:{view.port}" if host is None else host
    return f"{method} {view.path if path is None else path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n".encode() + more + b"\r\n"


def serves(view, after):
    same(view.ask(view.path)[0], 200, f"the page, after {after}")


def test_a_request_for_the_page_is_answered():
    """The others would prove nothing if this one were refused, too."""
    view = started()
    answer = exchange(view, request(view))
    same(statuses(answer), [200], "status")
    for header in (b"X-Content-Type-Options: nosniff", b"Referrer-Policy: no-referrer", b"Cross-Origin-Resource-Policy: same-origin",
                   b"X-Frame-Options: DENY", b"Cache-Control: no-store"):
        check(header in answer, f"{header} is missing")
    same(view.end(signal.SIGTERM), 0, "status")


def test_broken_requests_get_nothing():
    view = started()
    own = f"Host: 127.0.0.1:{view.port}\r\n".encode()
    line = f"GET {view.path} HTTP/1.1\r\n".encode()
    post = f"POST {view.path} HTTP/1.1\r\n".encode() + own
    cases = {"nothing": b"", "an empty line": b"\r\n", "empty lines": b"\r\n" * 10000, "half a line": line[:20], "no end": line + own,
             "no host": line + b"\r\n", "no version": line[:-11] + b"\r\n",
             "bytes": bytes(range(256)) * 64, "zeros": b"\0" * 100000,
             "a long path": b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n" + own + b"\r\n",
             "a long header": line + own + b"X: " + b"a" * 1000000 + b"\r\n\r\n",
             "many headers": line + own + b"".join(b"X-%d: a\r\n" % i for i in range(50000)) + b"\r\n",
             "many arguments": f"GET {view.path}blob?{'run=0&' * 5000} HTTP/1.1\r\n".encode() + own + b"\r\n", "a zero in the host": line + b"Host: 127.0.0.1\0:1\r\n\r\n",
             "a body that is too short": post + b"Content-Length: 1000000\r\n\r\nabc", "a length below zero": post + b"Content-Length: -1\r\n\r\n",
             "a length beyond all": post + b"Content-Length: 99999999999999999999\r\n\r\n",
             "chunks that are none": post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
             "a body on request": post + b"Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n"}
    for name, sent in cases.items():
        answer = exchange(view, sent, 1)  # to half a request there may be no answer
        check(all(400 <= status < 600 or status == 100 for status in statuses(answer)), f"{name}: {statuses(answer)}")
        check(b"<script" not in answer and view.path.encode() not in answer, f"{name}: something of the page")
        serves(view, name)
    same(view.end(signal.SIGTERM), 0, "status")


def test_only_who_knows_the_token_gets_the_page():
    view = started()
    token = view.path.strip("/")
    others = [token[:i] + ("0" if token[i] != "0" else "1") + token[i + 1:] for i in range(len(token))]
    others += [token[:-1], token + "0", token.upper() + "A", token[::-1] + "0", "", "..", "%00" + token, "%2f" + token, "." + token]
    for other in others:
        for path in (f"/{other}/", f"/{other}/blob?run=0&offset=0&bytes=10", f"/{other}/blocks?run=0&location=0&lane=0&level=0"):
            same(statuses(exchange(view, request(view, path))), [404], f"status of {path}")
    for path in ("../", "%2e%2e/", "..%2f..%2fetc/passwd", "../../../../etc/passwd", "blob/../", ".", "index.html", "blob%00", "//", "%", "%zz", "?",
                 "blob?run=%30&offset=0&bytes=%2d1", "blob?run=0&offset=0&bytes=16777217", "blocks?run=0&location=0"):
        found = statuses(exchange(view, request(view, view.path + path)))
        check(found in ([404], [400]) or (path == "?" and found == [200]), f"status of {path}: {found}")
    serves(view, "all this")
    same(view.end(signal.SIGTERM), 0, "status")


def test_no_other_name_reaches_it():
    """A page from elsewhere can make a browser ask here, under a name of its own that points to this machine."""
    view = started()
    for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", "localhost", f"127.0.0.1:{view.port - 1}", f"localhost.evil.example:{view.port}",
                 f"127.0.0.1.evil.example:{view.port}", f"[::1]:{view.port}", f"0.0.0.0:{view.port}", f"127.1:{view.port}", f"user@127.0.0.1:{view.port}", ""):
        same(statuses(exchange(view, request(view, host=host))), [403], f"status for host {host!r}")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH", "get"):
        same(statuses(exchange(view, request(view, method=method))), [405], f"status of {method}")
    try:
        socket.create_connection(("127.0.0.2", view.port), timeout=30).close()
        check(False, "it listens to more than 127.0.0.1")
    except ConnectionRefusedError:
        pass
    same(view.end(signal.SIGTERM), 0, "status")


def test_silent_connections_keep_nobody_out():
    """And do not keep the program from ending."""
    view = started()
    silent = []
    for i in range(HALF_OPEN):
        silent.append(socket.create_connection((view.host, view.port), timeout=30))
        silent[-1].sendall(request(view)[:i % 40])
    for _ in range(10):
        serves(view, "silent connections")
    reader = socket.create_connection((view.host, view.port), timeout=30)
    reader.sendall(request(view).replace(b"Connection: close\r\n", b"") * 100)  # and never reads what it asked for
    serves(view, "one that does not read")
    same(view.end(signal.SIGINT), 0, "status")
    for connection in [*silent, reader]:
        connection.close()
