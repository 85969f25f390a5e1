"""What is stated: relations with checked dimensions, what would mend them, and several of them as one."""
