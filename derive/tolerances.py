"""Every tolerance of the engine: the error it stands against, and the reason for its size.

A tolerance is a claim about an error. Too small, it takes rounding for a contradiction; too large, it takes two things
for one. So each kind of error has a name of its own here, even where two have the same size today, and the kinds stand
on a ladder. What one rung lets pass, the next has to bear:

    rounding of an operation < of an expression < of a given < agreement of two sides <= identity of two roots

- *Rounding.* A double has 53 binary digits. An operation rounds away half a unit of the last, and a sum as much of its
  terms, however small the sum itself is. So what is left of sides that ought to meet is measured by the sum of their
  absolute terms (`evaluation.residual`), and grows with the number of operations.
- *Givens.* The numbers that are given are rounded too, and no equation can be met better than they allow: how much it
  feels them is measured (`evaluation.strain`).
- *Agreement.* Sides agree if what is left is explained by all that happened on the way, some cancellation included.
- *Identity.* A residual of e moves a simple root by e times its condition, and a root of order n by the n-th root of
  that. So roots are told apart less sharply than sides, and multiple roots much less.

Most say what is too small to look at, when a search may stop, and when numbers that were found count as the same. A
few stand inside of proofs, beside what enclosures round outwards (`intervals.arithmetic`): `EPSILON`, `HANDFUL`,
`EXPONENT` and `UNDERFLOW` bound what was rounded; `EXPRESSION` and `BLUR` make a proof hold for all numbers that the
rounded ones may stand for. These may grow, and never shrink.

All are shares, of the terms or of the larger number, unless they are said to be sizes.
"""

from __future__ import annotations

from quantities import tolerances as declared

# Rounding: of one operation, of a few, of a whole expression

EPSILON = 2.0**-52  # from one to the next double
ROUNDING = 1.2e-16  # what one operation rounds away: half of that, itself rounded up
LAST_DIGIT = 4e-16  # by which a number may be off that was rounded once or twice
HANDFUL = 1e-15  # by which a handful of operations may be off, as in a coefficient or a bound
SAME_SIDES = 2e-15  # residual that is left of sides that are the same, each worked out its own way
EXPRESSION = 1e-14  # by which an expression may be off: some eighty roundings, if they all went one way
FOLLOWED = 1e-12  # the same of what came through the blocks of a plan, each of which is solved for the next
EXPONENT = 1e-13  # what a rounded exponent does to a power: the largest logarithm, 710, times a rounding
EXACT_FRACTION = 1e-15  # (a size) by which a decimal exponent may miss the fraction that it was written for
POWER_OF_TEN = 1e-12  # (a size) by which a logarithm may miss the whole number that it is

# Rounding as equations see it

ROUNDED = 1e-13  # residual by which an equation may miss whose numbers are right to nearly all their digits
BLUR = 1e-13  # by which givens may be off: converted, or printed with thirteen digits and read again
TRUSTED = 5e-13  # by which a number may be off that lines of arithmetic vouch for: a blur and some condition

# Agreement of two sides, or of two numbers for one thing

TIGHT = 1e-12  # residual of numbers that lost no digits on the way and need no improvement
MET = 1e-11  # residual where nothing but rounding keeps the sides apart, and cancellation does not count
AGREEMENT = 1e-9
"""Residual up to which an exact relation holds, and distance of two numbers for one thing. Doubles have sixteen digits;
a plan of many steps and some cancellation may cost half a dozen. A mistake of unit or sign costs all of them."""
CONTRADICTION = 1e-8
"""Residual from which lines of arithmetic say that a relation fails. Above `AGREEMENT` the solver looks again, with
more digits, before it says so; lines have no more, and at many points nobody looks after them."""
TOLD = 1e-6  # of a ratio that is told in words, as a half, and of one that was told and is found again

# Identity of roots

SURE = 1e-10  # distance at which the sides must have different signs on the two sides of a crossing
SAME_ROOT = 1e-9  # distance of two roots of one unknown that are one: as two numbers for it, see `AGREEMENT`
TOGETHER = 2 * SAME_ROOT  # how far from a root another may lie that was told as the same
SAME_SOLUTION = 1e-8
"""The same of solutions of a system. They come by several ways, each of which only had to meet `AGREEMENT`; a condition
of ten leaves them eight digits."""
POINT = 1e-8  # width of an interval that is a number: points that met `MET`, at a condition of a thousand
WHOLE = 1e-9  # by which a number may miss a whole one, as an exponent or a count of turns
AT_END = 1e-9  # distance from the end of a domain at which a number may belong to either side
SAME_MULTIPLE = 1e-6  # distance of unknowns that belong to one root of order two: the square root of `TIGHT`
NEAR_MULTIPLE = 1e-3  # distance of points that run to one root of any order, from parts that no proof settles

# Width: what is cut no further

BRACKET = 4e-16  # of a bracket, or step of an iteration, of one number: two units of the last place
BEYOND_DOUBLES = 1e-19  # of a bracket in many digits: it is one double in the end
FINEST_BOX = 1e-13  # of a box of one unknown, across which `EXPRESSION` hides all but steep forms
FINEST_PART = 1e-11  # of a part of several unknowns, each of which blurs the others
FINEST_PIECE = 1e-9  # of a piece by which an interval is narrowed, of which no more is asked than `AGREEMENT`
FINEST_BREADTH = 1e-14  # of a side whose extreme is sought: the logarithm of the ratio of its ends
SPECK = 1e-15  # of a part beside the whole box, where unknowns are zero and have no size of their own
INFLATION = 1e-13  # of the first guess of an enclosure, so that a step can stay inside of it
TOUCHING = 1e-12  # gap between places that are one: they were cut from each other, and their ends rounded

# Newton's method: how long a step is, as a share of the unknowns, and which residual is left

STILL = 1e-15  # step that is nothing but rounding
STEP_DONE = 1e-13  # step after which the next, by its square, would be nothing
ARRIVED = 1e-9  # step of convergence: if the next is longer, that one is rounding
RUN_OUT = 1e-6  # step that may be all rounding where a system is badly conditioned
CONVERGED = 1e-4  # shortest step of a point that counts as a root at all
STALLED = 1e-10  # residual of a point that counts as a root from which no step leads nearer
SNAPPED, BESIDE_LARGEST = 1e-12, 1e-13  # what steps leave of an unknown that is zero: of itself, then of the largest
LIBRARY_STEP, LIBRARY_GAP = 1e-12, 1e-15  # what the methods of a library stop at, before our own steps

# Rank: pivots and singular values beside the largest, by how well the entries are known

RANK = 1e-12  # of exact coefficients: rounding, times the growth of the entries
RANK_OF_FACTORS = 1e-14  # of factors that only have to lead to a better point
LEAST_SQUARES = 1e-10  # of singular values that are left out where those factors will not do
RANK_OF_QUOTIENTS = 1e-7  # of difference quotients, to which their step leaves seven digits
RANK_ON_CURVE = 1e-6  # of slopes at a point that may lie off its curve by the square root of `TIGHT`
RANK_AT_ROOT = 1e-5  # of slopes at a multiple root, which is known by half of its digits or fewer
NO_GAP = 1e-9  # of gaps and sizes beside those around them

# Digits that were lost

ASIDE = 1e-6  # step by which a number is moved to see what feels it: far beyond rounding, and nearly straight
FELT = 1e-10  # residual that this step must bring about, or less than a dozen digits of the unknown are fixed

# Bounds over ranges

EXTREME = 1e-6  # within which the extremes of a form over a box are known
ATTAINED = 1e-7  # within which a bound along a solution is attained: sharper, since answers say so
CONSTANT = 1e-5  # breadth of bounds of what may be constant: surely more than their own error, `EXTREME`
RESPONSE = 1e-6  # breadth of an enclosed response that is told as a number
NO_RESPONSE = 1e-9  # (a size) response that is rounding, responses being of the size of one

# In a hundred and fifty digits, where all rounding but that of the givens is gone

NO_SHARE = 1e-100  # gap that is none, as a share of the sides
QUOTIENT = 1e-60  # step of a difference quotient, and distance from a double's neighbour that is not yet there
TURNING = 1e-30  # step by which a slope changes its sign, as a share of the stretch
SHARP = 1e-30  # step of Newton's method that ends it
SECANT = 1e-25  # step of the secant that ends it
VANISHING = 1e-18  # what is left of a number that is zero: nothing else loses all digits of a double
VANISHED = 1e-3  # gap at a root beside those `ASIDE` of it: 1e-10 if it is simple, and one if it is none
LEVEL = 1e-12  # by which a gap may differ along a stretch on which it is the same
ALIKE = 1e-6  # by which gaps may differ that are one share of the sides wherever these are
BESIDE_STRETCH = 1e-9  # distance from a stretch, whose ends rounding drew, at which its turning point may lie
AT_ZERO = 1e-12  # (a size) step aside of a zero, which has no size of its own

# Sizes that doubles can hold beside others, in base units

LEAST, MOST = declared.LEAST, declared.MOST  # of a number
SMALLEST, LARGEST = 1e-60, 1e60  # of an unknown that is sought: a product of five is a number
UNDERFLOW = 1e-300  # more than all that underflows in a sum
NO_UNDERFLOW = 1e-290  # from which on a product is rounded as a share of itself
LEAST_SQUARED = 1e-100  # of numbers whose squares and cubes are numbers
LEAST_INPUT, MOST_INPUT = 1e-100, 1e100  # of inputs that one proof covers: a product of three is a number
LEAST_TRUSTED, MOST_TRUSTED = 1e-50, 1e50  # of numbers that lines of arithmetic vouch for: a product of six
NO_SIZE, HUGE = 1e-150, 1e200  # of a goal whose extreme is zero, or infinite
NEAR_ZERO = 1e-30  # of the end of an interval that may be zero
UNRESOLVED = 1e-58  # width of a stretch at zero: a hundred times the smallest that is sought
