from typing import Any


class TankwatchError(Exception):
    """The base of all errors of this client."""


class ConnectionFailed(TankwatchError):
    """No complete answer of the service arrived."""


class ApiError(TankwatchError):
    """The service refused the request. Use `status` and `code` in programs, and show `detail` to people."""

    def __init__(self, status: int, problem: dict[str, Any], request_id: str, retry_after: float) -> None:
        self.status = status
        self.code: str = str(problem.get("code", "unknown"))
        self.detail: str = str(problem.get("detail", "The answer is not from Tankwatch."))
        self.errors: list[dict[str, Any]] = problem.get("errors", [])
        self.conflicting_id: str | None = problem.get("conflicting_id")
        self.request_id = request_id
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}")
