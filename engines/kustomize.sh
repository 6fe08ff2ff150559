#!/usr/bin/env bash
# Unpacks kustomize from Debian's signed packages into a folder, because Debian 12 has none. It does not need root.
#   engines/kustomize.sh FOLDER [SUITE]
set -euo pipefail
folder=${1:?usage: engines/kustomize.sh FOLDER [SUITE]}
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
(cd "$work" && apt-get "${options[@]}" download -qq kustomize)
mkdir -p "$folder"
dpkg -x "$work"/kustomize_*.deb "$folder"
"$folder"/usr/bin/kustomize version
