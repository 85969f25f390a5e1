"""One root near a start: Newton and the methods of MINPACK, with automatic derivatives."""
