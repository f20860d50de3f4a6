"""The Java around the pipelines: classes, query methods, configuration and project files."""
