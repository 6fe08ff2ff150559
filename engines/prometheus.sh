#!/usr/bin/env bash
# Unpacks prometheus and promtool from Debian's signed package into a folder. It installs nothing and does not need root.
#   engines/prometheus.sh FOLDER
set -euo pipefail
folder=${1:?usage: engines/prometheus.sh FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(-o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
# The lists of packages of this machine may be missing or old. Then they are fetched into the temporary folder.
if ! (cd "$work" && apt-get "${options[@]}" download -qq prometheus 2>/dev/null); then
  options+=(-o "Dir::State::lists=$work/lists")
  apt-get "${options[@]}" update -qq
  (cd "$work" && apt-get "${options[@]}" download -qq prometheus)
fi
mkdir -p "$folder"
dpkg -x "$work"/prometheus_*.deb "$folder"
"$folder"/usr/bin/promtool --version | head -1
