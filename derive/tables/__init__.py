"""Sweeps: tables along axes, streams of any length, clusters."""
