"""The user's connection string: what the relay does with it, and what translated code gets."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

from tests.engines.conftest import own_server
from uom.run.engines.mongodb import server
from uom.run.engines.mongodb.addresses import read_address, reason_of, through, without_password
from uom.run.engines.mongodb.login import Login
from uom.run.engines.mongodb.relay import Relay
from uom.run.engines.mongodb.server import MongoEngine, client_for
from uom.run.failures import EnvironmentFailure
from uom.run.toolchain import Toolchain


@pytest.mark.parametrize(
    ("uri", "login"),
    [
        ("mongodb://host", None),
        ("mongodb://a:27018,b:27019/?replicaSet=rs", None),
        ("mongodb://u:p@host:1/db", Login("u", "p", "db")),
        ("mongodb://u:p@host:1", Login("u", "p", "admin")),
        ("mongodb://u:p@host:1/db?authSource=other&authMechanism=DEFAULT", Login("u", "p", "other")),
        (
            "mongodb://u%40x:p%3A%2F@host/?authSource=admin&authMechanism=SCRAM-SHA-256&tls=true&compressors=zlib",
            Login("u@x", "p:/", "admin", "SCRAM-SHA-256"),
        ),
        ("mongodb://u:p@host/?authMechanism=PLAIN", Login("u", "p", "$external", "PLAIN")),
    ],
)
def test_who_the_relay_logs_in_as(uri: str, login: Login | None) -> None:
    assert read_address(uri).login == login
    assert "p:/" not in repr(read_address(uri))


def test_translated_code_only_learns_of_the_relay() -> None:
    assert through("127.0.0.1:9") == "mongodb://127.0.0.1:9/?directConnection=true"


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("mongodb://u@host/?authMechanism=GSSAPI", "GSSAPI is bound"),
        ("mongodb://u@host/?authMechanism=MONGODB-X509&tls=true", "X509 is bound"),
        ("mongodb://host:port", "MONGODB_URI"),
        ("localhost:27017", "MONGODB_URI"),
        ("mongodb://host/?tls=true&tlsCAFile=/nowhere/ca.pem", "MONGODB_URI"),
    ],
)
def test_what_cannot_be_relayed_is_refused(uri: str, why: str) -> None:
    with pytest.raises(EnvironmentFailure, match=why):
        read_address(uri)


def test_tls_follows_the_options() -> None:
    assert read_address("mongodb://host").tls is None
    strict = read_address("mongodb://host/?tls=true").tls
    assert strict is not None
    assert strict.check_hostname
    assert strict.verify_mode is ssl.CERT_REQUIRED
    loose = read_address("mongodb://host/?tls=true&tlsAllowInvalidCertificates=true").tls
    assert loose is not None
    assert not loose.check_hostname
    assert loose.verify_mode is ssl.CERT_NONE
    by_name = read_address("mongodb://host/?tls=true&tlsAllowInvalidHostnames=true").tls
    assert by_name is not None
    assert by_name.verify_mode is ssl.CERT_REQUIRED


def test_passwords_stay_out_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without_password("mongodb://u:secret@h/") == "mongodb://***@h/"
    assert reason_of(ValueError("mongodb://u:secret@h failed (configured timeouts: ...), Timeout: 5s")) == "mongodb://***@h failed"  # fmt: skip
    monkeypatch.setattr(server, "client_for", lambda uri: MongoClient(uri, serverSelectionTimeoutMS=200))
    with pytest.raises(EnvironmentFailure) as failure:
        MongoEngine(None, "mongodb://u:secret@127.0.0.1:1/?directConnection=true")
    assert "secret" not in str(failure.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_server_with_tls(tools: Toolchain, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    subprocess.run(
        [*command, "-keyout", key, "-out", certificate, "-days", "2", *subject], check=True, capture_output=True
    )
    flags = ("--storage-path", ":memory:", "--standalone", "--tls-cert-file", str(certificate), "--tls-key-file", str(key))  # fmt: skip
    with own_server(tools, tmp_path, *flags) as port:
        uri = f"mongodb://127.0.0.1:{port}/?directConnection=true&tls=true&tlsCAFile={certificate}"
        with MongoEngine(None, uri) as engine, client_for(engine.relay_uri) as client:
            with engine.fresh_database({"rows": [{"_id": 1}]}) as name:
                assert list(client[name].rows.find()) == [{"_id": 1}]
            with pytest.raises(OperationFailure, match="only reads"):
                client[name].rows.insert_one({"_id": 2})


def test_a_server_with_passwords(tools: Toolchain, tmp_path: Path) -> None:
    store = ("--storage-path", str(tmp_path / "store"), "--standalone")
    user = {"createUser": "us er", "pwd": "p:/@%", "roles": ["root"]}
    with own_server(tools, tmp_path, *store) as port, client_for(f"mongodb://127.0.0.1:{port}/?directConnection=true") as client:  # fmt: skip
        client.admin.command(user)
    with own_server(tools, tmp_path, *store, "--auth") as port:
        uri = f"mongodb://us%20er:p%3A%2F%40%25@127.0.0.1:{port}/?directConnection=true&authSource=admin"
        for mechanism in ("", "&authMechanism=SCRAM-SHA-256"):
            with MongoEngine(None, uri + mechanism) as engine, engine.fresh_database({"rows": [{"_id": 1}]}) as name:
                assert "us" not in engine.relay_uri
                with client_for(engine.relay_uri) as client:
                    assert list(client[name].rows.find()) == [{"_id": 1}]
                with client_for(engine.relay_uri.replace("//", "//stranger:p@")) as client, pytest.raises(PyMongoError):
                    client[name].rows.find_one()  # nobody logs in through the relay
        with Relay("127.0.0.1", port, login=Login("us er", "wrong")) as relay, pytest.raises(PyMongoError):
            client_for(through(relay.address)).admin.command("ping")
