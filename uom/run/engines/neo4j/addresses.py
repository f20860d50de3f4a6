"""A user's Neo4j: where it is and who asks, from NEO4J_URI and its companions."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from uom.run.failures import EnvironmentFailure

_SCHEMES = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?")
_REMEDY = "Write bolt://host:7687 or neo4j+s://host, and name user and password in NEO4J_USERNAME and NEO4J_PASSWORD."


@dataclass(frozen=True, slots=True)
class Address:
    """`uri` is without credentials; `database` is "" when the user named none."""

    uri: str
    host: str
    port: int
    security: str
    user: str
    password: str = field(repr=False)
    database: str = ""

    @property
    def credentials(self) -> tuple[str, str] | None:
        """As the Python driver wants them; None for a server without authentication."""
        return (self.user, self.password) if self.user or self.password else None

    @property
    def auth(self) -> dict[str, Any]:
        """As Bolt's LOGON wants them."""
        if self.credentials is None:
            return {"scheme": "none"}
        return {"scheme": "basic", "principal": self.user, "credentials": self.password}

    def tls(self) -> ssl.SSLContext | None:
        """How the relay speaks to the server; None for a plain connection."""
        if not self.security:
            return None
        context = ssl.create_default_context()
        if self.security == "+ssc":
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


def read_address(uri: str, environment: Mapping[str, str] = os.environ) -> Address:
    """Raises EnvironmentFailure for what is no Bolt address. Credentials in the URI win over those of the environment."""
    try:
        parts = urlsplit(uri)
        port = parts.port or 7687
    except ValueError as error:
        raise EnvironmentFailure("NEO4J_URI", str(error), _REMEDY) from None
    scheme = _SCHEMES.fullmatch(parts.scheme)
    if scheme is None or not parts.hostname:
        raise EnvironmentFailure("NEO4J_URI", f"'{without_password(uri)}' is no Bolt address", _REMEDY)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not user and not password:
        password = environment.get("NEO4J_PASSWORD", "")
        user = environment.get("NEO4J_USERNAME", "") or ("neo4j" if password else "")
    query = f"?{parts.query}" if parts.query and scheme[1] == "neo4j" else ""
    clean = f"{parts.scheme}://{host}:{port}{query}"
    database = parts.path.strip("/") or environment.get("NEO4J_DATABASE", "")
    return Address(clean, parts.hostname, port, scheme[2] or "", user, password, database)


def without_password(text: str) -> str:
    """For messages."""
    return re.sub(r"://[^/@\s]*@", "://***@", text)


def reason_of(error: BaseException) -> str:
    """The first line of a driver's complaint, and what lies at the bottom of it."""
    text = without_password(str(getattr(error, "message", None) or error))
    first = re.split(r"[\n]| \(resolved to", text)[0] or type(error).__name__
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    last = str(cause).splitlines()[-1:] if cause is not error else []
    return f"{first}: {last[0]}" if last and last[0] not in first else first
