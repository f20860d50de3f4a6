"""The Java around Cypher: classes, query methods, configuration, project."""
