# Keeps customers and tanks in step with those of another system, and keeps a copy of them by the change feed, as erp.ts does. It deletes
# only customers that it has created itself, and never many at once. The key needs the scopes read and manage. With --dry-run, it says
# what it would do and changes nothing.
#   PYTHONPATH=packages/python TANKWATCH_URL=https://tanks.example.com TANKWATCH_KEY=... \
#     python3 examples/erp.py copy.json [customers] [revision] [--dry-run]
import json
import os
import sys

from tankwatch import ApiError, BulkAnswer, Tankwatch

words = [word for word in sys.argv[1:] if word != "--dry-run"]
dry_run = "--dry-run" in sys.argv
file, count, revision = (words + ["copy.json", "10000", "1"][len(words) :])[:3]
tankwatch = Tankwatch(os.environ.get("TANKWATCH_URL", "http://localhost:8080"), os.environ.get("TANKWATCH_KEY", ""))


def max_deletions(customers):
    """More deletions at once are rather a mistake, such as an empty table in your own database: 1 %, or 10."""
    return max(10, customers // 100)


def own_customers():
    """Stands for your own database. Revision 2 has another name for 1 % of the customers, and 10 customers less."""
    for n in range(int(count) - (10 if revision == "2" else 0)):
        name = f"Customer {n}" + (" Ltd." if revision == "2" and n % 100 == 0 else "")
        yield {"external_key": f"C-{n}", "name": name, "email": f"customer{n}@example.com"}


def own_tanks():
    for customer in own_customers():
        house = {"name": "House", "capacity": 1000, "capacity_unit": "liters", "min_fill_alert_percentage": 20}
        yield {**house, "owner_external_key": customer["external_key"], "custom_id": "tank-1"}


def follow(copy):
    """Read what has changed since the last time. After a restore of the service, read everything again."""
    try:
        for page in tankwatch.changes(after=copy["after"], size=1000).pages():
            for change in page["data"]:
                objects = copy[change["kind"] + "s"]
                if change["deleted"]:
                    objects.pop(change["id"], None)
                else:
                    fields = ("etag", "external_key") if change["kind"] == "customer" else ("etag", "owner_id")
                    objects[change["id"]] = {field: change[change["kind"]][field] for field in fields}
            copy["after"] = page["next"]
        return copy
    except ApiError as error:
        if error.code != "gone":
            raise
        return follow({"after": None, "created": copy["created"], "customers": {}, "tanks": {}})


def save(copy):
    if dry_run:
        return
    with open(f"{file}.new", "w") as new:
        json.dump(copy, new)
    os.replace(f"{file}.new", file)


def report(what: str, answer: BulkAnswer):
    summary = answer.summary
    print(f"{what}: {summary['created']} created, {summary['updated']} updated, {summary['unchanged']} unchanged")
    for result in answer.results:
        if result["status"] == "refused":
            print(f"{what} line {result['line']}", result["errors"], file=sys.stderr)
        elif result["status"] == "created" and result["id"] is not None:
            copy["created"].append(result["id"])
    save(copy)  # at once: what this run has created must be known even if it fails later


saved = json.load(open(file)) if os.path.exists(file) else {}
copy = follow({"after": None, "created": [], "customers": {}, "tanks": {}, **saved})
report("customers", tankwatch.put_customers(own_customers(), dry_run=dry_run))
if not dry_run:  # the tanks of customers that a dry run has not created would be refused
    report("tanks", tankwatch.put_tanks(own_tanks()))

own = {customer["external_key"] for customer in own_customers()}
created = set(copy["created"])
gone = {id: one for id, one in copy["customers"].items() if id in created and one["external_key"] not in own}
limit, deleted = max_deletions(len(copy["customers"])), set()
is_too_much = len(gone) > limit
if is_too_much:
    print(f"{len(gone)} customers are gone, and at most {limit} are deleted at once.", file=sys.stderr)
for id, customer in () if is_too_much or dry_run else gone.items():
    for tank_id, tank in copy["tanks"].items():
        if tank["owner_id"] == id and tank_id in created:
            tankwatch.delete_tank(tank_id, if_match=tank["etag"])
    try:
        tankwatch.delete_customer(id, if_match=customer["etag"])
        deleted.add(id)
    except ApiError as error:
        if error.status != 409:
            raise
        print(f"the customer {id} has a tank that others have created: {error.conflicting_id}", file=sys.stderr)
copy = follow(copy)
copy["created"] = [id for id in copy["created"] if id not in deleted]
save(copy)
what = f"would delete: {len(gone)}" if dry_run else f"deleted: {len(deleted)}"
print(f"{what}; copy: {len(copy['customers'])} customers, {len(copy['tanks'])} tanks")
sys.exit(1 if is_too_much else 0)
