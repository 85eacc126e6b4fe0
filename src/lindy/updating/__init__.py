"""Models that learn more: further rows, calibration on others, several models as one, what new data look like."""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.updating.drift import Drift as Drift
    from lindy.updating.drift import compare_data as compare_data
    from lindy.updating.merging import Merged as Merged
    from lindy.updating.merging import merge as merge
    from lindy.updating.merging import merge_models as merge_models
    from lindy.updating.progressive import Progress as Progress
    from lindy.updating.progressive import validate_progressively as validate_progressively
    from lindy.updating.recalibration import Recalibration as Recalibration
    from lindy.updating.recalibration import recalibrate as recalibrate
    from lindy.updating.shrinking import shrink as shrink
    from lindy.updating.updates import Update as Update
    from lindy.updating.updates import update as update
