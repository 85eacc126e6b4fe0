"""Models in other people's pages: one HTML page with a classifier in it, or an ES module.

The JavaScript cuts texts into the same features as the library, with the tables of characters of the Python that it was
built for, and adds the same weights in the same order and precision: scores are the same to the last bit, and so are
probabilities, whose exponential is the library's own.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.modelfile.small import Loss as Loss
    from lindy.modelfile.small import lost as lost
    from lindy.web.export.export_page import page_text as page_text
    from lindy.web.export.module import module_text as module_text
    from lindy.web.export.module import module_types as module_types
    from lindy.web.export.small import smaller as smaller
