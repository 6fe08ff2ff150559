import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .errors import ApiError, ConnectionFailed

RETRIED_STATUSES = (429, 502, 503, 504)
# If Retry-After asks for more than this, the error is raised without a retry.
MAX_RETRY_AFTER_SECONDS = 60


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not be sent to the target of a redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Transport:
    """Sends requests with a time limit and retries, and raises errors by name."""

    def __init__(self, base_url: str, api_key: str, timeout: float, max_retries: int) -> None:
        if not api_key:
            raise ValueError("api_key is required")
        if not base_url.lower().startswith(("https://", "http://")):
            raise ValueError("base_url must begin with https:// or http://")
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._max_retries = max_retries

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> str:
        """Return the text of the answer. A change may be sent several times, so it must be safe to repeat."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}/{path.removeprefix('/')}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        all_headers = {"X-API-Key": self._api_key, "Accept": "application/json", **(headers or {})}
        for retries in range(self._max_retries + 1):
            try:
                return self._attempt(urllib.request.Request(url, body, all_headers, method=method))
            except (ApiError, ConnectionFailed) as error:
                wait = _retry_delay(error, retries)
                if wait is None or retries == self._max_retries:
                    raise
                time.sleep(wait)
        raise AssertionError("unreachable")

    def _attempt(self, request: urllib.request.Request) -> str:
        try:
            with _opener.open(request, timeout=self._timeout) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                raise _problem_of(error) from None
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            raise ConnectionFailed(f"no complete answer from {self._base_url}: {error}") from error


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def _problem_of(error: urllib.error.HTTPError) -> ApiError:
    try:
        problem = json.loads(error.read())
    except (OSError, http.client.HTTPException, ValueError):
        problem = {}
    return ApiError(
        error.code,
        problem if isinstance(problem, dict) else {},
        error.headers.get("X-Request-Id", ""),
        _seconds_in(error.headers.get("Retry-After")),
    )


def _seconds_in(text: str | None) -> float:
    """Parse Retry-After, which is a number of seconds or a date."""
    if text is None:
        return 0
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except ValueError:
        return 0


def _retry_delay(error: ApiError | ConnectionFailed, retries: int) -> float | None:
    """Return the seconds before a retry: 0.5 s, doubled up to 8 s, minus up to 50 % at random. None if it is not retried."""
    asked = 0.0
    if isinstance(error, ApiError):
        if error.status not in RETRIED_STATUSES and error.code != "idempotency_key_in_progress":
            return None
        asked = error.retry_after
        if asked > MAX_RETRY_AFTER_SECONDS:
            return None
    return asked + min(8.0, 0.5 * 2**retries) * random.uniform(0.5, 1)
