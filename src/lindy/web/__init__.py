"""Models for people without Python: the HTTP service of ``lindy serve`` with its page, and exported pages and modules.

::

    server ──▶ application: guard ──▶ route ──▶ handler of the service ──▶ shelf of models
                              answer ◀── messages ◀── predicting, explaining, cards, tables ◀──┘

The room knows models, their decisions and their explanations; it knows no learner. Requests and answers are the types
of ``messages``: what decodes a request also writes its part of the OpenAPI document. Everything that can go wrong
because of a request is a ``Problem``, which has one shape. Models are untrusted as well: their labels and words are
sent as JSON, never as HTML.
"""
