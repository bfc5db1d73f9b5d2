"""Rows, constraints and named querysets."""

from .account import Allowance, ApiToken, IdempotencyKey
from .attempt import Attempt
from .call import ModelCall
from .document import Document
from .states import ACTIVE, FINAL, WAITING, CallOutcome, ErrorCode, Outcome, Status, StepStatus
from .step import StepResult
from .task import AttemptRef, Task
from .tries import StepTries
from .worker import Worker

__all__ = [
    "ACTIVE",
    "FINAL",
    "WAITING",
    "Allowance",
    "ApiToken",
    "Attempt",
    "AttemptRef",
    "CallOutcome",
    "Document",
    "ErrorCode",
    "IdempotencyKey",
    "ModelCall",
    "Outcome",
    "Status",
    "StepResult",
    "StepStatus",
    "StepTries",
    "Task",
    "Worker",
]
