"""A user's connection string: what the relay connects to, and what translated code gets instead."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from uom.run.engines.mongodb.login import Login
from uom.run.failures import EnvironmentFailure

_THROUGH_A_RELAY = frozenset({"", "DEFAULT", "SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"})


@dataclass(frozen=True, slots=True)
class Address:
    """How the relay speaks to the server, and as whom."""

    tls: ssl.SSLContext | None
    login: Login | None


def through(relay: str) -> str:
    """The connection string for translated code: to the relay, without any name or password."""
    return f"mongodb://{relay}/?directConnection=true"


def read_address(uri: str) -> Address:
    """Raises EnvironmentFailure for what cannot go through a relay."""
    try:
        parsed = parse_uri(uri, warn=False)
    except (PyMongoError, ValueError, OSError) as error:
        raise EnvironmentFailure("MONGODB_URI", without_password(str(error)), "Check the connection string.") from None
    options: Mapping[str, Any] = {key.lower(): value for key, value in parsed["options"].items()}
    mechanism = str(options.get("authmechanism") or "")
    if mechanism not in _THROUGH_A_RELAY:
        raise EnvironmentFailure(
            "MONGODB_URI",
            f"authentication by {mechanism} is bound to the server's own connection and cannot be relayed",
            "Name a user with a password (SCRAM).",
        )
    user, password = parsed["username"], parsed["password"]
    if user is None:
        return Address(_tls(options), None)
    external = "$external" if mechanism == "PLAIN" else ""
    source = str(options.get("authsource") or external or parsed["database"] or "admin")
    return Address(_tls(options), Login(user, password or "", source, "" if mechanism == "DEFAULT" else mechanism))


def _tls(options: Mapping[str, Any]) -> ssl.SSLContext | None:
    """The context that the URI's tls options ask for; None for a plain connection."""
    wants = options.get("tls", options.get("ssl", any(key.startswith("tls") for key in options)))
    if not wants:
        return None
    try:
        context = ssl.create_default_context(cafile=options.get("tlscafile"))
        insecure = bool(options.get("tlsinsecure"))
        if insecure or options.get("tlsallowinvalidhostnames") or options.get("tlsallowinvalidcertificates"):
            context.check_hostname = False
        if insecure or options.get("tlsallowinvalidcertificates"):
            context.verify_mode = ssl.CERT_NONE
        if options.get("tlscertificatekeyfile"):
            context.load_cert_chain(
                options["tlscertificatekeyfile"], password=options.get("tlscertificatekeyfilepassword")
            )
        if options.get("tlscrlfile"):
            context.load_verify_locations(options["tlscrlfile"])
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    except (OSError, ValueError) as error:
        raise EnvironmentFailure(
            "MONGODB_URI", f"its TLS files cannot be used: {error}", "Check tlsCAFile and tlsCertificateKeyFile."
        ) from error
    return context


def without_password(text: str) -> str:
    """For messages."""
    return re.sub(r"://[^/@\s]*@", "://***@", text)


def reason_of(error: Exception) -> str:
    """The first line of a driver's complaint, without the password and the state of the whole topology."""
    text = without_password(str(error)).splitlines()[0] if str(error) else type(error).__name__
    return re.split(r" \(configured timeouts|, Timeout: |, full error", text)[0]
