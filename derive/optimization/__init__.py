"""The best choice among ranges, lists and profiles, with a proof: least, most, and the front of two targets."""
