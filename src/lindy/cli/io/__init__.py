"""Input and output of commands: tables in, whole or chunk by chunk; messages, tables and pictures out."""
