"""Tables written in every format that can be read."""
