"""Settings of Longhaul, from the environment. Units are in the names.

Every limit of the product is here, once, with its default and what it bounds.
"""

import ipaddress
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from . import rq
from .environment import env, expected, header, minutes, names, seconds, secret_key, switch, url, whole_number
from .logs import PROVOKED
from .mail import mailers

BASE_DIR = Path(__file__).resolve().parent.parent

# All that Longhaul keeps on disk by default: database, files, Redis' data, keys, passwords of the demo users.
VAR_DIR = Path(env.str("LONGHAUL_VAR_DIR", default=str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)


# --- Django -------------------------------------------------------------------------------------

DEBUG = switch("DEBUG", default=False)
SECRET_KEY = secret_key(VAR_DIR)
ALLOWED_HOSTS = names("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = names("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_rq",
    "ninja",
    "tasks_app",
]
MIDDLEWARE = [
    "tasks_app.api.health.probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tasks_app.admin.banner.incidents",
            ],
        },
    },
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "tasks"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
# WhiteNoise looks files up where they lie, so that the page has its styles with DEBUG off and nothing collected.
WHITENOISE_USE_FINDERS = True


# --- Security -----------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


# Off by default only where every allowed host is this machine itself: there is no TLS to insist on.
HTTPS = switch("LONGHAUL_HTTPS", default=not all(is_loopback(host) for host in ALLOWED_HOSTS))
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "project.sessions"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# HSTS is for this host alone: whether it holds for its sisters, for ever, is not ours to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not HTTPS:
    SILENCED_SYSTEM_CHECKS += ["security.W004", "security.W008", "security.W012", "security.W016"]
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}


# --- Database: the truth --------------------------------------------------------------------------

DATABASE_URL = url(
    "DATABASE_URL", f"sqlite:///{VAR_DIR / 'longhaul.sqlite3'}", schemes=("sqlite", "postgres", "postgresql")
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def database(address: str) -> dict[str, Any]:
    config: dict[str, Any] = dict(env.db_url_config(address))
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {
            # A transaction takes the write lock when it begins: a later upgrade would fail at once instead of waiting.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
        # A file, since tests share it with real workers; of its own for each process, since two suites may be at work.
        config["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
    else:
        config["ENGINE"] = "project.postgresql"
        config["OPTIONS"] = {
            # Reconnecting is tried anew by each request, instead of ever more rarely for minutes.
            "pool": {"min_size": 0, "max_size": 20, "timeout": 5, "reconnect_timeout": 5},
            # A frozen writer must not freeze the others.
            "options": "-c idle_in_transaction_session_timeout=10000 -c lock_timeout=10000",
        }
    return config


DATABASES = {"default": database(DATABASE_URL)}


# --- Redis: the doorbell, hints of progress, the scheduler's lock -----------------------------------

# The default is the embedded server of `make run`, on a socket that only its owner can open.
REDIS_URL = url("REDIS_URL", f"unix://{VAR_DIR / 'redis.sock'}", schemes=("redis", "rediss", "unix"))

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "longhaul"},
    },
}


# --- Queues and what their tasks may use ------------------------------------------------------------

MEGABYTE = 1024 * 1024


def queue_limits(name: str, *, memory_megabytes: int) -> dict[str, Any]:
    """`memory_megabytes`: a child (100), what its kinds load, and one reader (LONGHAUL_READER_MEMORY_BYTES)."""
    hard = whole_number(f"LONGHAUL_{name}_MEMORY_MEGABYTES", memory_megabytes, at_least=150)
    return {
        # One attempt of a task; a healthy task passes through several.
        "attempt_timeout_seconds": seconds(f"LONGHAUL_{name}_ATTEMPT_TIMEOUT_SECONDS", 300),
        # Resident set of a child with all that it started, or of its cgroup: over it the child is killed.
        "memory_bytes": hard * MEGABYTE,
        # An idle child with more makes way for a new one.
        "soft_memory_bytes": whole_number(f"LONGHAUL_{name}_SOFT_MEMORY_MEGABYTES", hard // 2) * MEGABYTE,
        # So does one that has made as many attempts: what leaks, leaks no further.
        "tasks_per_child": whole_number(f"LONGHAUL_{name}_TASKS_PER_CHILD", 1000),
    }


TASK_QUEUES: dict[str, dict[str, Any]] = {
    "gpu": queue_limits("GPU", memory_megabytes=8192),
    "cpu": queue_limits("CPU", memory_megabytes=2048),
}
TASKS = {
    "default": {"BACKEND": "tasks_app.kinds.backend.LonghaulBackend", "QUEUES": [*TASK_QUEUES, "default"]},
}
# Modules that declare kinds, besides `tasks.py` of each installed app.
LONGHAUL_KIND_MODULES = [
    "tasks_app.kinds.document_generate",
    "tasks_app.kinds.document_extract",
    "tasks_app.kinds.system_prune",
    "tasks_app.kinds.system_daily_report",
    "tasks_app.kinds.system_check_endpoint",
    *names("LONGHAUL_KIND_MODULES", []),
]
# Modules that a worker's child imports before its first task, and no other process: one that loads a model, set
# for the workers of one queue.
LONGHAUL_WARM_MODULES = names("LONGHAUL_WARM_MODULES", [])


# RQ's part is the doorbell. rqscheduler needs a queue named `default`.
RQ_QUEUES = {name: rq.connection(REDIS_URL) for name in [*TASK_QUEUES, "default"]}
RQ = {
    "JOB_CLASS": "tasks_app.processes.doorbell.JsonJob",
    "WORKER_CLASS": "tasks_app.processes.worker.TaskWorker",
    "SCHEDULER_CLASS": "tasks_app.processes.scheduler.TaskScheduler",
}


# --- The model endpoint -------------------------------------------------------------------------------

# The embedded model's address; `manage.py modelserver` listens there.
EMBEDDED_MODEL_PORT = whole_number("LONGHAUL_EMBEDDED_MODEL_PORT", 8012)
EMBEDDED_MODEL_URL = f"http://127.0.0.1:{EMBEDDED_MODEL_PORT}/v1"
MODEL_BASE_URL = url("MODEL_BASE_URL", EMBEDDED_MODEL_URL, schemes=("http", "https"))
MODEL_IS_EMBEDDED = MODEL_BASE_URL == EMBEDDED_MODEL_URL
MODEL_NAME = env.str("MODEL_NAME", default="SmolLM2-135M-Instruct")
MODEL_API_KEY = header("MODEL_API_KEY", "none")
# Where llama.cpp's server counts tokens; empty: tokens are estimated.
MODEL_TOKENIZE_URL = url(
    "MODEL_TOKENIZE_URL",
    f"http://127.0.0.1:{EMBEDDED_MODEL_PORT}/tokenize" if MODEL_IS_EMBEDDED else "",
    schemes=("http", "https"),
)
# The same request of the same user within this time is answered with the answer that it got; 0: never.
LONGHAUL_REUSE_ANSWERS_HOURS = whole_number("LONGHAUL_REUSE_ANSWERS_HOURS", 24, at_least=0)
# Calls that one attempt keeps in flight. The embedded model shares two cores with everything else.
LONGHAUL_MODEL_CONCURRENCY = whole_number("LONGHAUL_MODEL_CONCURRENCY", 1 if MODEL_IS_EMBEDDED else 4)
# One model call in total, a stream that trickles included. On a busy machine the embedded model is slow, not stuck.
LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS = seconds("LONGHAUL_MODEL_CALL_TIMEOUT_SECONDS", 180 if MODEL_IS_EMBEDDED else 60)
# Most tokens that one answer may have.
LONGHAUL_MODEL_MAX_OUTPUT_TOKENS = whole_number(
    "LONGHAUL_MODEL_MAX_OUTPUT_TOKENS", 160 if MODEL_IS_EMBEDDED else 1024, at_least=16
)
# What all workers on all machines together ask of the endpoint; 0: no limit. Refusals lower them for a while.
LONGHAUL_ENDPOINT_CONCURRENCY = whole_number("LONGHAUL_ENDPOINT_CONCURRENCY", 0, at_least=0)
LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE = whole_number("LONGHAUL_ENDPOINT_REQUESTS_PER_MINUTE", 0, at_least=0)
LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE = whole_number("LONGHAUL_ENDPOINT_TOKENS_PER_MINUTE", 0, at_least=0)


# --- Limits of a task -----------------------------------------------------------------------------------

# After an attempt's limit (of its queue, above), until its process group is killed.
LONGHAUL_KILL_GRACE_SECONDS = seconds("LONGHAUL_KILL_GRACE_SECONDS", 5)
# The whole task, from its first start, retries and waits included. The embedded model needs longer for 200 pages.
LONGHAUL_DEADLINE_SECONDS = seconds("LONGHAUL_DEADLINE_SECONDS", 7200 if MODEL_IS_EMBEDDED else 1800)
# A task that never started.
LONGHAUL_EXPIRY_SECONDS = seconds("LONGHAUL_EXPIRY_SECONDS", 7 * 86_400)
# After a forced stop was asked for, until the child is killed.
LONGHAUL_FORCED_STOP_GRACE_SECONDS = seconds("LONGHAUL_FORCED_STOP_GRACE_SECONDS", 5)
# A task whose kind no live worker has known for as long is failed as unknown_kind.
LONGHAUL_UNKNOWN_KIND_SECONDS = seconds("LONGHAUL_UNKNOWN_KIND_SECONDS", 600)
# Attempts that may be spent before a task fails; also the tries of one step.
LONGHAUL_MAX_ATTEMPTS = whole_number("LONGHAUL_MAX_ATTEMPTS", 3)
# The lost attempt that fails a task.
LONGHAUL_MAX_LOST_ATTEMPTS = whole_number("LONGHAUL_MAX_LOST_ATTEMPTS", 3)
# The wait before retry n is min(base x 2^n, max), times 0.8 to 1.2.
LONGHAUL_BACKOFF_BASE_SECONDS = seconds("LONGHAUL_BACKOFF_BASE_SECONDS", 2)
LONGHAUL_BACKOFF_MAX_SECONDS = seconds("LONGHAUL_BACKOFF_MAX_SECONDS", 300)
# Tasks of one user that are queued or running at a time; the rest wait as pending.
LONGHAUL_ACTIVE_TASKS_PER_USER = whole_number("LONGHAUL_ACTIVE_TASKS_PER_USER", 5)
# Tasks of one user that may wait at a time; the next submission is refused until one has ended.
LONGHAUL_WAITING_TASKS_PER_USER = whole_number("LONGHAUL_WAITING_TASKS_PER_USER", 1000)
# How long an Idempotency-Key is remembered.
LONGHAUL_IDEMPOTENCY_KEY_HOURS = whole_number("LONGHAUL_IDEMPOTENCY_KEY_HOURS", 24)


# --- Processes --------------------------------------------------------------------------------------------

LONGHAUL_HEARTBEAT_SECONDS = seconds("LONGHAUL_HEARTBEAT_SECONDS", 5)
# A worker whose heartbeat is older is taken for dead.
LONGHAUL_WORKER_SILENT_SECONDS = seconds("LONGHAUL_WORKER_SILENT_SECONDS", 30)
# An idle worker looks for work this often, whether or not Redis rings.
LONGHAUL_IDLE_LOOK_SECONDS = seconds("LONGHAUL_IDLE_LOOK_SECONDS", 5)
# A worker that was told to leave lets its task go on this long.
LONGHAUL_SHUTDOWN_GRACE_SECONDS = seconds("LONGHAUL_SHUTDOWN_GRACE_SECONDS", 60)
# While one develops: an idle child whose code has changed on disk makes way for a new one. `make run` switches it on.
LONGHAUL_RELOAD = switch("LONGHAUL_RELOAD", default=False)
LONGHAUL_TICK_SECONDS = seconds("LONGHAUL_TICK_SECONDS", 1)
# Life of the scheduler's Redis lock when its owner stops renewing it.
LONGHAUL_SCHEDULER_LOCK_SECONDS = seconds("LONGHAUL_SCHEDULER_LOCK_SECONDS", 10)


# --- Backlog and alerts -----------------------------------------------------------------------------------

# An alert opens when a queue's estimated drain time was above the one for so long, and resolves below the other.
LONGHAUL_ALERT_DRAIN_MINUTES = minutes("LONGHAUL_ALERT_DRAIN_MINUTES", 5)
LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES = minutes(
    "LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES", LONGHAUL_ALERT_DRAIN_MINUTES * 0.6
)
if LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES > LONGHAUL_ALERT_DRAIN_MINUTES:
    raise expected(
        "LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES", f"no more than the {LONGHAUL_ALERT_DRAIN_MINUTES:g} of opening"
    )
LONGHAUL_ALERT_AFTER_SECONDS = seconds("LONGHAUL_ALERT_AFTER_SECONDS", 120)
# A worker that took nothing for as long while due work waits.
LONGHAUL_ALERT_IDLE_WORKER_SECONDS = seconds("LONGHAUL_ALERT_IDLE_WORKER_SECONDS", 60)
# The oldest task that is due has waited as long.
LONGHAUL_ALERT_OLDEST_MINUTES = minutes("LONGHAUL_ALERT_OLDEST_MINUTES", 60)
# Who is told, besides the log.
LONGHAUL_OPERATOR_EMAILS = names("LONGHAUL_OPERATOR_EMAILS", [])
LONGHAUL_ALERT_WEBHOOK_URL = url("LONGHAUL_ALERT_WEBHOOK_URL", "", schemes=("http", "https"))
# Signs what is sent there: HMAC-SHA256.
LONGHAUL_ALERT_WEBHOOK_SECRET = env.str("LONGHAUL_ALERT_WEBHOOK_SECRET", default="")
# By EMAIL_URL: smtp+tls://user:password@host, for example.
MAILERS = mailers("EMAIL_URL")
if not LONGHAUL_OPERATOR_EMAILS:
    # Nobody is written to, so that it does not matter where it would go.
    SILENCED_SYSTEM_CHECKS += ["mail.E001"]
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("LONGHAUL_EMAIL_FROM", default="longhaul@localhost")


# --- How long things are kept -------------------------------------------------------------------------------

# Finished tasks, by how they ended, with all that belongs to them.
LONGHAUL_KEEP_SUCCEEDED_DAYS = whole_number("LONGHAUL_KEEP_SUCCEEDED_DAYS", 90)
LONGHAUL_KEEP_FAILED_DAYS = whole_number("LONGHAUL_KEEP_FAILED_DAYS", 90)
LONGHAUL_KEEP_CANCELLED_DAYS = whole_number("LONGHAUL_KEEP_CANCELLED_DAYS", 30)
# What a succeeded task needed on its way: its steps and answers. Its result, its items and its cost stay.
LONGHAUL_KEEP_STEPS_DAYS = whole_number("LONGHAUL_KEEP_STEPS_DAYS", 30)
# Samples of queues, firings of schedules, resolved alerts, workers that are gone.
LONGHAUL_KEEP_SAMPLES_DAYS = whole_number("LONGHAUL_KEEP_SAMPLES_DAYS", 7)


# --- Documents and input ------------------------------------------------------------------------------------

LONGHAUL_MAX_UPLOAD_BYTES = whole_number("LONGHAUL_MAX_UPLOAD_BYTES", 50 * 1024 * 1024)
LONGHAUL_MAX_PAGES = whole_number("LONGHAUL_MAX_PAGES", 2000)
LONGHAUL_MAX_INSTRUCTION_CHARACTERS = whole_number("LONGHAUL_MAX_INSTRUCTION_CHARACTERS", 4000)
# Text that goes with one model call, in tokens as the endpoint counts them where it can, else by a careful estimate;
# longer pages are cut into several parts.
LONGHAUL_CHUNK_TOKENS = whole_number("LONGHAUL_CHUNK_TOKENS", 400 if MODEL_IS_EMBEDDED else 2000, at_least=50)
# Parts of one document: each is a call.
LONGHAUL_MAX_PARTS = whole_number("LONGHAUL_MAX_PARTS", 5000)
# Answers that one further call combines into one, where a question is about the whole document.
LONGHAUL_COMBINED_ANSWERS = whole_number("LONGHAUL_COMBINED_ANSWERS", 8, at_least=2)
# Text of one document, all pages together.
LONGHAUL_MAX_DOCUMENT_CHARACTERS = whole_number("LONGHAUL_MAX_DOCUMENT_CHARACTERS", 20_000_000)
# The program that reads a document: memory that it may map, and time that it may take. A hostile file ends it alone.
LONGHAUL_READER_MEMORY_BYTES = whole_number(
    "LONGHAUL_READER_MEMORY_BYTES", 1024 * 1024 * 1024, at_least=256 * 1024 * 1024
)
LONGHAUL_READER_SECONDS = seconds("LONGHAUL_READER_SECONDS", 120)
# A step's result above this size is a stored file; the row keeps its name, size and hash.
LONGHAUL_INLINE_RESULT_BYTES = whole_number("LONGHAUL_INLINE_RESULT_BYTES", 64 * 1024)

STORAGE_URL = url("STORAGE_URL", f"file://{VAR_DIR / 'files'}", schemes=("file",))
MEDIA_ROOT = Path(unquote(urlparse(STORAGE_URL).path))
STORAGES = {
    "default": {"BACKEND": "tasks_app.storage.RenamingStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# No file of a user is served by its path: every download is a view that checks the owner.
MEDIA_URL = ""
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700


# --- Live view ------------------------------------------------------------------------------------------------

# Events of one task, at most; the last one is always sent.
LONGHAUL_EVENTS_PER_SECOND = whole_number("LONGHAUL_EVENTS_PER_SECOND", 10)
# A watched task is read again this often, whether or not a hint came.
LONGHAUL_WATCH_SECONDS = seconds("LONGHAUL_WATCH_SECONDS", 5)


# --- Log ----------------------------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "filters": {"one line": {"()": "project.logs.OneLine"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "tasks_app": {"level": env.str("LONGHAUL_LOG_LEVEL", default="INFO")},
        "project": {"level": "INFO"},
        # It writes a line a second while the database is away; those who ask the database say so once.
        "psycopg.pool": {"level": "ERROR"},
        **{f"django.security.{name}": {"filters": ["one line"]} for name in PROVOKED},
    },
}
