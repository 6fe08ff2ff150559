import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeVar, cast
from urllib.parse import quote

from .transport import Transport
from .types import (
    BulkResult,
    Change,
    CustomerLine,
    CustomerPatch,
    DeliveryNoteLine,
    FleetCustomer,
    ManagedCustomer,
    ManagedTank,
    NewCustomer,
    Reading,
    TankByKey,
    TankEvent,
    TankLine,
    TankOfOwner,
    TankPatch,
    TankStatus,
    WrittenDeliveryNote,
)

MAX_LINES = 10_000
MAX_BYTES = 8_388_608
Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    data: list[Item]
    next: str | None
    has_more: bool


class CursorListing(Generic[Item]):
    """A list with cursors. `page()` returns one page, `pages()` all of them. Iterating returns all items, 200 a request."""

    def __init__(self, transport: Transport, path: str, query: Mapping[str, Any]) -> None:
        self._transport, self._path, self._query = transport, path, query

    def page(self, **more: Any) -> Page[Item]:
        return cast(Page[Item], json.loads(self._transport.send("GET", self._path, {**self._query, **more})))

    def pages(self) -> Iterator[Page[Item]]:
        """Return all pages. If you save `next` of a page with your results and continue with it as `after`, nothing is skipped."""
        after = self._query.get("after")
        while True:
            page = self.page(**{"size": 200, **{k: v for k, v in self._query.items() if v is not None}, "after": after})
            yield page
            if page["next"] is None or page.get("has_more") is False:
                return
            after = page["next"]

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page["data"]


@dataclass
class BulkAnswer:
    """The result of many lines. Lines with errors are refused, and the others are stored."""

    results: list[BulkResult] = field(default_factory=list)
    summary: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("created", "updated", "unchanged", "refused"), 0))


class Tankwatch:
    """Reads and changes customers, tanks and what belongs to them, with one API key. Do not use one object in several threads."""

    def __init__(self, base_url: str, api_key: str, timeout: float = 30, max_retries: int = 3) -> None:
        self._transport = Transport(base_url, api_key, timeout, max_retries)

    def get(self, path: str, **query: Any) -> Any:
        """Send any other read, such as `get('/fleet/v1/summary')`."""
        return json.loads(self._transport.send("GET", path, query))

    # ---- feeds and lists

    def changes(self, types: str | None = None, after: str | None = None, size: int | None = None) -> CursorListing[Change]:
        return CursorListing(self._transport, "/fleet/v1/changes", {"types": types, "after": after, "size": size})

    def readings(self, after: str | None = None, size: int | None = None) -> CursorListing[Reading]:
        return CursorListing(self._transport, "/fleet/v1/readings", {"after": after, "size": size})

    def events(self, after: str | None = None, type: str | None = None) -> CursorListing[TankEvent]:
        return CursorListing(self._transport, "/fleet/v1/events", {"after": after, "type": type})

    def tanks(self, **filters: Any) -> CursorListing[TankStatus]:
        """Tanks with level, forecast and status, by creation, because readings change the order by urgency."""
        return CursorListing(self._transport, "/fleet/v1/tanks", {"sort": "created", **filters})

    def customers(self, **filters: Any) -> CursorListing[FleetCustomer]:
        return CursorListing(self._transport, "/fleet/v1/customers", filters)

    def delivery_notes(self, **filters: Any) -> CursorListing[WrittenDeliveryNote]:
        return CursorListing(self._transport, "/fleet/v1/delivery-notes", filters)

    # ---- changes: the key needs the scope `manage`

    def customer_by_key(self, external_key: str) -> ManagedCustomer:
        return cast(ManagedCustomer, self.get(f"/manage/v1/customers/external_key/{_part(external_key)}"))

    def put_customer(self, external_key: str, customer: NewCustomer, **options: Any) -> ManagedCustomer:
        return cast(ManagedCustomer, self.change("PUT", f"/customers/external_key/{_part(external_key)}", customer, **options))

    def update_customer(self, id: str, patch: CustomerPatch, if_match: str, **options: Any) -> ManagedCustomer:
        return cast(ManagedCustomer, self.change("PATCH", f"/customers/{_part(id)}", patch, if_match=if_match, **options))

    def delete_customer(self, id: str, if_match: str, with_tanks: bool = False, **options: Any) -> None:
        self.change("DELETE", f"/customers/{_part(id)}", if_match=if_match, query={"with_tanks": with_tanks or None}, **options)

    def tank_by_key(self, owner_id: str, custom_id: str) -> ManagedTank:
        return cast(ManagedTank, self.get(f"/manage/v1/customers/{_part(owner_id)}/tanks/custom_id/{_part(custom_id)}"))

    def put_tank(self, owner_id: str, custom_id: str, tank: TankOfOwner, **options: Any) -> ManagedTank:
        path = f"/customers/{_part(owner_id)}/tanks/custom_id/{_part(custom_id)}"
        return cast(ManagedTank, self.change("PUT", path, tank, **options))

    def tank_by_external_key(self, external_key: str) -> ManagedTank:
        return cast(ManagedTank, self.get(f"/manage/v1/tanks/external_key/{_part(external_key)}"))

    def put_tank_by_external_key(self, external_key: str, tank: TankByKey, **options: Any) -> ManagedTank:
        """A new tank needs `owner_id` or `owner_external_key`. If a stored tank has another owner, the new owner gets it."""
        return cast(ManagedTank, self.change("PUT", f"/tanks/external_key/{_part(external_key)}", tank, **options))

    def update_tank(self, id: str, patch: TankPatch, if_match: str, **options: Any) -> ManagedTank:
        return cast(ManagedTank, self.change("PATCH", f"/tanks/{_part(id)}", patch, if_match=if_match, **options))

    def delete_tank(self, id: str, if_match: str, **options: Any) -> None:
        self.change("DELETE", f"/tanks/{_part(id)}", if_match=if_match, **options)

    def put_customers(self, lines: Iterable[CustomerLine], dry_run: bool = False) -> BulkAnswer:
        return self._put_all("/customers/bulk", lines, dry_run)

    def put_tanks(self, lines: Iterable[TankLine], dry_run: bool = False) -> BulkAnswer:
        return self._put_all("/tanks/bulk", lines, dry_run)

    def put_delivery_notes(self, lines: Iterable[DeliveryNoteLine], dry_run: bool = False) -> BulkAnswer:
        return self._put_all("/delivery-notes/bulk", lines, dry_run)

    def change(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        dry_run: bool = False,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Send any change below `/manage/v1`. The path may begin with `/manage/v1`.

        All attempts have the same Idempotency-Key, so that a change whose answer was lost is not made twice.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        if body is not None:
            headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
        if if_match is not None:
            headers["If-Match"] = if_match
        if if_none_match is not None:
            headers["If-None-Match"] = if_none_match
        text = self._transport.send(
            method,
            f"/manage/v1/{path.removeprefix('/').removeprefix('manage/v1/')}",
            {**(query or {}), "dry_run": dry_run or None},
            headers,
            None if body is None else json.dumps(body).encode(),
        )
        return json.loads(text) if text else None

    def _put_all(self, path: str, lines: Iterable[Mapping[str, Any]], dry_run: bool) -> BulkAnswer:
        """Divides the lines into requests by the limits of one request."""
        answer = BulkAnswer()
        for batch in _batches_of(lines):
            headers = {"Content-Type": "application/x-ndjson"}
            text = self._transport.send("POST", f"/manage/v1{path}", {"dry_run": dry_run or None}, headers, b"\n".join(batch))
            before = len(answer.results)
            for result in map(json.loads, text.rstrip("\n").split("\n")):
                if "line" in result:
                    answer.results.append({**result, "line": result["line"] + before})
                else:
                    for status in answer.summary:
                        answer.summary[status] += result["summary"][status]
        return answer


def _part(text: str) -> str:
    return quote(text, safe="")


def _batches_of(lines: Iterable[Mapping[str, Any]]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for line in lines:
        text = json.dumps(line).encode()
        if len(batch) == MAX_LINES or (batch and size + len(text) + 1 > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + 1
    if batch:
        yield batch
