import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedMail } from '../../engines/mail_server.ts';
import { findProgram } from '../../engines/programs.ts';
import type { ConsoleBox } from '../support/console_boxes.ts';
import { browserIn, lookWithKey } from './console_look.ts';
import { LoadedMachine } from './loaded_machine.ts';
import { check, docker } from './machine.ts';
import { boxesAt, boxesOf, follow, must, type Reader } from './reader.ts';

export interface UpgradeWalk {
  reader: Reader;
  mails: readonly ReceivedMail[];
  folder: string;
  /** A bare repository with both tags. */
  source: string;
  oldRelease: string;
  oldCommit: string;
  newRelease: string;
}

const includes =
  (part: string) =>
  ({ commands }: ConsoleBox): boolean =>
    commands.some((command) => command.includes(part));
const WAY_BACK = 'after the way back';
const unchanged = (text: string): string => text;
const PEOPLE = `for noun in contacts customers tanks keys; do
  echo $noun; tankwatch $noun list --organization a0gas --json | grep --only-matching '"\\(email\\|id\\|prefix\\)":"[^"]*"' | sort
done`;

/**
 * Installs the previous release by `init`, as its documents say. Upgrades it as the guide says, rolls back, and upgrades again, while
 * readings arrive and the API is read.
 */
export async function walkUpgrade(walk: UpgradeWalk): Promise<void> {
  const { reader, oldCommit, oldRelease, newRelease } = walk;
  const readme = boxesAt(oldCommit, 'README.md');
  const install = boxesAt(oldCommit, 'docs/operators/install.md');
  const there = { ...reader, home: '/opt/tankwatch' };
  await must(reader, 'apt-get update -qq && apt-get install --yes -qq git ca-certificates');
  await must(
    reader,
    `git clone --quiet /source.git /opt/tankwatch && cd /opt/tankwatch && git checkout -q ${oldRelease}`,
  );
  await follow(there, readme.filter(includes('apt-get')), [], unchanged);
  await follow(there, readme.filter(includes('npm ci')), [], unchanged);
  await follow(
    there,
    [...readme.filter(includes('tankwatch init')), ...install.filter(includes('--systemd'))],
    [],
    unchanged,
  );
  await must(
    there,
    `printf '%s\\n' SMTP_URL=${reader.smtpUrl} SMTP_REQUIRE_TLS=false 'MAIL_FROM="Gas <alerts@example.com>"' >> /etc/tankwatch/tankwatch.env
systemctl restart tankwatch && ${READY}
ln --symbolic /opt/tankwatch/bin/tankwatch /usr/local/bin/tankwatch`,
  );
  await follow(there, readme.filter(includes('tankwatch import')), [], unchanged);
  await must(there, 'tankwatch contacts add ana@example.com --organization a0gas --name Ana --role administrator');
  const load = await LoadedMachine.start(there, 'C-1001', 'mqtt://127.0.0.1:1883');
  const people = await must(there, PEOPLE);
  const look = async (title: string, commit: string, percent: number): Promise<void> => {
    await must(
      there,
      `${READY} && [ "$(git -C /opt/tankwatch rev-parse HEAD)" = "$(git -C /source.git rev-parse ${commit}^{commit})" ]`,
    );
    await must(there, `tankwatch devices test ABCD1234 --organization a0gas --fill ${percent}`);
    await inspect(walk, { title, percent, people, origin: 'http://127.0.0.1:8080', units: ['tankwatch.service'] });
  };
  const guide = boxesOf('docs/operators/guide.md');
  const upgrade = guide.filter(includes('tankwatch upgrade'));
  const back = guide.filter(includes('npm run build:console'));
  check('the guide has both ways', upgrade.length === 1 && back.length === 1);
  const adapt = (text: string): string => text.replaceAll('vX.Y.Z', newRelease);
  await look('before', oldRelease, 44);
  await follow(reader, upgrade, [], adapt);
  await look('after the upgrade', newRelease, 43);
  await follow(reader, back, [], adapt);
  await look(WAY_BACK, oldRelease, 42);
  await follow(reader, upgrade, [], adapt);
  await look('after the second upgrade', newRelease, 41);
  await load.stop();
  await must(there, 'systemctl is-active backup-tankwatch.timer && systemctl start backup-tankwatch.service');
  await reader.machine.restart();
  await must(there, `${READY} && tankwatch devices test ABCD1234 --organization a0gas --fill 40`);
}

/** Does what `walkUpgrade` does with one unit for each role, and with the tarballs of both releases. */
export async function walkUpgradeUnits(walk: UpgradeWalk): Promise<void> {
  const { reader, mails, oldCommit, oldRelease, newRelease } = walk;
  const [oldVersion, newVersion] = [oldRelease.slice(1), newRelease.slice(1)];
  await must(reader, 'apt-get update -qq && apt-get install --yes -qq --no-install-recommends nodejs npm');
  copyTarball(walk, oldRelease);
  const install = boxesAt(oldCommit, 'docs/operators/install.md').filter(
    ({ note }) => !note.startsWith('not run by the walk'),
  );
  const noTls = { at: /smtp_url/, after: 'echo SMTP_REQUIRE_TLS=false >> /etc/tankwatch/tankwatch.env' };
  await follow(reader, install, [noTls], (text) =>
    text.replace('smtp://user:password@mail.example.com:587', reader.smtpUrl),
  );
  await must(reader, 'tankwatch contacts add ana@example.com --organization a0gas --name Ana --role administrator');
  const load = await LoadedMachine.start(reader, 'C-1042', 'mqtts://127.0.0.1:8883');
  const people = await must(reader, PEOPLE);
  const look = async (title: string, version: string, percent: number): Promise<void> => {
    await must(reader, `[ "$(readlink /opt/tankwatch)" = tankwatch-${version} ]`);
    await must(
      reader,
      `NODE_EXTRA_CA_CERTS=/etc/tankwatch/tls/fullchain.pem \\
  tankwatch devices test ABCD1234 --organization a0gas --fill ${percent} --url mqtts://tanks.example.com`,
    );
    const roles = ['api', 'gateway', 'writer', 'worker', ...(version === newVersion ? ['connector'] : [])];
    const units = ['tankwatch.target', ...['nats', ...roles].map((role) => `tankwatch-${role}.service`)];
    await inspect(walk, { title, percent, people, origin: 'https://tanks.example.com', units });
  };
  const page = boxesOf('docs/operators/upgrade.md');
  const upgrade = page.filter(includes('tankwatch-X.Y.Z.tar.gz'));
  const back = page.filter(includes(`tankwatch-${oldVersion} /opt/tankwatch`));
  check('the page has both ways', upgrade.length === 1 && back.length === 1);
  const adapt = (text: string): string => text.replaceAll('X.Y.Z', newVersion);
  await look('before', oldVersion, 11);
  copyTarball(walk, newRelease);
  await follow(reader, upgrade, [], adapt);
  await look('after the upgrade', newVersion, 10);
  await follow(reader, back, [], adapt);
  await look(WAY_BACK, oldVersion, 9);
  await follow(reader, upgrade, [], adapt);
  await look('after the second upgrade', newVersion, 8);
  await load.stop();
  check(
    'mails of alerts arrived',
    mails.some(({ to }) => to[0] === 'dispatch@example.com'),
  );
  await reader.machine.restart();
  const ready = 'curl --silent --fail --retry 180 --retry-delay 1 --retry-all-errors http://127.0.0.1';
  await must(reader, `for port in 9464 9465 9466 9467 9468; do ${ready}:$port/readyz; done`);
}

const READY =
  'curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:9464/readyz > /dev/null';

interface Inspection {
  title: string;
  /** The last reading of the tank "House". */
  percent: number;
  people: string;
  /** The origin of the console. */
  origin: string;
  units: readonly string[];
}

/** Checks people, keys, mails, the console, the units and the findings of `doctor`. */
async function inspect(
  { reader, mails, folder }: UpgradeWalk,
  { title, percent, people, origin, units }: Inspection,
): Promise<void> {
  const found = await must(reader, PEOPLE);
  const missing = people.split('\n').filter((line) => !found.split('\n').includes(line));
  check(`${title}: people, tanks and keys are there`, missing.length === 0, missing.join('\n'));
  const before = mails.filter(({ to }) => to[0] === 'ana@example.com').length;
  await must(reader, 'tankwatch contacts test ana@example.com --organization a0gas');
  for (let second = 0; second < 30 && mails.filter(({ to }) => to[0] === 'ana@example.com').length === before; second++)
    await sleep(1_000);
  check(`${title}: a mail arrives`, mails.filter(({ to }) => to[0] === 'ana@example.com').length > before);
  const states = await must(
    reader,
    `systemctl is-active ${units.join(' ')} || true; systemctl list-units --failed --no-legend '*tankwatch*'`,
  );
  const isActive = states
    .trim()
    .split('\n')
    .every((state) => state === 'active');
  check(`${title}: the units are active`, isActive, states);
  const key = await must(reader, 'tankwatch keys create --organization a0gas --name Look --quiet');
  const seen = new RegExp(`\\b${percent}\\s?%`);
  const screenshot = join(folder, `${title.replaceAll(' ', '-')}.png`);
  const browser = browserIn(reader.machine.pid(), folder);
  const shown = await lookWithKey({ origin, key: key.trim(), seen, screenshot, browser }).catch(String);
  check(`${title}: the console shows ${percent} %`, seen.test(shown), shown);
  await must(reader, `tankwatch keys revoke "$(echo ${key.trim()} | cut --characters=1-12)"`);
  // The previous release does not know the tables, rights and states of the next one, so its doctor finds faults.
  const worst = title === WAY_BACK ? 2 : 1;
  console.log(await must(reader, `tankwatch doctor || [ $? -le ${worst} ]`));
}

/** Builds the tarball of a release in a clone of it, and copies it to the home of the reader. */
function copyTarball({ reader, folder, source }: UpgradeWalk, release: string): void {
  const clone = join(folder, release);
  execFileSync(findProgram('git'), [
    '-c',
    'advice.detachedHead=false',
    'clone',
    '--quiet',
    '--branch',
    release,
    source,
    clone,
  ]);
  const version = release.slice(1);
  const file = join(clone, 'package.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": ".*"/, `"version": "${version}"`));
  execFileSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], { cwd: clone });
  execFileSync('npm', ['run', '--silent', 'tarball'], { cwd: clone });
  for (const name of [`tankwatch-${version}.tar.gz`, 'SHA256SUMS'])
    docker('cp', join(clone, 'dist', name), `${reader.machine.name}:${reader.home}/${basename(name)}`);
}
