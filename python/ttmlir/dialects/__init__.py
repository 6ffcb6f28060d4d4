"""The dialects: operations' classes and functions, enums, typed attributes and types."""
