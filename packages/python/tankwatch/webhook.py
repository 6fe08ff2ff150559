import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from .errors import TankwatchError


class WebhookVerificationError(TankwatchError):
    """The message is not from the service, was modified, or is too old. Answer with 400 and ignore it."""


def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str, tolerance_seconds: int = 300) -> dict[str, Any]:
    """Verify the signature of a message and return its event. A message can arrive more than once, with the same `webhook-id`."""
    names = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (names.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message_id and timestamp and signatures):
        raise WebhookVerificationError("a webhook-* header is missing")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("the timestamp is too old or too new")
    key = _key_of(secret)
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # There are several signatures while a secret is rotated.
    if not any(hmac.compare_digest(f"v1,{expected}".encode(), given.encode()) for given in signatures.split(" ")):
        raise WebhookVerificationError("no valid signature")
    event: dict[str, Any] = json.loads(body)
    return event


def _key_of(secret: str) -> bytes:
    """An empty key would accept the messages of anybody."""
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("secret must be the whsec_... secret of the webhook")
    return key
