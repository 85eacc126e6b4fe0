"""Model files: one file, no code inside, read as untrusted data.

- ``write_model(path, header, arrays)`` replaces the file as a whole or not at all;
- ``read_model(path)`` checks every byte before it hands out anything.

A model file is a safetensors file with a stricter form: ``layout`` has it.
"""

from lindy.modelfile.files import ModelFile, read_model, write_model

__all__ = ["ModelFile", "read_model", "write_model"]
