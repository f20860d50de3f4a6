"""What runs inside a Daytona sandbox and answers for it: commands and files. Standard library only: it is shut in."""

from __future__ import annotations

import email.policy
import json
import os
import socketserver
import subprocess
import sys
from email.message import EmailMessage
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        actions = {
            "/process/execute": self.execute,
            "/files/bulk-upload": self.upload,
            "/files/bulk-download": self.download,
        }
        action = actions.get(self.path)
        if action is None:
            self.answer(404, "application/json", b'{"message": "not found"}')
        else:
            action(body)

    def execute(self, body: bytes) -> None:
        request = json.loads(body)
        environment = {**os.environ, **(request.get("envs") or {})}
        try:
            done = subprocess.run(
                ["bash", "-c", request["command"]], capture_output=True, env=environment, timeout=request.get("timeout"),
                cwd=request.get("cwd") or "/", start_new_session=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            self.answer(408, "application/json", b'{"message": "command execution timeout", "statusCode": 408}')
            return
        result = {"exitCode": done.returncode, "result": (done.stdout + done.stderr).decode("utf-8", "replace")}
        self.answer(200, "application/json", json.dumps(result).encode())

    def upload(self, body: bytes) -> None:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = BytesParser(EmailMessage, policy=email.policy.HTTP).parsebytes(head + body)
        parts: dict[str, bytes] = {}
        for part in message.iter_parts():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            parts[str(part.get_param("name", header="content-disposition"))] = content
        for name, content in parts.items():
            if name.endswith(".path"):
                Path(content.decode()).write_bytes(parts[name.removesuffix(".path") + ".file"])
        self.answer(200, "application/json", b"{}")

    def download(self, body: bytes) -> None:
        out = b""
        for path in json.loads(body)["paths"]:
            try:
                kind, name, content = "application/octet-stream", "file", Path(path).read_bytes()
            except OSError as error:
                kind, name, content = (
                    "application/json",
                    "error",
                    json.dumps({"message": str(error), "statusCode": 404}).encode(),
                )
            head = f'--BOUND\r\nContent-Disposition: form-data; name="{name}"; filename="{path}"\r\nContent-Type: {kind}\r\n\r\n'
            out += head.encode() + content + b"\r\n"
        self.answer(200, "multipart/form-data; boundary=BOUND", out + b"--BOUND--\r\n")

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "host"

    def log_message(self, *_: object) -> None:
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


if __name__ == "__main__":
    Server(sys.argv[1], Handler).serve_forever()
