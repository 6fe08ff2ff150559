#!/usr/bin/env bash
# Unpacks PostgreSQL of another Debian release, with the libraries that it needs, into a folder. It installs nothing and does
# not need root. The last line is the folder with its programs: PG_BIN=... npm test
#   engines/postgres.sh FOLDER [VERSION] [SUITE]
set -euo pipefail
usage='usage: engines/postgres.sh FOLDER [VERSION] [SUITE]'
mkdir -p "${1:?$usage}"
folder=$(realpath "$1")
version=${2:-17}
suite=${3:-trixie}
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
touch "$work/status" # as if nothing was installed, so that every library is found
options=(
  -o "Dir::Etc::sourcelist=$(ls "$work"/one.*)" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::status=$work/status"
  -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root
)
apt-get "${options[@]}" update -qq
# Only libraries beside the server: no LLVM, which is for just-in-time compilation only, and no Perl.
libraries=$(apt-cache "${options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances "postgresql-$version" "postgresql-client-$version" |
  grep -E '^lib' | grep -Ev '^lib(llvm|perl|.*-perl)' | sort -u)
(cd "$work" && apt-get "${options[@]}" download -qq "postgresql-$version" "postgresql-client-$version" $libraries)
for package in "$work"/*.deb; do dpkg -x "$package" "$folder"; done

# The programs need the libc of their release. A script in place of each starts it with these libraries, and with its own
# path as the name, from which PostgreSQL finds its other files.
bin=$folder/usr/lib/postgresql/$version/bin
loader=$(find "$folder" -name 'ld-linux*.so.*' -print -quit)
libraries=$(find "$folder" -name '*.so.*' -not -path '*/postgresql/*' -printf '%h\n' | sort -u | paste -sd:)
mkdir "$bin.programs"
for program in "$bin"/*; do
  name=$(basename "$program")
  mv "$program" "$bin.programs/$name"
  printf '#!/bin/sh\nexec %q --library-path %q --argv0 "$0" %q "$@"\n' \
    "$loader" "$libraries" "$bin.programs/$name" > "$program"
  chmod 755 "$program"
done
"$bin/postgres" --version
echo "$bin"
