"""Blocks without a closed form as lines of arithmetic, with what proves that they may be trusted."""
