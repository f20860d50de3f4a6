"""Sample data, and rows on their way into engines."""
