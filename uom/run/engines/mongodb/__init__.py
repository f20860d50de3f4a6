"""MongoDB: the embedded server or the user's own, behind a relay that records and protects."""
