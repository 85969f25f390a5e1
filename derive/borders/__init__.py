"""Where one regime ends: the borders along one axis or two, exact, and in closed form where there is one."""
