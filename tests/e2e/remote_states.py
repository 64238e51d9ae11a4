#!/usr/bin/env python3
"""Reads the states of several terraform_remote_state data sources at the same time.

  remote_states.py --binary PATH

The service answers no request before five of them have arrived.
"""
import argparse
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

TOGETHER = 5
CONFIGURATION = """data "terraform_remote_state" "many" {
  count   = %d
  backend = "http"
  config  = { address = "http://127.0.0.1:%d/${count.index}" }
}
data "terraform_remote_state" "one" {
  backend = "http"
  config  = { address = "http://127.0.0.1:%d/one" }
}
output "paths" { value = [for s in data.terraform_remote_state.many : s.outputs.path] }
output "one" { value = data.terraform_remote_state.one.outputs.path }
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    arrived = threading.Barrier(TOGETHER)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                arrived.wait(timeout=30)
            except threading.BrokenBarrierError:
                self.send_error(400)
                return
            body = json.dumps({"version": 4, "terraform_version": "1.12.6", "serial": 1,
                               "lineage": "l", "resources": [],
                               "outputs": {"path": {"value": self.path, "type": "string"}}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "main.tf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % (TOGETHER - 1, port, port))
        run = subprocess.run([binary, "apply", "-auto-approve", "-no-color"], cwd=directory,
                             env={"PATH": os.environ.get("PATH", ""), "HOME": directory,
                                  "TF_CLI_CONFIG_FILE": os.devnull},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                             check=False)
        good = run.returncode == 0 and 'one = "/one"' in run.stdout and \
            all('"/%d",' % i in run.stdout for i in range(TOGETHER - 1))
        if not good:
            print(run.stdout, run.stderr)
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
