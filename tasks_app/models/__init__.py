"""Rows, constraints and named querysets."""

from .account import Allowance, ApiToken, GroupAllowance, IdempotencyKey
from .attempt import Attempt
from .call import ModelCall
from .document import Document
from .queue import Alert, AlertRule, Delivery, QueueSample, QueueState
from .schedule import Firing, FiringOutcome, Overlap, Schedule
from .states import ACTIVE, FINAL, WAITING, CallOutcome, ErrorCode, Outcome, Status, StepStatus
from .step import StepResult
from .task import AttemptRef, Task
from .tries import StepTries
from .worker import Worker

__all__ = [
    "ACTIVE",
    "FINAL",
    "WAITING",
    "Alert",
    "AlertRule",
    "Allowance",
    "ApiToken",
    "Attempt",
    "AttemptRef",
    "CallOutcome",
    "Delivery",
    "Document",
    "ErrorCode",
    "Firing",
    "FiringOutcome",
    "GroupAllowance",
    "IdempotencyKey",
    "ModelCall",
    "Outcome",
    "Overlap",
    "QueueSample",
    "QueueState",
    "Schedule",
    "Status",
    "StepResult",
    "StepStatus",
    "StepTries",
    "Task",
    "Worker",
]
