"""The server and the handler of HTTP requests that tests share."""
import http.server


class ManyServer(http.server.ThreadingHTTPServer):
    """Takes many connections at once: those beyond the queue would be reset."""
    request_queue_size = 1024
    daemon_threads = True


class AnswerHandler(http.server.BaseHTTPRequestHandler):
    """Answers whole bodies on connections that stay open, and logs nothing."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits for the receipt of its headers, 40 ms

    def log_message(self, *_):
        pass

    def answer(self, code, data=b"", kind="application/octet-stream", headers=()):
        self.send_response(code)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
