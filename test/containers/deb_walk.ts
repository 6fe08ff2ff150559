import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { buildTarball } from '../../scripts/release_tarball.ts';
import { check, docker } from './machine.ts';
import { must, type Reader } from './reader.ts';

const ROOT = join(import.meta.dirname, '../..');
const [FIRST, NEXT] = ['0.0.1', '0.0.2'];
const READY =
  'curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:9464/readyz > /dev/null';
const SEND = 'tankwatch devices test ABCD1234 --organization a0gas --fill';
const COUNT = 'tankwatch tanks list --organization a0gas --json | wc --lines';
const LEFT = `ls -d /usr/lib/tankwatch /usr/bin/tankwatch /*/systemd/system/*tankwatch* /usr/lib/systemd/system/*tankwatch* 2> /dev/null || true
systemctl --no-legend list-units --all '*tankwatch*'`;

/**
 * Installs, sets up, upgrades, downgrades, removes, installs again and purges the Debian package on a machine with systemd, where the
 * service runs. test/containers/deb.sh does so without systemd.
 */
export async function walkDeb(reader: Reader, folder: string): Promise<void> {
  const { tarball } = (await buildTarball(folder, new Date())).files;
  for (const version of [FIRST, NEXT]) {
    const file = buildDeb(folder, tarball, version);
    docker('cp', file, `${reader.machine.name}:/root/tankwatch_${version}.deb`);
  }
  const install = (version: string): string =>
    `DEBIAN_FRONTEND=noninteractive apt-get install --yes --allow-downgrades --no-install-recommends /root/tankwatch_${version}.deb`;
  const expectPrinted = async (script: string, text: string): Promise<void> => {
    const output = await must(reader, script);
    check(`prints: ${text}`, output.includes(text), output);
  };
  await must(reader, 'apt-get update -qq && apt-get install --yes -qq --no-install-recommends postgresql curl');
  await expectPrinted(install(FIRST), 'To set up this machine: tankwatch init --systemd');
  await must(reader, 'tankwatch init --yes --systemd --database local --name "Gas del Valle" --code a0gas');
  await must(reader, `tankwatch import /usr/lib/tankwatch/examples --shift-to-now --yes && ${SEND} 44`);
  const before = await must(reader, COUNT);
  const expectRunning = async (version: string, percent: number): Promise<void> => {
    await must(reader, `${READY} && [ "$(tankwatch --version)" = ${version} ] && ${SEND} ${percent}`);
    const status = await must(reader, 'tankwatch status');
    check(`release ${version} runs`, new RegExp(`\\b${RegExp.escape(version)}\\b`).test(status), status);
    check('all tanks are there', (await must(reader, COUNT)) === before);
    await must(
      reader,
      'systemd-analyze verify tankwatch.service backup-tankwatch.service && tankwatch doctor || [ $? = 1 ]',
    );
  };
  await expectRunning(FIRST, 43);
  await expectPrinted(install(NEXT), `apt-get install --allow-downgrades ./tankwatch_${FIRST}_`);
  await expectRunning(NEXT, 42);
  await must(reader, 'systemctl start backup-tankwatch.service && ls /var/backups/tankwatch/*.tar');
  await must(reader, install(FIRST));
  await expectRunning(FIRST, 41);
  await must(reader, install(NEXT));
  // The service is stopped, as after the `restore` that `upgrade` names.
  await must(reader, 'systemctl stop tankwatch');
  await expectPrinted(install(FIRST), 'To start this release: systemctl start tankwatch');
  await must(reader, 'systemctl start tankwatch');
  await expectRunning(FIRST, 40.5);
  await must(reader, install(NEXT));
  await expectRunning(NEXT, 40);
  await reader.machine.restart();
  await expectRunning(NEXT, 39);
  await must(reader, 'dpkg --remove tankwatch');
  check('removed: program, command and units', (await must(reader, LEFT)).trim() === '', await must(reader, LEFT));
  await expectPrinted(install(NEXT), 'tankwatch init --systemd');
  await must(reader, 'tankwatch init --yes --systemd');
  await expectRunning(NEXT, 38);
  await expectPrinted('dpkg --purge tankwatch', '/etc/tankwatch stays');
  check('purged: program, command and units', (await must(reader, LEFT)).trim() === '', await must(reader, LEFT));
  await must(reader, 'ls /etc/tankwatch/tankwatch.env /var/lib/tankwatch /var/backups/tankwatch');
}

/** Builds the package of this tarball under another version. */
function buildDeb(folder: string, tarball: string, version: string): string {
  const script = `set -euo pipefail
work=$(mktemp --directory)
tar --extract --file="$1" --directory="$work" --strip-components=1 --one-top-level="tankwatch-$2"
sed --in-place "s/\\"version\\": \\".*\\"/\\"version\\": \\"$2\\"/" "$work/tankwatch-$2/package.json"
tar --create --gzip --file="$3/tankwatch-$2.tar.gz" --directory="$work" "tankwatch-$2"
rm --recursive "$work"
DEB_COMPRESSION=none scripts/deb.sh "$3/tankwatch-$2.tar.gz" "$3"`;
  const printed = execFileSync('bash', ['-c', script, 'deb', tarball, version, folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return join(folder, basename(printed.trim()));
}
