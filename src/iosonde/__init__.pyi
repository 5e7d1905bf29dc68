from iosonde.verbs.compare import compare as compare
from iosonde.verbs.explain import explain as explain
from iosonde.verbs.run import run as run
from iosonde.verbs.show import show as show

__all__ = ["compare", "explain", "run", "show"]
