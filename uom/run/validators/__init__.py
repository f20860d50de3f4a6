"""The portable validators: a project is packed, built and run in a sandbox by its toolchain's own commands."""

from uom.run.validators.dotnet import validate_dotnet
from uom.run.validators.java import validate_java
from uom.run.validators.outcome import FAILED, PASSED, Diagnostic, Validation

__all__ = ["FAILED", "PASSED", "Diagnostic", "Validation", "validate_dotnet", "validate_java"]
