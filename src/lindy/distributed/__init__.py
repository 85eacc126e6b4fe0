"""Training and prediction past one machine: the same models from texts in partitions.

Three tasks, which know no engine: a partition becomes counts, which are summed; loss and gradient, which are summed; or
weights, which are mixed. An engine (``engine``) holds the partitions and runs tasks on them: ``processes``, ``dask``,
``spark``. Sums are exact (``sums``), so that vocabulary, counting models, MaxEnt and the SVM with squared hinge have
the same bytes for any number of partitions and workers.
"""
