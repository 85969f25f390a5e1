"""Tests of `derive.pages`."""
