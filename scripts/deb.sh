#!/usr/bin/env bash
# Builds a Debian package from the release tarball of `npm run tarball`: the program in /usr/lib/tankwatch with the Node that runs it,
# the command /usr/bin/tankwatch, the units, and the user tankwatch. Node is inside, because Debian 12 and 13 have older ones.
#   scripts/deb.sh dist/tankwatch-0.4.0.tar.gz dist [NODE]     NODE: the program `node`, by default the one that runs `npm`
# The package is for the architecture of NODE. It needs dpkg-deb. It prints the path of the package. DEB_COMPRESSION=none is faster.
set -euo pipefail
tarball=$(readlink -f "$1")
output=$(readlink -f "$2")
node=$(readlink -f "${3:-$(node -p process.execPath)}")
version=$(basename "$tarball" .tar.gz)
version=${version#tankwatch-}
architecture=$("$node" -p '({ x64: "amd64", arm64: "arm64" })[process.arch] ?? process.arch')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

program=$root/usr/lib/tankwatch
mkdir -p "$program" "$root/usr/bin" "$root/usr/lib/systemd/system/tankwatch.service.d" "$root/DEBIAN" "$root/usr/share/doc/tankwatch"
tar --extract --file="$tarball" --directory="$program" --strip-components=1
mkdir -p "$program/node/bin" "$program/node_modules/.bin"
install --mode=755 "$node" "$program/node/bin/node"
strip --strip-unneeded "$program/node/bin/node" 2> /dev/null || true
ln --symbolic --force ../../node/bin/node "$program/node_modules/.bin/node"
ln --symbolic ../lib/tankwatch/bin/tankwatch "$root/usr/bin/tankwatch"
cp "$program/LICENSE" "$root/usr/share/doc/tankwatch/copyright"

# As `tankwatch init --systemd` writes them.
units=$root/usr/lib/systemd/system
for unit in tankwatch.service backup-tankwatch.service backup-tankwatch.timer; do
  sed 's|/opt/tankwatch|/usr/lib/tankwatch|g; s|/opt/node/bin|/usr/lib/tankwatch/node/bin|g' "$program/deploy/systemd/$unit" > "$units/$unit"
done
grep --invert-match --extended-regexp '^DynamicUser=|^# A user of its own' \
  "$program/deploy/systemd/tankwatch-.service.d/hardening.conf" > "$units/tankwatch.service.d/hardening.conf"

cat > "$root/DEBIAN/control" << EOF
Package: tankwatch
Version: $version
Architecture: $architecture
Maintainer: The maintainers of Tankwatch <tankwatch@localhost>
Depends: libc6 (>= 2.28), libstdc++6, passwd, tar
Recommends: postgresql, nats-server (>= 2.10.23), nginx, libnginx-mod-stream, certbot
Section: net
Priority: optional
Installed-Size: $(du --summarize --block-size=1K "$root/usr" | cut -f 1)
Description: Tank monitoring for gas distributors
 Forecasts, alerts and an exact API on your own PostgreSQL. After the installation:
 tankwatch init --systemd
EOF

cat > "$root/DEBIAN/postinst" << 'EOF'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd tankwatch > /dev/null ||
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tankwatch
[ -d /run/systemd/system ] && systemctl daemon-reload
if [ -z "$2" ]; then
  echo "To set up this machine: tankwatch init --systemd"
elif dpkg --compare-versions "$2" gt VERSION; then
  # The way back: this release works with the tables of the next one. After a restore, the service is stopped.
  if [ -d /run/systemd/system ] && systemctl is-active --quiet tankwatch.service; then
    systemctl restart tankwatch.service
  else
    echo "To start this release: systemctl start tankwatch"
  fi
elif [ -d /run/systemd/system ] && systemctl is-active --quiet tankwatch.service; then
  # The running process still has the old files. A failed upgrade must not leave a package that is half installed.
  tankwatch upgrade || echo "The upgrade is not finished. Look at the reason above, then run: tankwatch upgrade"
elif [ -e /etc/tankwatch/tankwatch.env ]; then
  echo "To finish the upgrade: tankwatch upgrade. If the package was removed before: tankwatch init --systemd"
fi
exit 0
EOF
cat > "$root/DEBIAN/prerm" << 'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now backup-tankwatch.timer tankwatch.service || true
fi
exit 0
EOF
# Data and secrets stay, also with purge: /etc/tankwatch, /var/lib/tankwatch and /var/backups/tankwatch.
cat > "$root/DEBIAN/postrm" << 'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = purge ]; then
  rm -rf /etc/systemd/system/tankwatch.service /etc/systemd/system/tankwatch.service.d \
    /etc/systemd/system/backup-tankwatch.service /etc/systemd/system/backup-tankwatch.timer
  [ -d /run/systemd/system ] && systemctl daemon-reload
fi
if [ "$1" = purge ]; then
  for folder in /etc/tankwatch /var/lib/tankwatch /var/backups/tankwatch; do
    [ -e "$folder" ] && echo "$folder stays; delete it yourself if you no longer need its data."
  done
fi
exit 0
EOF
sed --in-place "s/gt VERSION/gt $version/" "$root/DEBIAN/postinst"
chmod 755 "$root/DEBIAN"/p*
package=$output/tankwatch_${version}_${architecture}.deb
dpkg-deb --root-owner-group "-Z${DEB_COMPRESSION:-xz}" --build "$root" "$package" > /dev/null
echo "$package"
