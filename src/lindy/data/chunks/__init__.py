"""From files and streams to tables, as a whole or chunk by chunk, in memory or in files."""
