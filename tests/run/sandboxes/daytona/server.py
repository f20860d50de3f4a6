"""The part of Daytona's HTTP API that its client uses for us. Each sandbox is one bubblewrap with a toolbox in it."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from uom.run.failures import EnvironmentFailure
from uom.run.sandboxes.bubblewrap import View, bubblewrap, python_inside
from uom.run.sandboxes.confined import Confined, Program
from uom.run.sandboxes.endpoints import TcpEndpoint
from uom.run.sandboxes.local import Furnishing
from uom.run.sandboxes.protocol import Limits, SandboxType
from uom.run.sandboxes.toolchains import furnish

KEY = "dtn_0123456789abcdef"
TOOLBOX = Path(__file__).with_name("toolbox.py")


@dataclass
class Box:
    """A sandbox of the server's; `states` are told one after the other, the last one from then on."""

    id: str
    request: dict[str, Any]
    folder: Path
    states: list[str]
    reach: tuple[TcpEndpoint, ...] = ()
    program: Confined | None = None

    def dto(self, base: str) -> dict[str, Any]:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {
            "id": self.id, "organizationId": "o", "name": self.id, "user": "daytona", "env": {}, "public": False,
            "labels": self.request.get("labels") or {}, "networkBlockAll": False, "kvm": False, "target": "local", "cpu": 1,
            "gpu": 0, "memory": 1, "disk": 1, "state": state, "toolboxProxyUrl": f"{base}/toolbox",
        }  # fmt: skip

    def start(self) -> None:
        kind = (self.request.get("labels") or {}).get("uom.sandbox", "")
        try:
            furnishing = furnish(SandboxType(kind))
        except (EnvironmentFailure, ValueError):
            furnishing = Furnishing()
        own = self.folder / uuid.uuid4().hex[:8]
        for name in ("home", "tmp", "socket"):
            (own / name).mkdir(parents=True)
        for path, text in furnishing.home.items():
            (own / "home" / path).parent.mkdir(parents=True, exist_ok=True)
            (own / "home" / path).write_text(text)
        (self.folder / "work").mkdir(exist_ok=True)
        writable = (
            (self.folder / "work", "/sandbox"),
            (own / "home", "/home/sandbox"),
            (own / "tmp", "/tmp"),
            (own / "socket", "/run/socket"),
        )
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/home/sandbox", "LANG": "C.UTF-8", **furnishing.environment}
        program = Program(
            (python_inside()[0], "-I", "/run/toolbox.py", "/run/socket/s"), environment,
            View(furnishing.read_only, writable, ((TOOLBOX, "/run/toolbox.py"),)), own, Limits(memory_mb=2048, processes=500), self.reach, stays=True,
        )  # fmt: skip
        self.program = Confined(program, bubblewrap())
        self.socket = own / "socket" / "s"
        while not self.socket.exists():
            time.sleep(0.01)

    def stop(self) -> None:
        if self.program is not None:
            self.program.kill()
            self.program = None


@dataclass
class Daytona:
    """A running server. `requests` has method, path and body of what was asked."""

    folder: Path
    boxes: dict[str, Box] = field(default_factory=dict)
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)
    reach: tuple[TcpEndpoint, ...] = ()
    """What its network lets new sandboxes talk to."""
    fail_with: int = 0
    """Answer every call to the API with this status."""

    def __post_init__(self) -> None:
        daytona = self

        class Handler(_Handler):
            server_state = daytona

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        for box in self.boxes.values():
            box.stop()


class _Handler(BaseHTTPRequestHandler):
    server_state: Daytona
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._handle()

    do_POST = do_DELETE = do_PUT = do_GET

    def _handle(self) -> None:
        state = self.server_state
        body = self._body()
        url = urlsplit(self.path)
        parts = url.path.strip("/").split("/")
        state.requests.append((self.command, url.path, body))
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            self._json(401, {"message": f"Unauthorized: {self.headers.get('Authorization')}", "statusCode": 401})
        elif parts[0] == "toolbox":
            self._toolbox(state.boxes.get(parts[1]), "/" + "/".join(parts[2:]), body)
        elif state.fail_with:
            self._json(state.fail_with, {"message": "no", "statusCode": state.fail_with})
        elif parts[:2] == ["api", "sandbox"]:
            self._api(parts[2:], parse_qs(url.query), body)
        else:
            self._json(404, {"message": "not found", "statusCode": 404})

    def _api(self, parts: list[str], query: dict[str, list[str]], body: bytes) -> None:
        state = self.server_state
        box = state.boxes.get(parts[0]) if parts else None
        match (self.command, parts[1:] if parts else None):
            case ("POST", None):
                self._create(json.loads(body))
            case ("GET", None):
                wanted = json.loads(query.get("labels", ["{}"])[0])
                found = [b for b in state.boxes.values() if wanted.items() <= (b.request.get("labels") or {}).items()]
                self._json(200, {"items": [b.dto(state.base) for b in found], "nextCursor": None})
            case _ if box is None:
                self._json(404, {"message": "no such sandbox", "statusCode": 404})
            case ("GET", []):
                self._json(200, box.dto(state.base))
            case ("GET", ["build-logs-url"]):
                self._json(200, {"url": f"{state.base}/api/sandbox/{box.id}/build-logs"})
            case ("GET", ["build-logs"]):
                self._send(200, "text/plain", b"Step 1/2 : FROM\nbuilt\n")
            case ("POST", ["start"]):
                box.start()
                box.states = ["starting", "started"]
                self._json(200, box.dto(state.base))
            case ("POST", ["stop"]):
                box.stop()
                box.states = ["stopped"]
                self._json(200, box.dto(state.base))
            case ("DELETE", []):
                box.stop()
                shutil.rmtree(box.folder, ignore_errors=True)
                state.boxes.pop(box.id)
                box.states = ["destroyed"]
                self._json(200, box.dto(state.base))
            case _:
                self._json(404, {"message": "not found", "statusCode": 404})

    def _create(self, request: dict[str, Any]) -> None:
        state = self.server_state
        states = ["pending_build", "starting", "started"] if "buildInfo" in request else ["creating", "started"]
        box = Box(uuid.uuid4().hex, request, state.folder / uuid.uuid4().hex[:8], states, state.reach)
        box.folder.mkdir()
        box.start()
        state.boxes[box.id] = box
        self._json(200, box.dto(state.base))

    def _toolbox(self, box: Box | None, path: str, body: bytes) -> None:
        if box is None or box.program is None:
            self._json(502, {"message": "the sandbox is not running", "statusCode": 502})
            return
        connection = http.client.HTTPConnection("toolbox")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(box.socket))
        connection.request(self.command, path, body, {"Content-Type": self.headers.get("Content-Type", "")})
        answer = connection.getresponse()
        self._send(answer.status, answer.headers["Content-Type"], answer.read())
        connection.close()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _json(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(content).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
