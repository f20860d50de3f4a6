"""Logging in, against a server that knows SCRAM in the way of old MongoDB servers, and PLAIN."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any

import pytest
import scramp

from uom.run.engines.mongodb.login import Login, log_in
from uom.run.engines.mongodb.wire import command_of, op_msg, read_message
from uom.run.engines.relaying import Stream, WireProblem

USER, PASSWORD = "us=er,", "p,=ä"
DIGEST = hashlib.md5(f"{USER}:mongo:{PASSWORD}".encode(), usedforsecurity=False).hexdigest()


class OldServer:
    """One login per connection. `mechanisms` is what its hello says of the user."""

    def __init__(self, mechanisms: list[str], has_empty_step: bool) -> None:
        self.mechanisms = mechanisms
        self.has_empty_step = has_empty_step
        self.logged_in = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mechanism = scramp.ScramMechanism("SCRAM-SHA-1")
        known = {USER: mechanism.make_auth_info(DIGEST)}
        scram = mechanism.make_server(lambda user: known[user])
        while (message := await read_message(reader)) is not None:
            try:
                reply = self.answer(command_of(message), scram)
            except Exception as error:
                reply = {"ok": 0.0, "errmsg": f"no: {error}"}
            writer.write(op_msg(reply, message.request_id).encoded())
        writer.close()

    def answer(self, command: Mapping[str, Any], scram: Any) -> dict[str, Any]:
        if "hello" in command:
            return {"ok": 1.0, "saslSupportedMechs": self.mechanisms}
        assert command["$db"] == "people"
        if command.get("mechanism") == "PLAIN":
            done = bytes(command["payload"]) == f"\0{USER}\0{PASSWORD}".encode()
            self.logged_in += done
            return {"ok": float(done), "done": done, "errmsg": "wrong"}
        payload = bytes(command["payload"]).decode()
        if "saslStart" in command:
            assert command["mechanism"] == "SCRAM-SHA-1"
            scram.set_client_first(payload)
            return {"ok": 1.0, "conversationId": 7, "done": False, "payload": scram.get_server_first().encode()}
        assert command["conversationId"] == 7
        if not payload:
            self.logged_in += 1
            return {"ok": 1.0, "conversationId": 7, "done": True, "payload": b""}
        scram.set_client_final(payload)
        self.logged_in += not self.has_empty_step
        final = scram.get_server_final().encode()
        return {"ok": 1.0, "conversationId": 7, "done": not self.has_empty_step, "payload": final}


def logged_in(server: OldServer, login: Login) -> int:
    async def run() -> int:
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        try:
            await asyncio.wait_for(log_in(Stream(reader, writer), login), 10)
        finally:
            writer.close()
            listening.close()
        return server.logged_in

    return asyncio.run(run())


@pytest.mark.parametrize("has_empty_step", [True, False])
@pytest.mark.parametrize("mechanism", ["", "SCRAM-SHA-1", "PLAIN"])
def test_the_server_lets_the_user_in(mechanism: str, has_empty_step: bool) -> None:
    server = OldServer(["SCRAM-SHA-1"], has_empty_step)
    assert logged_in(server, Login(USER, PASSWORD, "people", mechanism)) == 1


@pytest.mark.parametrize("mechanism", ["", "SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"])
def test_a_wrong_password_is_said(mechanism: str) -> None:
    with pytest.raises(WireProblem, match="login failed"):
        logged_in(OldServer(["SCRAM-SHA-1"], True), Login(USER, "other", "people", mechanism))
