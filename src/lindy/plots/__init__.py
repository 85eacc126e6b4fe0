"""Pictures of data, training and results.

Every function draws into ``ax`` (matplotlib Axes; None makes a figure) and returns the Axes; ``save`` writes its figure
as PNG, SVG or PDF. Colours are those of Okabe and Ito, which the colour-blind can tell apart, and nothing is told by
colour alone: lines differ in style, points in shape, cells carry numbers. Legends stand outside the axes.

Needs matplotlib: ``pip install 'lindy[plots]'``.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.plots.boundary import Boundaries as Boundaries
    from lindy.plots.boundary import boundaries as boundaries
    from lindy.plots.boundary import decision_boundary as decision_boundary
    from lindy.plots.boundary import decision_regions as decision_regions
    from lindy.plots.boundary import toy_data as toy_data
    from lindy.plots.labels import f1_by_frequency as f1_by_frequency
    from lindy.plots.labels import label_cooccurrence as label_cooccurrence
    from lindy.plots.labels import label_reliability as label_reliability
    from lindy.plots.labels import threshold_curve as threshold_curve
    from lindy.plots.results import accuracy_by_epoch as accuracy_by_epoch
    from lindy.plots.results import accuracy_by_row as accuracy_by_row
    from lindy.plots.results import confusion as confusion
    from lindy.plots.results import learning_curve as learning_curve
    from lindy.plots.results import objective_by_round as objective_by_round
    from lindy.plots.results import objective_by_time as objective_by_time
    from lindy.plots.results import reliability as reliability
    from lindy.plots.style import save as save
    from lindy.plots.weights import regularization_path as regularization_path
    from lindy.plots.weights import top_features as top_features
    from lindy.plots.weights import weight_path as weight_path
    from lindy.plots.weights import weight_pictures as weight_pictures
