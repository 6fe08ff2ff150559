#!/usr/bin/env bash
# Runs Dockerfile and compose.yaml as docs/operators/containers.md describes: from a checkout to readings that survive `down`, with every
# service killed once. It needs docker with compose, curl, jq, openssl and mosquitto-clients, and the free ports 8080,
# 8081, 1883 and 8883. It takes about four minutes. Exit code 0: everything worked.
#   test/containers/compose.sh [FILE]     FILE in place of .env.example, such as that of an older release
set -euo pipefail
root=$(readlink -f "$(dirname "$0")/../..")
example=$(readlink -f "${1:-$root/.env.example}")
folder=$(mktemp -d)
export COMPOSE_PROJECT_NAME=tankwatch-try OPERATOR_NAME=tester
export COMPOSE_FILE=compose.yaml:compose.tls.yaml CERTS_FOLDER=$folder/certs

# A checkout that only its owner can read. git lists the files, so that nothing else gets into the image.
mkdir "$folder/checkout" "$folder/certs"
(umask 077 && cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read |
  tar --extract --no-same-permissions --directory="$folder/checkout")
cd "$folder/checkout"
# nats-server and PostgreSQL read these files under their own users.
chmod -R a+rX deploy && chmod a+x "$folder" "$folder/checkout"
sed -E "s/^(\w+_PASSWORD|\w+_SECRET|SECRETS_KEY)=$/echo \1=n\$(openssl rand -hex 24)/e" "$example" > .env
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$folder/certs/privkey.pem" -out "$folder/certs/fullchain.pem" 2> /dev/null
chmod a+rX "$folder/certs" "$folder/certs"/*

finish() {
  code=$?
  [ $code = 0 ] || { docker compose ps --all; docker compose logs --tail 20; } || true
  docker compose --profile setup --profile operator down --volumes > /dev/null 2>&1
  rm -rf "$folder"
  exit $code
}
trap finish EXIT

# WHAT WANTED GOT
expect() {
  if [ "$2" = "$3" ]; then echo "ok    $1"; else echo "WRONG $1: wanted $2, got $3" && exit 1; fi
}
operator() { docker compose run --rm -T operator "$@" 2> "$folder/operator.log"; }
readings() { curl -sS -H "X-API-Key: $key" "localhost:8080/v1/tanks/$tank/telemetry?size=1" | jq .total_items; }
# report SECOND: sends a reading over MQTT with TLS.
report() {
  mosquitto_pub --cafile "$folder/certs/fullchain.pem" -h localhost -p 8883 -u a0gas/ABCD1234 -P "$password" -q 1 \
    -t readings/a0gas/ABCD1234 -m "{\"fill_percentage\": 45.5, \"created_at\": \"2025-08-13T06:00:0$1Z\"}"
}
# settled READINGS WHAT: waits for at most two minutes until all services are healthy and the tank has this number of readings.
settled() {
  for _ in $(seq 120); do
    health=$(docker compose ps --format '{{.Health}}' | sort -u | tr '\n' ' ') count=$(readings 2> /dev/null || true)
    [ "$health" = "healthy " ] && [ "$count" = "$1" ] && break
    sleep 1
  done
  expect "$2" "healthy $1" "$health$count"
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

volumes_before=$(docker volume ls --quiet | wc -l)
docker compose build > "$folder/build.log" 2>&1 || { cat "$folder/build.log"; exit 1; }
echo "ok    build"
expect "the image has no compiler" no "$(docker run --rm --entrypoint sh tankwatch -c '[ -e node_modules/typescript ] && echo yes || echo no')"
docker compose run --rm -T migrate > "$folder/migrate.log" 2>&1 || { cat "$folder/migrate.log"; exit 1; }
expect "migrate" "the database is up to date" "$(tail -1 "$folder/migrate.log")"
docker compose run --rm -T logins > "$folder/logins.log" 2>&1 || { cat "$folder/logins.log"; exit 1; }
docker compose up --detach --wait > "$folder/up.log" 2>&1 || { cat "$folder/up.log"; exit 1; }
echo "ok    logins, up"

# Without API_SECRETS_KEY nothing can be changed over HTTP. An .env of 0.2.0 has no MANAGER_PASSWORD either: then the path is missing.
answer=$(curl -sS localhost:8080/manage/v1/audit)
if grep -q '^MANAGER_PASSWORD=.' .env; then
  expect "a change without API_SECRETS_KEY" changes_not_set_up "$(jq -r .code <<< "$answer")"
  expect "  says what to do" 1 "$(grep -c 'tankwatch secrets api-key' <<< "$answer")"
  expect "  the log of the api says it too" 1 "$(docker compose logs api | grep -c 'tankwatch secrets api-key')"
  expect "  and so does doctor" 1 "$(operator doctor | grep -c 'lacks API_SECRETS_KEY')"
else
  expect "a change without MANAGER_PASSWORD" not_found "$(jq -r .code <<< "$answer")"
  echo "MANAGER_PASSWORD=$(openssl rand -hex 24)" >> .env
fi
echo "API_SECRETS_KEY=$(docker compose run --rm --no-deps operator secrets api-key 2> "$folder/operator.log")" >> .env
docker compose run --rm -T logins > "$folder/logins.log" 2>&1 || { cat "$folder/logins.log"; exit 1; }
docker compose up --detach --wait > "$folder/up.log" 2>&1 || { cat "$folder/up.log"; exit 1; }

expect "an organization" "created the organization a0gas" "$(operator organizations create a0gas --name "Gas del Valle")"
expect "its actor in the audit log" tester "$(operator audit --organization a0gas --json | jq -r '.[0].actor')"
expect "an operator command runs no setup task" "" "$(docker compose ps --all --quiet migrate logins 2> /dev/null)"
operator customers create --organization a0gas --external-key C-1042 --name "María López" --email maria@example.com > /dev/null
tank=$(operator tanks create --organization a0gas --owner C-1042 --name House --assigned-device-id ABCD1234 \
  --capacity 300 --capacity-unit liters | grep -oE '[0-9a-f-]{36}')
key=$(operator keys create --organization a0gas --name ERP --quiet)
ingest=$(operator keys create --organization a0gas --name Cloud --scope ingest --quiet)
manage=$(operator keys create --organization a0gas --name Office --scope read manage --quiet)
expect "a change over HTTP" 201 "$(curl -sS -o /dev/null -w '%{http_code}' -X PUT localhost:8080/manage/v1/customers/external_key/C-1043 \
  -H "X-API-Key: $manage" -H 'Content-Type: application/json' -d '{"name": "Juan", "email": "juan@example.com"}')"
password=$(operator devices issue ABCD1234 --organization a0gas --quiet)
report 1 && echo "ok    MQTT with TLS"
expect "HTTP" 202 "$(curl -sS -o /dev/null -w '%{http_code}' localhost:8081/ingest/readings -H "X-API-Key: $ingest" \
  -d '{"readings": [{"device_id": "ABCD1234", "fill_percentage": 44.5, "created_at": "2025-08-14T06:00:00Z"}]}')"
settled 2 "both readings are read"

n=2
for service in postgres nats api gateway writer worker connector; do # killed from outside, so that the restart policy applies
  as_root kill -9 "$(docker inspect -f '{{.State.Pid}}' "$(docker compose ps --quiet "$service")")"
  sleep 1
  settled $n "$service killed"
  report $n && n=$((n + 1)) && settled $n "  and a reading after it"
done

docker compose stop postgres > /dev/null 2>&1
report 9 && n=$((n + 1))
docker compose start postgres > /dev/null 2>&1
settled $n "a reading while PostgreSQL was away"

sed -i 's/^OWNER_PASSWORD=.*/OWNER_PASSWORD=changed/' .env
docker compose up --detach --wait > /dev/null 2>&1
settled $n "a changed OWNER_PASSWORD stops no role"
docker compose run --rm -T migrate > "$folder/migrate.log" 2>&1 && exit 1
expect "  and migrate says what is wrong" 1 "$(grep -c 'refused the login' "$folder/migrate.log")"

docker compose down > /dev/null 2>&1
docker compose up --detach --wait > /dev/null 2>&1
settled $n "down and up"
expect "the volumes of PostgreSQL, nats-server and removals, and no other" 3 "$(($(docker volume ls --quiet | wc -l) - volumes_before))"
operator doctor > "$folder/doctor.log" || { cat "$folder/doctor.log"; exit 1; }
echo "ok    doctor"

# Ctrl-C ends an operator command: its first process passes the signal on.
docker compose run --detach --name tankwatch-try-simulate operator simulate --organization a0gas --devices 1 --url mqtts://gateway:8883 > /dev/null 2>&1
sleep 3
docker kill --signal=INT tankwatch-try-simulate > /dev/null 2>&1 || true
code=$(timeout 30 docker wait tankwatch-try-simulate || echo "still running")
docker rm --force tankwatch-try-simulate > /dev/null 2>&1
[ "$code" != "still running" ] && echo "ok    an operator command ends on Ctrl-C"
docker stats --no-stream --format '{{.Name}} {{.MemUsage}}'
docker images tankwatch --format '{{.Repository}} {{.Size}}'
