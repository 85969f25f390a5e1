"""The model: relations with checked dimensions, repairs for those that fail, and sets of relations."""
