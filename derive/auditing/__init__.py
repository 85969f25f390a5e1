"""The audit: what was claimed, recomputed by the library, with verdicts that follow from the numbers."""

from derive.auditing.findings import audit, clashes
from derive.auditing.judging import Finding, Verdict

__all__ = ["Finding", "Verdict", "audit", "clashes"]
