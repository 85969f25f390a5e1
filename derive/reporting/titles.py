"""The reports that there are, and what they are called; asking for one is the shelf's business."""

from __future__ import annotations

__all__ = ["REPORTS", "TITLES", "VOLUME"]

TITLES = {
    "roofline": "A. The roofline",
    "menu": "B. The price menu",
    "layout": "C. Layout",
    "training": "D. Training and the life of a model",
    "prices": "E. What prices give away",
    "walls": "F. Walls and trades",
    "practice": "G. Practice",
    "audit": "H. The audit",
    "oracle": "I. The oracle",
}
VOLUME = "volume"
REPORTS = {**TITLES, VOLUME: "The economics of a token, derived"}
