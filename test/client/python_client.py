"""Checks the promises of the client for Python, with a service that the test starts and with one that fails on purpose."""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import tankwatch.client as module
from tankwatch import ApiError, ConnectionFailed, Tankwatch, WebhookVerificationError, verify_webhook

tankwatch = Tankwatch(os.environ["TANKWATCH_URL"], os.environ["TANKWATCH_KEY"])


def fails(work, *errors):
    try:
        work()
    except errors as error:
        return error
    sys.exit("an error was expected")


# Numbers of the organization may contain slashes and accents.
customer = tankwatch.put_customer("C/1 ñ", {"name": "María López", "email": "maria@example.com"})
assert tankwatch.customer_by_key("C/1 ñ") == customer
tank = {"name": "House", "capacity": 1000, "capacity_unit": "liters", "min_fill_alert_percentage": 20}
stored = tankwatch.put_tank(customer["id"], "t/1", tank)
assert tankwatch.tank_by_key(customer["id"], "t/1")["id"] == stored["id"]

# A tank by the number of the organization: created, transferred, found, and in a bulk.
other = tankwatch.put_customer("C/2", {"name": "Other", "email": "other@example.com"})
moved = [tankwatch.put_tank_by_external_key("T/4711 ñ", {**tank, "owner_external_key": key}) for key in ("C/1 ñ", "C/2")]
assert (moved[0]["id"], moved[1]["owner_id"]) == (moved[1]["id"], other["id"])
assert tankwatch.tank_by_external_key("T/4711 ñ") == moved[1]
assert tankwatch.put_tanks([{**tank, "external_key": "T/4711 ñ"}]).summary["unchanged"] == 1
tankwatch.delete_tank(moved[1]["id"], if_match=moved[1]["etag"])
tankwatch.delete_customer(other["id"], if_match=other["etag"])

# A condition that no longer holds, a conflict with the object in the way, fields with errors, and a dry run.
changed = tankwatch.update_tank(stored["id"], {"capacity": 900}, if_match=stored["etag"])
assert fails(lambda: tankwatch.update_tank(stored["id"], {"capacity": 1}, if_match=stored["etag"]), ApiError).status == 412
conflict = fails(lambda: tankwatch.delete_customer(customer["id"], if_match="*"), ApiError)
assert (conflict.status, conflict.conflicting_id) == (409, stored["id"]), conflict
assert [error["param"] for error in fails(lambda: tankwatch.put_customer("C-2", {"name": ""}), ApiError).errors]
tankwatch.delete_tank(stored["id"], if_match=changed["etag"], dry_run=True)
assert tankwatch.get(f"/manage/v1/tanks/{stored['id']}")["capacity"] == 900

# The same idempotency key changes nothing again.
new = {"name": "Once", "email": "once@example.com"}
once = [tankwatch.change("POST", "/customers", new, idempotency_key="order-4711")["id"] for _ in range(2)]
assert once[0] == once[1]

# A path with and without its beginning, and a URL without its scheme.
for path in ("customers/external_key/C-9", "/manage/v1/customers/external_key/C-9"):
    ninth = tankwatch.change("PUT", path, new)
assert tankwatch.get("manage/v1/customers/external_key/C-9") == ninth
tankwatch.delete_customer(ninth["id"], if_match=ninth["etag"])
fails(lambda: Tankwatch("127.0.0.1:3000", "key"), ValueError)

# A bulk of several requests: line numbers go on, and a bad line refuses only itself.
module.MAX_LINES = 200
lines = [{"external_key": f"B-{n}", "name": f"Customer {n}", "email": "b@example.com"} for n in range(450)]
lines[420]["name"] = ""
answer = tankwatch.put_customers(lines)
assert answer.summary == {"created": 449, "updated": 0, "unchanged": 0, "refused": 1}, answer.summary
assert [result["line"] for result in answer.results if result["status"] == "refused"] == [421]

# Iteration returns everything once, and a saved position continues.
assert len({one["id"] for one in tankwatch.customers()}) == 451
copy, after = {}, None
while len(copy) < 452:  # the feed has a change as soon as no older transaction runs
    for page in tankwatch.changes(types="customer,tank", after=after, size=100).pages():
        copy.update({change["id"]: change for change in page["data"]})
        after = page["next"]
    time.sleep(0.1)
assert tankwatch.changes(types="customer,tank", after=after).page()["data"] == []
assert list(tankwatch.readings()) == [] and list(tankwatch.delivery_notes()) == []


# The service fails twice and then answers: all attempts have the same idempotency key. A redirect is not followed.
class Failing(BaseHTTPRequestHandler):
    requests = []

    def do_POST(self):
        self.requests.append(self.headers["Idempotency-Key"])
        self.rfile.read(int(self.headers["Content-Length"]))
        if len(self.requests) == 1:
            return self.connection.close()
        self.send_response(503 if len(self.requests) == 2 else 201)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(b'{"id": "1"}' if len(self.requests) == 3 else b"busy")

    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Failing)
threading.Thread(target=server.serve_forever, daemon=True).start()
failing = Tankwatch(f"http://127.0.0.1:{server.server_port}", "key")
assert failing.change("POST", "/customers", new) == {"id": "1"}
assert len(Failing.requests) == 3 and len(set(Failing.requests)) == 1, Failing.requests
assert fails(lambda: failing.get("/v1/tanks"), ApiError).status == 302
server.shutdown()
fails(lambda: Tankwatch("http://127.0.0.1:9", "key", max_retries=0).get("/v1/tanks"), ConnectionFailed)

# Webhooks: a signature of one of two secrets, a changed body, and an old message.
body, now = json.dumps({"type": "tank.low_fill", "data": {}}).encode(), str(int(time.time()))
key = base64.b64encode(b"secret of the webhook").decode()


def signed(at, secret=b"secret of the webhook"):
    mac = hmac.new(secret, f"m1.{at}.".encode() + body, hashlib.sha256).digest()
    return {"Webhook-Id": "m1", "Webhook-Timestamp": at, "Webhook-Signature": f"v1,other v1,{base64.b64encode(mac).decode()}"}


assert verify_webhook(body, signed(now), f"whsec_{key}")["type"] == "tank.low_fill"
assert verify_webhook(body, signed(now), f"whsec_{key}\n")["type"] == "tank.low_fill"  # read from a file
fails(lambda: verify_webhook(body + b" ", signed(now), f"whsec_{key}"), WebhookVerificationError)
fails(lambda: verify_webhook(body, signed("1000000000"), f"whsec_{key}"), WebhookVerificationError)
# Headers that a stranger can send, and a secret that is missing or cut off, which would accept messages of anybody.
for headers in ({**signed(now), "Webhook-Signature": "v1,é"}, signed("²"), signed("9" * 5_000)):
    fails(lambda headers=headers: verify_webhook(body, headers, f"whsec_{key}"), WebhookVerificationError)
for secret in ("", "whsec_", "?"):
    fails(lambda secret=secret: verify_webhook(body, signed(now, b""), secret), ValueError)
print("all promises are kept")
