"""A user's connection string: what the relay connects to, and what translated code gets instead."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlencode

from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from uom.run.failures import EnvironmentFailure

_THROUGH_A_RELAY = frozenset({"", "DEFAULT", "SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"})


@dataclass(frozen=True, slots=True)
class Address:
    """`tls` is how the relay speaks to the server; `prefix` and `suffix` surround the relay's address in a URI."""

    tls: ssl.SSLContext | None
    prefix: str
    suffix: str

    def through(self, relay: str) -> str:
        """The connection string for translated code: plain to the relay on this machine, and nowhere else."""
        return f"mongodb://{self.prefix}{relay}{self.suffix}"


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
    prefix = "" if user is None else quote_plus(user) + (f":{quote_plus(password)}" if password else "") + "@"
    kept = {"directConnection": "true"}
    for key, name in (("authsource", "authSource"), ("authmechanism", "authMechanism")):
        if options.get(key):
            kept[name] = str(options[key])
    return Address(_tls(options), prefix, f"/{parsed['database'] or ''}?{urlencode(kept)}")


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
