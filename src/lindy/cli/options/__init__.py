"""Options that several commands declare, check and pass on."""
