"""MongoDB 8's documented meaning as data, and the runner that holds a server against it."""

from uom.run.engines.mongodb.conformance.catalogue import Answer, Fact, Question, all_facts
from uom.run.engines.mongodb.conformance.suite import FactResult, Outcome, run_suite

__all__ = ["Answer", "Fact", "FactResult", "Outcome", "Question", "all_facts", "run_suite"]
