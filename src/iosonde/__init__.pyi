from iosonde.verbs.baseline import baseline as baseline
from iosonde.verbs.calibrate import calibrate as calibrate
from iosonde.verbs.compare import compare as compare
from iosonde.verbs.explain import explain as explain
from iosonde.verbs.import_ import import_ as import_
from iosonde.verbs.listing import list_runs as list_runs
from iosonde.verbs.loads import loads as loads
from iosonde.verbs.persist import persist as persist
from iosonde.verbs.predict import predict as predict
from iosonde.verbs.removal import prune as prune
from iosonde.verbs.removal import rm as rm
from iosonde.verbs.report import report as report
from iosonde.verbs.run import run as run
from iosonde.verbs.schema import schema as schema
from iosonde.verbs.settings import rollback as rollback
from iosonde.verbs.settings import set_settings as set_settings
from iosonde.verbs.settings import settings as settings
from iosonde.verbs.show import show as show
from iosonde.verbs.stored import export as export
from iosonde.verbs.tag import tag as tag
from iosonde.verbs.trend import trend as trend
from iosonde.verbs.tune import tune as tune
from iosonde.verbs.up import down as down
from iosonde.verbs.up import up as up

__all__ = [
    "baseline", "calibrate", "compare", "down", "explain", "export", "import_", "list_runs",
    "loads", "persist", "predict", "prune", "report", "rm", "rollback", "run", "schema",
    "set_settings", "settings", "show", "tag", "trend", "tune", "up",
]  # fmt: skip
