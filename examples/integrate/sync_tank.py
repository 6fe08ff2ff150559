# Copies the readings of the newest tank into SQLite, as sync.ts does for all tanks.
import os, sqlite3, time
from datetime import UTC, datetime
from tankwatch import get, walk

mirror = sqlite3.connect(os.environ.get("MIRROR", "mirror.db"))
mirror.execute("create table if not exists readings (tank_id, created_at, fill, primary key (tank_id, created_at))")


def put(tank_id, readings):
    rows = ((tank_id, reading["created_at"], reading["fill_percentage"]) for reading in readings)
    mirror.executemany("insert or ignore into readings values (?, ?, ?)", rows)


def iso(ms):
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03}Z"


def mirror_readings(tank_id, from_ms, to_ms):
    path, window = f"/v1/tanks/{tank_id}/telemetry", {"created_at_gte": iso(from_ms), "created_at_lte": iso(to_ms)}
    page = get(path, **window, size=100)
    put(tank_id, page["data"])
    count = "select count(*) from readings where tank_id = ? and created_at between ? and ?"
    [held] = mirror.execute(count, (tank_id, *window.values())).fetchone()
    if held >= page["total_items"]:
        return
    if held == len(page["data"]):
        put(tank_id, walk(path, **window))
    else:
        middle_ms = (from_ms + to_ms) // 2
        mirror_readings(tank_id, middle_ms + 1, to_ms)
        mirror_readings(tank_id, from_ms, middle_ms)


tank = get("/v1/tanks", size=1)["data"][0]
mirror_readings(tank["id"], 0, int(time.time() * 1000))
mirror.commit()
print(mirror.execute("select count(*) from readings where tank_id = ?", (tank["id"],)).fetchone()[0], "readings")
