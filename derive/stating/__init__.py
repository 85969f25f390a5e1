"""Relations: what is stated, whether its dimensions fit, and what would mend it."""
