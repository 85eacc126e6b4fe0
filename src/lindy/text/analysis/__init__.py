"""From the characters of a text to its terms: words, characters, subwords, and where each stands."""
