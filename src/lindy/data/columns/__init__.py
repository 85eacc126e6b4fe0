"""Tables and their columns: which holds texts and which labels, and what is made of the values."""
