"""The LangGraph state machine around the compiler: extract, inspect, generate, validate, compare, judge, ask a person.

`graph.py` reads like the specification's diagram. Nothing here is imported by `uom --help`.
"""
