"""The Java that all targets share: text, types, literals, what a method computes itself."""
