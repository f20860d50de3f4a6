"""The validators as LangChain tools: the graph runs them through ToolNode, an agent or an MCP server may run them alone."""

from uom.orchestrator.tools.dotnet_validator import validate_dotnet_code
from uom.orchestrator.tools.java_validator import validate_java_code
from uom.orchestrator.tools.query_validator import check_query_equivalence

__all__ = ["check_query_equivalence", "validate_dotnet_code", "validate_java_code"]
