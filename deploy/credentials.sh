#!/usr/bin/env bash
# Creates the passwords and secrets of an installation on one machine, each in a file that only root can read:
#   deploy/credentials.sh /etc/tankwatch/credentials
# It can be run again: it creates what is missing and never changes a file. The units in deploy/systemd read these files.
set -euo pipefail
folder=${1:?usage: deploy/credentials.sh FOLDER}
umask 077
mkdir -p "$folder"

# FILE TEXT
create() { [ -e "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"; }
# A password begins with a letter: nats-server reads one that begins with a digit as a number.
password() { echo "p$(openssl rand -hex 24)"; }

for role in owner api gateway writer worker operator manager; do create "${role}_password" "$(password)"; done
for role in gateway writer operator; do create "nats_${role}_password" "$(password)"; done
create device_secret "$(openssl rand -hex 32)"
create secrets_key "$(openssl rand -hex 32)"
create link_secret "$(openssl rand -hex 32)"
# The api has this key instead of secrets_key, from which it is derived as by `tankwatch secrets api-key`.
create api_secrets_key "$(openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt "key:$(cat "$folder/secrets_key")" \
  -kdfopt 'info:tankwatch api' HKDF | tr -d ':\n' | tr A-F a-f)"
# Put the address of your mail server here, such as smtp://user:password@mail.example.com:587. Empty: no mails are sent.
create smtp_url ''

database() { echo "postgres://$1:$(cat "$folder/$2_password")@localhost/tankwatch"; }
create migrate_database_url "$(database tankwatch_owner owner)"
for role in api gateway writer worker operator; do create "${role}_database_url" "$(database "tw_$role" "$role")"; done
create manage_database_url "$(database tw_manager manager)"
for role in gateway writer operator; do
  create "${role}_nats_url" "nats://$role:$(cat "$folder/nats_${role}_password")@127.0.0.1:4222"
done
create nats.env "$(for role in gateway writer operator; do
  echo "NATS_${role^^}_PASSWORD=$(cat "$folder/nats_${role}_password")"
done)"
