"""Logging in to a user's server on behalf of translated code, which never learns the password.

SCRAM (RFC 5802 and 7677) as MongoDB carries it in saslStart and saslContinue, and PLAIN for servers that ask a directory.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from uom.run.engines.mongodb.wire import op_msg, read_message, reply_of
from uom.run.engines.relaying import Stream, WireProblem

_MOST_STEPS = 4


@dataclass(frozen=True, slots=True)
class Login:
    """`source` is the database that knows the user. `mechanism` is "" where the server is to say which it knows."""

    user: str
    password: str = field(repr=False)
    source: str = "admin"
    mechanism: str = ""


async def log_in(server: Stream, login: Login) -> None:
    """Raises WireProblem where the server does not let the user in, or does not prove that it knows the password."""
    mechanism = login.mechanism or await _mechanism(server, login)
    if mechanism == "PLAIN":
        payload = f"\0{login.user}\0{login.password}".encode()
        await _ask(server, {"saslStart": 1, "mechanism": "PLAIN", "payload": payload, "$db": login.source})
        return
    import scramp  # only few servers ask for it

    password = login.password
    if mechanism == "SCRAM-SHA-1":  # MongoDB's own: a digest takes the place of the password
        password = hashlib.md5(f"{login.user}:mongo:{password}".encode(), usedforsecurity=False).hexdigest()
    client = scramp.ScramClient([mechanism], login.user, password)
    start = {"saslStart": 1, "mechanism": mechanism, "payload": client.get_client_first().encode(), "$db": login.source}
    try:
        reply = await _ask(server, start)
        client.set_server_first(_payload(reply))
        reply = await _ask(server, _continued(reply, client.get_client_final().encode(), login))
        client.set_server_final(_payload(reply))
    except scramp.ScramException as error:
        raise WireProblem(f"the login failed: {error}") from error
    for _ in range(_MOST_STEPS):
        if reply.get("done"):
            return
        reply = await _ask(server, _continued(reply, b"", login))
    raise WireProblem("the login does not end")


async def _mechanism(server: Stream, login: Login) -> str:
    hello = {"hello": 1, "saslSupportedMechs": f"{login.source}.{login.user}", "$db": "admin"}
    known = (await _ask(server, hello)).get("saslSupportedMechs") or ()
    return "SCRAM-SHA-1" if known and "SCRAM-SHA-256" not in known else "SCRAM-SHA-256"


def _continued(reply: Mapping[str, Any], payload: bytes, login: Login) -> dict[str, Any]:
    return {
        "saslContinue": 1,
        "conversationId": reply.get("conversationId", 1),
        "payload": payload,
        "$db": login.source,
    }


def _payload(reply: Mapping[str, Any]) -> str:
    payload = reply.get("payload", b"")
    if isinstance(payload, str):  # as old servers do
        return base64.b64decode(payload).decode("utf-8", "replace")
    return bytes(payload).decode("utf-8", "replace")


async def _ask(server: Stream, command: Mapping[str, Any]) -> dict[str, Any]:
    server.writer.write(op_msg(command, 0).encoded())
    await server.writer.drain()
    answer = await read_message(server.reader)
    if answer is None:
        raise WireProblem("the server closed the connection")
    reply = reply_of(answer)
    if not reply.get("ok"):
        raise WireProblem(f"the login failed: {reply.get('errmsg', 'no reason')}")
    return reply
