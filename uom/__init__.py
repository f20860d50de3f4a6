"""UOM: translates C# data-access code to Spring Data, with proof."""

__version__ = "0.1.0"
