"""Questions asked along axes: tables, streams of any length, clusters."""
