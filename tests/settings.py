"""The project's settings, apart from whatever `make run` keeps and runs in this clone."""

import os
from pathlib import Path

os.environ.setdefault("LONGHAUL_VAR_DIR", str(Path(__file__).resolve().parent.parent / "var" / "tests"))

from project.settings import *  # noqa: F403

# The real hasher takes its second for each user that a test makes, on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# No embedded model is at work beside the tests; the one that counts tokens is tested by itself.
MODEL_TOKENIZE_URL = ""
