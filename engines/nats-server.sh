#!/usr/bin/env bash
# Unpacks nats-server from Debian's signed packages into a folder. It installs nothing and does not need root.
# Debian 12 has version 2.9, which can lose acknowledged messages in a power cut, and versions before 2.10.23 in a crash of
# the process. Version 2.10.23 and newer with `sync_interval: always` do not.
#   engines/nats-server.sh FOLDER [SUITE]
set -euo pipefail
folder=${1:?usage: engines/nats-server.sh FOLDER [SUITE]}
suite=${2:-trixie}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Use the mirror and the keys of this machine with another suite. Older installations have one line per suite.
own=$(grep -ls '^Suites:' /etc/apt/sources.list.d/*.sources | head -1 || true)
if [ -n "$own" ]; then
  sed "s/^Suites:.*/Suites: $suite/; /^\$/,\$d" "$own" > "$work/one.sources"
else
  sed -n "s/^\(deb \(\[[^]]*\] \)\?[^ ]*\) [^ ]* .*/\1 $suite main/p" /etc/apt/sources.list | head -1 > "$work/one.list"
fi
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(
  -o "Dir::Etc::sourcelist=$(ls "$work"/one.*)" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root
)
apt-get "${options[@]}" update -qq
(cd "$work" && apt-get "${options[@]}" download -qq nats-server)
mkdir -p "$folder"
dpkg -x "$work"/nats-server_*.deb "$folder"
"$folder"/usr/sbin/nats-server --version
