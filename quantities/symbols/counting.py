"""One of each: exact factors that carry a unit and nothing else."""

from quantities.declaration import Declaration
from quantities.value import exact

one_sequence = Declaration(
    "one_sequence", "sequence", "a single sequence", latex=r"1\,\mathrm{seq}", default=exact("1 sequence")
)
one_parameter = Declaration(
    "one_parameter", "parameter", "one element of a matrix", latex=r"1\,\mathrm{param}", default=exact("1 parameter")
)
one_token = Declaration("one_token", "token", "a single token", latex=r"1\,\mathrm{tok}", default=exact("1 token"))
one_chip = Declaration("one_chip", "chip", "a single chip", latex=r"1\,\mathrm{chip}", default=exact("1 chip"))
vector_per_token = Declaration(
    "vector_per_token", "1/token", "one vector for each token", latex=r"1/\mathrm{token}", default=exact("1 1/token")
)
