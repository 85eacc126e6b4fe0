"""Model files: one file, no code inside, read as untrusted data.

- ``write_model(path, header, arrays)`` replaces the file as a whole or not at all;
- ``read_model(path)`` checks every byte before it hands out anything;
- ``atomic_write(path)`` is the same way of writing for any other file.

A model file is a safetensors file with a stricter form: ``layout`` has it.
"""

from lindy.atomic import atomic_write, check_writable
from lindy.modelfile.files import ModelFile, read_model, write_model

__all__ = ["ModelFile", "atomic_write", "check_writable", "read_model", "write_model"]
