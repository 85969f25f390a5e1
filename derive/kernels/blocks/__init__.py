"""Kernels of blocks without a closed form, as source lines with the proofs that make them trustworthy."""
