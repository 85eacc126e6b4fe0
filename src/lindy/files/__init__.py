"""Files: what operating systems do differently, atomic writes, and what a command must not overwrite."""
