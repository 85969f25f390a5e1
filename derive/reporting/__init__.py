"""Reports: what a page holds, how it is written, and which files it makes."""
