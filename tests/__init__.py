"""Tests. Each of their processes has one thread for linear algebra, so none waits for another."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy and SciPy are imported
