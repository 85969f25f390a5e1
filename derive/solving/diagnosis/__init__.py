"""Why a question has no answer, which givens would do, and which contradict each other."""
