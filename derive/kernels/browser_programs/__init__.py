"""Browser programs: plans in JavaScript that compute a target, with all that an answer says beside it."""
