"""Neo4j Community as a process of ours, or a server of the user's, behind a relay that speaks Bolt.

Neo4j is GPL-3.0: it is downloaded by whoever uses this target, started as a program and spoken to over the wire.
"""
