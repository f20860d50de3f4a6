"""Deployment settings: configurable beats environment beats default. Credentials are secrets and stay out of sight."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from pydantic import Field, SecretStr, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from uom.run.engines.mongodb.addresses import without_password
from uom.run.failures import EnvironmentFailure

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

DEFAULT_MODEL = "einfra/kimi-k2.6"
DEFAULT_API_URL = "https://llm.ai.e-infra.cz/v1"
ENVIRONMENT_NAMES = {"ms_sql_connection_string": "MSSQL_CONNECTION_STRING"}
"""Fields whose variable is not their name in capitals."""


@dataclass(kw_only=True)
class Context:
    """Settings of one run. A field that nobody sets is bound to the environment when the object is made."""

    model: str = Field(default=DEFAULT_MODEL, description="The chat model of nodes that may ask one, provider/name.")
    openai_api_url: str = Field(default=DEFAULT_API_URL, description="Endpoint of an OpenAI-compatible provider.")
    openai_api_key: SecretStr = Field(default=SecretStr(""), description="Its key. Without one no model is asked.")
    model_timeout: int = Field(default=120, gt=0, description="Seconds for one answer of a model.")
    db_toolbox_uri: str = Field(default="http://localhost:5010", description="MCP Toolbox for databases.")
    mongodb_mcp_uri: str = Field(default="http://localhost:3010/mcp", description="MongoDB's MCP server.")
    sandbox_execution_timeout: int = Field(default=480, gt=0, description="Seconds for compiling and running one side.")
    daytona_api_url: str = Field(default="http://localhost:3000/api", description="Daytona's workspace manager.")
    daytona_api_key: SecretStr = Field(default=SecretStr(""), description="Its key.")
    ms_sql_connection_string: SecretStr = Field(
        default=SecretStr("Server=localhost,1333;Database=master;User Id=sa;TrustServerCertificate=True"),
        description="SQL Server for the C# side. Unless it is set, an embedded PostgreSQL stands in.",
    )
    mongodb_uri: str = Field(
        default="mongodb://localhost:27027", description="MongoDB for the Java side. Unless it is set, an embedded one."
    )
    neo4j_uri: str = Field(
        default="neo4j://localhost:7697", description="Neo4j for the Java side. Unless it is set, an embedded one."
    )
    neo4j_username: str = Field(default="neo4j", description="User of that Neo4j.")
    neo4j_password: SecretStr = Field(default=SecretStr(""), description="Its password.")
    translator: Literal["hybrid", "compiler", "llm"] = Field(
        default="hybrid", description="hybrid: a model gets what the compiler refuses. compiler: none. llm: everything."
    )
    sandbox: Literal["local", "daytona"] = Field(default="local", description="Where code runs that a model wrote.")
    portable: bool = Field(
        default=False, description="Build and run both sides with dotnet and Maven in sandboxes, as anybody could."
    )
    unsafe_no_sandbox: bool = Field(
        default=False, description="Run a model's code without a sandbox where there is none. It may do anything."
    )
    verdict: Literal["rows", "samples"] = Field(
        default="rows", description="rows: every row is compared. samples: counts and edge rows, which is no proof."
    )
    data_file: str = Field(
        default="", description="JSON file with rows of each table. Without one, the bundled sample."
    )

    def __post_init__(self) -> None:
        """Binds fields that still have their default to the environment, with their own type."""
        hints = _hints()
        for f in fields(self):
            default = _default(f.name)
            if getattr(self, f.name) != default:
                continue
            variable = ENVIRONMENT_NAMES.get(f.name, f.name.upper())
            text = os.environ.get(variable)
            if text:
                setattr(self, f.name, _typed(variable, text, hints[f.name], f.name in SECRETS))

    def is_set(self, name: str) -> bool:
        """Whether somebody chose the field's value, by argument or environment."""
        return bool(getattr(self, name) != _default(name) or os.environ.get(ENVIRONMENT_NAMES.get(name, name.upper())))

    @property
    def has_model(self) -> bool:
        """Whether a model may be asked at all: there is a key, or somebody named a model or a server."""
        return bool(self.openai_api_key.get_secret_value()) or self.is_set("model") or self.is_set("openai_api_url")

    def __repr__(self) -> str:
        """Without passwords in addresses; SecretStr hides itself."""
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        return f"Context({', '.join(f'{n}={_masked(v)!r}' for n, v in shown.items())})"

    __str__ = __repr__


SECRETS = frozenset({"openai_api_key", "daytona_api_key", "ms_sql_connection_string", "neo4j_password"})
"""Fields that are nothing but a secret."""
ADDRESSES = frozenset(
    {"mongodb_uri", "neo4j_uri", "openai_api_url", "daytona_api_url", "db_toolbox_uri", "mongodb_mcp_uri"}
)
"""Fields that may have a password in them."""


def resolve(context: Context | Mapping[str, Any] | None, config: RunnableConfig | None = None) -> Context:
    """The settings of a node or tool: what `configurable` names, then the run's context, then the environment.

    Raises EnvironmentFailure for a value that does not fit its field.
    """
    given = (
        dict(context)
        if isinstance(context, Mapping)
        else {f.name: getattr(context, f.name) for f in fields(Context)}
        if context
        else {}
    )
    named = (config or {}).get("configurable") or {}
    known = {f.name for f in fields(Context)}
    named = {n: v.get_secret_value() if n in ADDRESSES and isinstance(v, SecretStr) else v for n, v in named.items()}
    chosen = {n: v for n, v in {**given, **{n: v for n, v in named.items() if n in known}}.items() if n in known}
    if context is not None and not isinstance(context, Mapping) and not set(named) & known:
        return context
    try:
        return Context(**chosen)
    except ValidationError as error:
        raise _misfit("the configuration", error) from None


@cache
def _hints() -> dict[str, Any]:
    return get_type_hints(Context, include_extras=True)


@cache
def _default(name: str) -> Any:
    value = next(f.default for f in fields(Context) if f.name == name)
    return getattr(value, "default", value)


def _typed(variable: str, text: str, type_: Any, secret: bool) -> Any:
    try:
        value = TypeAdapter(type_).validate_python(text)
    except ValidationError:
        shown = "its value" if secret else repr(text)
        raise EnvironmentFailure(variable, f"{shown} is not a fitting value", f"Expected: {_wanted(type_)}.") from None
    return value


def _wanted(type_: Any) -> str:
    choices = getattr(type_, "__args__", ())
    return " or ".join(map(str, choices)) if choices else getattr(type_, "__name__", str(type_))


def _misfit(where: str, error: ValidationError) -> EnvironmentFailure:
    first = error.errors(include_input=False, include_url=False)[0]
    return EnvironmentFailure(where, f"{'.'.join(map(str, first['loc']))}: {first['msg']}", "Correct the value.")


def _masked(value: Any) -> Any:
    return without_password(value) if isinstance(value, str) and "@" in value else value
