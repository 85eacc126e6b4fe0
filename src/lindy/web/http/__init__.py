"""Requests and answers of the service: routes, types, limits, errors, and the OpenAPI document."""
