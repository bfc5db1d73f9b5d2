"""Work folders that nobody clears up: their worker was killed together with its child."""

import re
import shutil
from pathlib import Path
from uuid import UUID

from django.conf import settings

from tasks_app.models import AttemptRef, Task

# Folders looked at, and removed, in one sweep.
AT_ONCE = 1000
NAME = re.compile(r"(?P<task>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(?P<number>\d{1,9})")


def sweep_work_folders() -> int:
    """Remove the folders of attempts that no longer own their task; returns how many.

    An attempt owns its task before it makes its folder, and no attempt begins twice. So of a folder that was listed
    before the rows are asked, they know the owner; one that is made between the two is not on the list. The order
    is what keeps a beginning attempt's folder safe.
    """
    folders = _folders()
    tasks = {ref.task_id for ref in folders}
    running = {task.ref for task in Task.objects.running().filter(pk__in=tasks).only("pk", "attempt")}
    left = [folder for ref, folder in folders.items() if ref not in running]
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)
    return len(left)


def _folders() -> dict[AttemptRef, Path]:
    """Attempt -> its folder, of those that look like one."""
    root = Path(settings.VAR_DIR) / "work"
    if not root.is_dir():
        return {}
    names = sorted(folder.name for folder in root.iterdir())
    matches = [match for name in names if (match := NAME.fullmatch(name))]
    return {AttemptRef(UUID(match["task"]), int(match["number"])): root / match[0] for match in matches[:AT_ONCE]}
