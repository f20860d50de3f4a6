"""Model to model: named passes in fixed order, and the design of the target."""
