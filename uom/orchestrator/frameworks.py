"""What is translated from and to, and how much of it. Names are public, and `state` has them too."""

from __future__ import annotations

from enum import StrEnum


class TranslationType(StrEnum):
    """How much is to be translated."""

    SCHEMA = "SCHEMA"
    QUERY = "QUERY"
    BOTH = "BOTH"


class FrameworkEnum(StrEnum):
    """The frameworks that can be named; `compiling.TARGETS` says which of them are translated to today."""

    DOTNET_EFCORE = "DOTNET_EFCORE"
    DOTNET_DAPPER = "DOTNET_DAPPER"
    DOTNET_NHIBERNATE = "DOTNET_NHIBERNATE"
    JAVA_SPRING_DATA_MONGODB = "JAVA_SPRING_DATA_MONGODB"
    JAVA_SPRING_DATA_NEO4J = "JAVA_SPRING_DATA_NEO4J"

    @property
    def is_dotnet(self) -> bool:
        return self.value.startswith("DOTNET_")
