#!/bin/bash
# Pushes customers and a tank, transfers the tank, reads what has changed, and deletes the tank.
# Run it against the demo only: it overwrites the customers C-1 and C-2, and deletes the tank T-1 of C-1.
# Needs TANKWATCH_URL and TANKWATCH_KEY, a key with the scopes read and manage.
set -euo pipefail
call() { curl --silent --fail-with-body --header "X-API-Key: $TANKWATCH_KEY" "$@"; }
# Push: one object a line, as often as you like.
printf '%s\n' '{"external_key":"C-1","name":"María López","email":"maria@example.com"}' \
  '{"external_key":"C-2","name":"Tomás Rico","email":"tomas@example.com"}' |
  call --header 'Content-Type: application/x-ndjson' --data-binary @- "$TANKWATCH_URL/manage/v1/customers/bulk"
echo '{"owner_external_key":"C-1","custom_id":"T-1","name":"House","capacity":1000,"capacity_unit":"liters","min_fill_alert_percentage":20}' |
  call --header 'Content-Type: application/x-ndjson' --data-binary @- "$TANKWATCH_URL/manage/v1/tanks/bulk" | tee tank.ndjson
# Transfer: by your own number of the new owner, if nobody has changed the tank meanwhile.
tank="$TANKWATCH_URL/manage/v1/tanks/$(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' tank.ndjson)"
etag=$(call --output /dev/null --write-out '%header{etag}' "$tank")
call --request PATCH --header "If-Match: $etag" --json '{"owner_external_key":"C-2"}' "$tank"
# Pull: what has changed since the saved position. Repeat it while has_more is true.
after=$(cat position 2>/dev/null || true)
call "$TANKWATCH_URL/fleet/v1/changes?types=customer,tank,level&size=1000${after:+&after=$after}" >changes.json
sed -n 's/.*"next":"\([^"]*\)".*/\1/p' changes.json >position
# Delete: one by one, each as you have read it.
etag=$(call --output /dev/null --write-out '%header{etag}' "$tank")
call --request DELETE --header "If-Match: $etag" "$tank"
