"""A client of Tankwatch for Python 3.11 and later, without dependencies. All types are generated from openapi.json."""

from .client import BulkAnswer, CursorListing, Tankwatch
from .errors import ApiError, ConnectionFailed, TankwatchError
from .webhook import WebhookVerificationError, verify_webhook

__all__ = [
    "ApiError",
    "BulkAnswer",
    "ConnectionFailed",
    "CursorListing",
    "Tankwatch",
    "TankwatchError",
    "WebhookVerificationError",
    "verify_webhook",
]
