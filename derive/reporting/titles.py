"""The reports that there are, and what they are called; asking for one is the shelf's business."""

from __future__ import annotations

__all__ = ["REPORTS", "TITLES", "VOLUME"]

TITLES = {
    "roofline": "A. The roofline",
    "prices": "E. What prices give away",
    "practice": "G. Practice",
    "audit": "H. The audit",
}
VOLUME = "volume"
REPORTS = {**TITLES, VOLUME: "The economics of a token, derived"}
