"""Where code that nobody has read is compiled and run: one protocol, local (bubblewrap) and Daytona."""

from uom.run.sandboxes.protocol import (
    Ending,
    Execution,
    Limits,
    Sandbox,
    SandboxProblem,
    SandboxProvider,
    SandboxType,
)

__all__ = ["Ending", "Execution", "Limits", "Sandbox", "SandboxProblem", "SandboxProvider", "SandboxType"]
