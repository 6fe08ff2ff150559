# A client of Tankwatch for Python 3.11 without packages: get() returns one response, walk() every item of a list.
import http.client, json, os, random, time, urllib.error, urllib.parse, urllib.request
from datetime import datetime, timedelta

URL, KEY = os.environ["TANKWATCH_URL"], os.environ["TANKWATCH_KEY"]


def get(path, **parameters):
    """Return one response. Try up to five times if the service is unavailable or asks to wait."""
    url = f"{URL}{path}?{urllib.parse.urlencode(parameters)}"
    request = urllib.request.Request(url, headers={"X-API-Key": KEY})
    for attempt in range(5):
        wait = 0.0
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if attempt == 4 or error.code not in (429, 502, 503, 504):
                raise
            wait = float(error.headers.get("Retry-After", 0))
        except (OSError, http.client.HTTPException, ValueError):  # no connection, timeout, incomplete response
            if attempt == 4:
                raise
        time.sleep(wait + 0.5 * 2**attempt * random.uniform(0.5, 1))


def walk(path, **window):
    """Yield every item of a list once, newest first, even if items are added or deleted meanwhile."""
    while True:
        page = get(path, **window, size=100)
        if len(page["data"]) == page["total_items"]:
            yield from page["data"]
            return
        oldest = page["data"][-1]["created_at"]
        newer = [item for item in page["data"] if item["created_at"] != oldest]
        if newer:
            yield from newer
            window["created_at_lte"] = oldest
        else:  # the whole page has one time
            yield from walk_tie(path, {**window, "created_at_gte": oldest, "created_at_lte": oldest})
            before = datetime.fromisoformat(oldest) - timedelta(milliseconds=1)
            window["created_at_lte"] = before.isoformat(timespec="milliseconds")


def walk_tie(path, window):
    known, total, number = set(), 0, 1
    while True:
        page = get(path, **window, size=100, page=number)
        yield from (item for item in page["data"] if item["id"] not in known)
        known.update(item["id"] for item in page["data"])
        if page["total_items"] >= total and number >= page["total_pages"]:
            return
        number = number + 1 if page["total_items"] >= total else 1  # an item was deleted: start again
        total = page["total_items"]
