"""The handshake through a relay: one plain server, one reply per request, no way around.

A driver that learns of a replica set's members would connect to them directly; one that may stream would wait for
replies that it never asked for; one that compresses could not be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STREAMING = frozenset({"topologyVersion", "maxAwaitTimeMS"})
_NOT_ASKED = _STREAMING | {"compression", "loadBalanced", "speculativeAuthenticate", "saslSupportedMechs"}
_NOT_TOLD = _STREAMING | frozenset(
    """
    hosts passives arbiters me primary setName setVersion electionId lastWrite tags hidden passive compression serviceId
    """.split()
)


def plain_request(command: Mapping[str, Any]) -> dict[str, Any]:
    """The client's hello without streaming, compression and login: the relay has logged in."""
    return {key: value for key, value in command.items() if key not in _NOT_ASKED}


def plain_reply(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The server's answer as that of a standalone server."""
    return {key: value for key, value in reply.items() if key not in _NOT_TOLD}
