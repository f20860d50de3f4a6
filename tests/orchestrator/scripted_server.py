"""An OpenAI-compatible server of ours that answers from a script: real HTTP, streams, tool calls, and every way to fail."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer. `arguments` become a tool call (text is sent as it is); `hang` seconds pass before anything is said."""

    arguments: Mapping[str, Any] | str | None = None
    content: str = ""
    finish: str = ""
    refusal: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drop: bool = False
    body: str | None = None
    """Sent in place of a well-formed document."""


@dataclass
class ScriptedServer:
    """`requests` are the bodies that came, in order. The last reply repeats when the script is at its end."""

    script: Sequence[Reply]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorisations: list[str] = field(default_factory=list)

    def next(self, request: dict[str, Any], authorisation: str) -> Reply:
        self.requests.append(request)
        self.authorisations.append(authorisation)
        return self.script[min(len(self.requests), len(self.script)) - 1]

    def prompt(self, number: int) -> str:
        return "\n".join(str(m["content"]) for m in self.requests[number]["messages"])


@contextmanager
def serve(*script: Reply) -> Iterator[ScriptedServer]:
    scripted = ScriptedServer(script)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = json.loads(self.rfile.read(length))
            reply = scripted.next(request, self.headers.get("Authorization", ""))
            time.sleep(reply.hang)
            if reply.drop:
                self.connection.close()
                return
            if request.get("stream") and reply.status == 200 and reply.body is None:
                self.say("text/event-stream", 200, reply, "".join(events(request, reply)))
            else:
                self.say("application/json", reply.status, reply, document(request, reply))

        def say(self, kind: str, status: int, reply: Reply, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):  # who asked has given up
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scripted.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def message(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = {"role": "assistant", "content": reply.content or None}
    if reply.refusal:
        found["refusal"] = reply.refusal
    if reply.arguments is not None:
        text = reply.arguments if isinstance(reply.arguments, str) else json.dumps(reply.arguments)
        name = request["tools"][0]["function"]["name"]
        found["tool_calls"] = [{"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}]
    return found


def reason(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.arguments is not None else "stop")


def document(request: dict[str, Any], reply: Reply) -> str:
    if reply.body is not None:
        return reply.body
    if reply.status != 200:
        return json.dumps({"error": {"message": f"status {reply.status}", "type": "scripted"}})
    choice = {"index": 0, "message": message(request, reply), "finish_reason": reason(reply)}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": request["model"], "usage": USAGE}
    return json.dumps({**head, "choices": [choice]})


def events(request: dict[str, Any], reply: Reply) -> Iterator[str]:
    """The same answer in small pieces."""
    whole = message(request, reply)
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": request["model"]}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    content = reply.content
    deltas += [{"content": content[i : i + 7]} for i in range(0, len(content), 7)]
    if reply.refusal:
        deltas.append({"refusal": reply.refusal})
    for call in whole.get("tool_calls", ()):
        text = call["function"]["arguments"]
        first = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": 0, "id": call["id"], "type": "function", "function": first}]})
        pieces = [text[i : i + 50] for i in range(0, len(text), 50)]
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    for delta in deltas:
        yield f"data: {json.dumps({**head, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]})}\n\n"
    yield f"data: {json.dumps({**head, 'choices': [{'index': 0, 'delta': {}, 'finish_reason': reason(reply)}]})}\n\n"
    yield f"data: {json.dumps({**head, 'choices': [], 'usage': USAGE})}\n\n"
    yield "data: [DONE]\n\n"
