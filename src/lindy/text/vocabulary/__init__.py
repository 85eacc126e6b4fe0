"""Terms and their columns: learned from texts, limited, selected, merged, in memory or chunk by chunk."""
