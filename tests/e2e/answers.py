"""The handler of HTTP requests that servers of tests share."""
import http.server


class AnswerHandler(http.server.BaseHTTPRequestHandler):
    """Answers whole bodies on connections that stay open, and logs nothing."""
    protocol_version = "HTTP/1.1"

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
