"""All roots in an interval or a box, each proved, and whether they are all."""
