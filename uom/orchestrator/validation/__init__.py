"""Running both sides and judging rows: what the tools do, without LangChain around it."""
