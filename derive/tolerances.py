"""Every tolerance of the engine: the error it allows for, and the reason for its size.

A tolerance is a claim about an error. Too small, it takes rounding for a contradiction; too large, it takes two numbers
for one. So each kind of error has a name of its own here, even where two have the same size today, and one name only;
a multiple stands where it is used. The kinds are ordered by size, since each includes the errors before it:

    rounding of an operation < of an expression < of a given < agreement of two sides <= identity of two roots

- *Rounding.* A double has 53 binary digits. An operation rounds by half a unit of the last, and a sum by as much of its
  terms, however small the sum itself is. So residuals are measured relative to the sum of the absolute terms
  (`evaluation.residual`), and grow with the number of operations.
- *Givens.* The given numbers are rounded too, and no equation can hold better than they allow; `evaluation.strain`
  measures how sensitive it is to them. A residual no larger than their error is rounding.
- *Agreement.* Sides agree if all errors so far explain their difference, some cancellation included.
- *Identity.* A residual of e moves a simple root by e times its condition, and a root of order n by the n-th root of
  that. So roots are distinguished less sharply than sides, and multiple roots much less.

Most say what is negligible, when a search may stop, and when computed numbers count as the same. A few are part of
proofs, besides the outward rounding of enclosures (`intervals.arithmetic`): `EPSILON`, `HANDFUL` and `UNDERFLOW` bound
rounding errors; `EXPRESSION` and `BLUR` make a proof hold for all numbers that round to the given ones. These may be
made larger, never smaller.

All are relative, to the terms or to the larger number, unless they are marked as sizes.
"""

from __future__ import annotations

from quantities import tolerances as declared

# Rounding: of one operation, of a few, of a whole expression

EPSILON = 2.0**-52  # from one to the next double: more than the rounding error of an operation, which is half of it
LAST_DIGIT = 4e-16  # error of a number that was rounded once or twice, to which an iteration or a bracket narrows
HANDFUL = 2e-15  # error of a handful of operations, as in a coefficient or a bound, or of sides that are equal
EXPRESSION = 1e-14  # error of an expression: some eighty roundings in the same direction

# Error of the givens

BLUR = 1e-13  # error of givens, converted or printed with thirteen digits, and residual of what holds but for that

# Agreement of two sides, or of two numbers for one quantity

TIGHT = 1e-12  # residual of numbers that lost no digits; error of one that follows through blocks, or by compiled lines
MET = 1e-11  # residual of sides that differ only by rounding, without cancellation
AGREEMENT = 1e-9
"""Residual up to which an exact relation holds, and difference of two numbers for one quantity. Doubles have sixteen
digits; a plan of many steps and some cancellation may lose half a dozen. A mistake of unit or sign loses all."""
CONTRADICTION = 1e-8
"""Residual from which compiled lines of arithmetic report that a relation fails. Above `AGREEMENT` the solver computes
again with more digits before it does so; compiled lines have no more digits, and are not checked at many points."""

# What is worth a word

MOVED = 0.1  # of an answer, by what it assumes or leaves out: from here on it stands under the headline
WORTH_TELLING = 0.01  # share of what a relation counts that is left out: from here on an answer mentions it
TOLD = 1e-6  # of a ratio written in words, as a half, and of a written ratio that is computed again

# Identity of roots

SAME_ROOT = 1e-9  # distance of two roots of one unknown that are one, or of one from an end or a whole number
SAME_SOLUTION = 1e-8
"""The same for solutions of a system. They are found by several methods, each of which only had to meet `AGREEMENT`; a
condition of ten leaves them eight digits."""
SAME_MULTIPLE = 1e-6
"""Distance of unknowns that belong to one root of order two, the square root of `TIGHT`: so far apart a flat curve of
residuals still agrees, as along a border that was sought and has a closed form."""
NEAR_MULTIPLE = 1e-3  # distance of points that converge to one root of any order, from parts that no proof settles

# Width: what is not cut further

FINEST_BOX = 1e-13  # of a box of one unknown, or of the sides of one goal: across it `EXPRESSION` hides most forms
FINEST_PART = 1e-11  # of a part of several unknowns, each of which blurs the others
AROUND_ZERO = 1e-12  # (a size) of a side around zero or a step from it, where no number gives them a size

# Rank: pivots and singular values, relative to the largest, by how accurate the entries are

RANK = 1e-12  # of coefficients: rounding, times the growth of the entries
RANK_OF_SLOPES = 1e-6  # of quotients, and at a point that may lie off its curve by the square root of `TIGHT`

# Over a stretch of numbers

ASIDE = 1e-6  # relative change of a number to see what depends on it: far beyond rounding, and nearly linear
CORNER = 0.05  # share by which the slopes on either side of a number differ at a corner, and not on a curve
EXTREME = 1e-6  # error of the extremes of a form over a box, and breadth of bounds that are one number

# In a hundred and fifty digits, where only the givens are rounded

NEGLIGIBLE = 1e-30
"""A share that no double shows, and that is far above the rounding of sixty digits, which every number has at least: of
a number, as the step of a difference quotient or the last step of an iteration; of what a number was, as the rest of
one that is zero; of a gap, as its differences where it is constant. Also (a size) of a stretch or an end at zero."""
VANISHED = 1e-3  # gap at a root relative to those `ASIDE` of it: 1e-10 at a simple root, and one where there is none

# Sizes of numbers, in base units

LEAST, MOST = declared.LEAST, declared.MOST  # of a number
SMALLEST, LARGEST = 1e-60, 1e60  # of an unknown that is sought: products of five stay in range
UNDERFLOW = 1e-290  # more than all that underflows in a sum; from here on a product has a relative rounding error
LEAST_FACTOR, MOST_FACTOR = 1e-50, 1e50  # of numbers of which products of six stay in range, as compiled lines have
