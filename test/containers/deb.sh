#!/usr/bin/env bash
# Installs, uses, upgrades, removes and purges the Debian package in a clean root. It needs root, debootstrap and a mirror.
#   test/containers/deb.sh PACKAGE.deb [SUITE]     takes about two minutes; exit code 0: everything worked
set -euo pipefail
package=$(readlink -f "$1")
suite=${2:-bookworm}
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2> /dev/null || true; rm -rf --one-file-system "$root"' EXIT

# WHAT WANTED GOT
expect() {
  if [ "$2" = "$3" ]; then echo "ok    $1"; else echo "WRONG $1: wanted $2, got $3" && exit 1; fi
}
inside() { chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
has() { if [ -e "$root$1" ]; then echo yes; else echo no; fi; }

debootstrap --variant=minbase "$suite" "$root" > "$root.log" 2>&1 || { tail -5 "$root.log"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
version=$(dpkg-deb --field "$package" Version)
# The same files as a newer version, for the upgrade.
work=$(mktemp -d)
dpkg-deb --raw-extract "$package" "$work"
sed --in-place "s/^Version: .*/Version: $version+next/" "$work/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work" "$root/next.deb" > /dev/null
rm -rf "$work"
cp "$package" "$root/first.deb"

inside apt-get install --yes --no-install-recommends /first.deb > "$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
expect "install says what to do" 1 "$(grep -c 'tankwatch init --systemd' "$root/log")"
expect "tankwatch --version" "$version" "$(inside tankwatch --version)"
expect "the user tankwatch cannot log in" /usr/sbin/nologin "$(inside getent passwd tankwatch | cut -d : -f 7)"
expect "the command runs as another user" "$version" "$(inside setpriv --reuid=tankwatch --regid=tankwatch --clear-groups tankwatch --version)"
expect "the unit" yes "$(has /usr/lib/systemd/system/tankwatch.service)"
expect "the programs of the units exist" "" "$(sed --quiet 's/^ExecStart=\(\S*\).*/\1/p' "$root"/usr/lib/systemd/system/*tankwatch.service |
  while read -r program; do [ -x "$root$program" ] || echo "$program"; done)"
expect "up without settings names init" 1 "$(inside tankwatch up 2>&1 | grep -c 'create one with: tankwatch init')"

mkdir -p "$root/etc/tankwatch" "$root/var/lib/tankwatch" && echo 'DEVICE_SECRET=mine' > "$root/etc/tankwatch/tankwatch.env"
inside dpkg --install /next.deb > "$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
expect "upgraded" "$version+next" "$(inside dpkg-query --show --showformat '${Version}' tankwatch)"
expect "upgrade says how to finish" 1 "$(grep -c 'To finish the upgrade: tankwatch upgrade' "$root/log")"
expect "settings stay" DEVICE_SECRET=mine "$(cat "$root/etc/tankwatch/tankwatch.env")"

inside dpkg --install /first.deb > "$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
expect "downgrade says how to start" 1 "$(grep -c 'To start this release: systemctl start tankwatch' "$root/log")"
expect "downgrade does not say to upgrade" 0 "$(grep -c 'tankwatch upgrade' "$root/log" || true)"

inside dpkg --remove tankwatch > "$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
expect "removed: program, command, unit" "no no no" "$(has /usr/lib/tankwatch) $(has /usr/bin/tankwatch) $(has /usr/lib/systemd/system/tankwatch.service)"
inside dpkg --purge tankwatch > "$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
expect "data and secrets stay after purge" "yes yes" "$(has /etc/tankwatch/tankwatch.env) $(has /var/lib/tankwatch)"
expect "dpkg knows nothing more" "" "$(inside dpkg-query --list tankwatch 2> /dev/null | grep '^i' || true)"
