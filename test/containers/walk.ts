/**
 * Follows documents literally on machines with systemd that have only Debian, and compares what their commands print.
 *
 *   node test/containers/walk.ts [--image IMAGE] [readme] [readme-user] [install] [guide] [upgrade] [upgrade-units] [deb]
 *
 * It prints each box of commands, and at the end how many commands ran, how many boxes failed, and how many lines were not printed.
 * `install` is docs/operators/install.md. `guide` is docs/operators/guide.md from the first step to the last, with a restore after
 * everything was deleted. `upgrade` installs the previous release by `init`, as its own documents say, upgrades it as the guide says,
 * rolls back, and upgrades again. `upgrade-units` does so with a unit for each role and docs/operators/upgrade.md. Both send readings
 * and requests all the time, and count those that fail or are lost.
 * `deb` installs, upgrades, removes and purges the Debian package.
 * It needs docker, and root and chromium-headless-shell for the upgrades. IMAGE starts systemd and has a user maria; without it, one is
 * built from debian:12, and for `upgrade` from debian:13, because the npm of Debian 12 cannot install 0.3.0.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ReceivedMail, startMailServer } from '../../engines/mail_server.ts';
import { findProgram } from '../../engines/programs.ts';
import { buildTarball } from '../../scripts/release_tarball.ts';
import type { ConsoleBox } from '../support/console_boxes.ts';
import { walkDeb } from './deb_walk.ts';
import { buildMachineImage, check, docker, Machine } from './machine.ts';
import { boxesOf, counts, type ExtraStep, follow, must, type Reader } from './reader.ts';
import { walkUpgrade, walkUpgradeUnits } from './upgrade_walk.ts';

const ROOT = join(import.meta.dirname, '../..');
const OLD_RELEASE = 'v0.3.0';
const NEW_RELEASE = 'v0.0.0-walk';

/** A program in place of certbot, because no authority signs a certificate for this name. It runs the hooks as certbot does. */
const CERTBOT = `cat > /usr/local/bin/certbot <<'END'
#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in --domain) name=$2; shift;; --pre-hook) pre=$2; shift;; --post-hook) post=$2; shift;; esac; shift
done
bash -c "$pre"
mkdir -p /etc/letsencrypt/live/$name && cd /etc/letsencrypt/live/$name
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=$name -addext subjectAltName=DNS:$name \\
  -keyout privkey.pem -out fullchain.pem 2> /dev/null
cp fullchain.pem /usr/local/share/ca-certificates/walk.crt && update-ca-certificates > /dev/null 2>&1
bash -c "$post"
END
chmod 755 /usr/local/bin/certbot`;
/** A restarted service needs some seconds. */
const READY =
  'curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:9464/readyz > /dev/null';
const IMPORT = 'tankwatch import /opt/tankwatch/examples --shift-to-now --yes > /dev/null';
const COUNT = 'tankwatch tanks list --organization a0gas --json | wc -l';
const WIPE = `systemctl stop tankwatch
runuser -u postgres -- dropdb tankwatch
for role in tw_{api,gateway,writer,worker,operator,manager} tankwatch_{api,gateway,writer,worker,operator,manager,owner}; do
  runuser -u postgres -- dropuser $role
done
rm --recursive /etc/tankwatch/tankwatch.env /etc/tankwatch/nats.conf /var/lib/tankwatch`;

const clone = (release: string): ExtraStep => ({
  at: /^cd \/opt\/tankwatch\nnpm ci/,
  before: `git clone --quiet /source.git /opt/tankwatch && git -C /opt/tankwatch checkout --quiet ${release}`,
});
const guideSteps = (smtpUrl: string): ExtraStep[] => [
  { at: /^certbot/, before: CERTBOT },
  {
    at: /^systemctl restart tankwatch\ntankwatch organizations/,
    before: `printf '%s\\n' SMTP_URL=${smtpUrl} SMTP_REQUIRE_TLS=false 'MAIL_FROM="Gas del Valle <alerts@example.com>"' >> /etc/tankwatch/tankwatch.env`,
  },
  { at: /^tankwatch devices test/, before: `${READY} && ${IMPORT}`, after: 'tankwatch status' },
  { at: /BACKUP_TO=s3/, isSkipped: true },
];

const adaptGuide = (text: string): string =>
  text
    .replaceAll('YOUR-HOST-NAME', 'tanks.example.com')
    .replaceAll(
      /(\/var\/backups\/tankwatch\/)?tankwatch-20261118T031500Z\.tar\b/g,
      '$(ls /var/backups/tankwatch/*.tar | tail -1)',
    )
    .replaceAll('vX.Y.Z', NEW_RELEASE)
    // The public name has no certificate that Node knows.
    .replaceAll(
      'tankwatch devices test',
      'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt tankwatch devices test',
    );

async function walkGuide(reader: Reader, mails: readonly ReceivedMail[]): Promise<void> {
  const boxes = boxesOf('docs/operators/guide.md').filter(({ commands }) => !commands.join('\n').includes('vX.Y.Z'));
  const isRestore = ({ commands }: ConsoleBox): boolean =>
    commands.some((command) => command.startsWith('tankwatch restore tank'));
  const restoreIndex = boxes.findIndex(isRestore);
  const steps = [clone(NEW_RELEASE), ...guideSteps(reader.smtpUrl)];
  await follow(reader, boxes.slice(0, restoreIndex), steps, adaptGuide);
  check(
    'the test mail arrived',
    mails.some(({ to }) => to[0] === 'ana@example.com'),
    JSON.stringify(mails),
  );
  const before = await must(reader, COUNT);
  const restore = boxes.slice(restoreIndex, restoreIndex + 1);
  // A restore over the running installation asks for a confirmation.
  const answered = (text: string): string =>
    adaptGuide(text).replace(/^(tankwatch restore .*)$/m, `script --quiet --return --command "$1" /dev/null <<< y`);
  await follow(reader, restore, [], answered);
  check('a restore in place brings back all tanks', (await must(reader, COUNT)) === before);
  await must(reader, WIPE);
  await follow(reader, restore, [], adaptGuide);
  check('a restore after everything was deleted brings back all tanks', (await must(reader, COUNT)) === before);
  await reader.machine.restart();
  await must(reader, `${READY} && tankwatch devices test ABCD1234 --organization a0gas --fill 61`);
  await follow(reader, boxes.slice(restoreIndex + 1), [], adaptGuide);
  const left = await must(
    reader,
    `ls -d /etc/systemd/system/*tankwatch* /etc/nginx/*/*tankwatch* /*/tankwatch /var/lib/tankwatch 2> /dev/null || true
systemctl --no-legend list-units --all '*tankwatch*'`,
  );
  check('no file and no unit of the installation is left', left.trim() === '', left);
}

async function walkInstall(reader: Reader, mails: readonly ReceivedMail[], folder: string): Promise<void> {
  const { machine, smtpUrl } = reader;
  const { version, files } = await buildTarball(folder, new Date());
  for (const file of [files.tarball, files.checksums]) docker('cp', file, `${machine.name}:/root/${basename(file)}`);
  const adapt = (text: string): string =>
    text
      .replaceAll(/tankwatch-\d+\.\d+\.\d+/g, `tankwatch-${version}`)
      .replace('smtp://user:password@mail.example.com:587', smtpUrl);
  const boxes = boxesOf('docs/operators/install.md').filter(({ note }) => !note.startsWith('not run by the walk'));
  // The mail server of the walk has no TLS.
  const noTls = { at: /smtp_url/, after: 'echo SMTP_REQUIRE_TLS=false >> /etc/tankwatch/tankwatch.env' };
  await must(reader, 'apt-get update -qq && apt-get install --yes -qq --no-install-recommends nodejs npm');
  await follow(reader, boxes, [noTls], adapt);
  for (let second = 0; second < 60 && mails.length === 0; second++) await sleep(1_000);
  check(`the alert is mailed: ${mails[0]?.subject}`, mails[0]?.to[0] === 'dispatch@example.com', 'no mail arrived');
  const verify = await must(reader, 'systemd-analyze verify /etc/systemd/system/tankwatch*.{service,target}');
  check('systemd-analyze verify', verify === '', verify);
  const security = await must(reader, `systemd-analyze security --no-pager 2> /dev/null | grep tankwatch-`);
  const exposures = [...security.matchAll(/^\S+\s+(\d+\.\d)/gm)].map(([, level]) => Number(level));
  // systemd counts an exposure below 2 as hardened.
  check('systemd-analyze security', exposures.length >= 5 && exposures.every((level) => level < 2), security);
  await machine.restart();
  const ready = 'curl --silent --fail --retry 180 --retry-delay 1 --retry-all-errors http://127.0.0.1';
  // The certificate of the page is not signed by an authority, which doctor warns about.
  await must(
    reader,
    `for port in 9464 9465 9466 9467 9468; do ${ready}:$port/readyz; done; tankwatch doctor || [ $? = 1 ]`,
  );
}

async function walkReadme(reader: Reader): Promise<void> {
  const packages = boxesOf('README.md').filter(({ commands }) =>
    commands.some((command) => command.startsWith('apt-get')),
  );
  const boxes = boxesOf('README.md').filter((box) => !packages.some(({ commands }) => commands[0] === box.commands[0]));
  const root = { ...reader, user: 'root', home: '/root' };
  await follow(root, packages, [{ at: /^apt-get/, before: 'apt-get update -qq' }], (text) => text);
  await must(root, 'apt-get install --yes -qq git');
  const own = { ...reader, home: `${reader.home}/tankwatch` };
  await reader.machine.run(`git clone --quiet /source.git ${own.home}`, { user: reader.user });
  // The demo and `up` want the same ports. A reader stops the demo first.
  const stop = `pkill --uid ${reader.user} --full --signal INT 'demo/main[.]ts|npm run demo' || true; sleep 5`;
  await follow(own, boxes, [{ at: /^npm run demo/, after: stop }], (text) => text);
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { image: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'tankwatch-walk-'));
chmodSync(folder, 0o755);
const source = join(folder, 'source.git');
execFileSync(findProgram('git'), ['clone', '--quiet', '--bare', ROOT, source]);
const oldCommit = execFileSync(findProgram('git'), ['log', '--format=%H', `--grep=^Release ${OLD_RELEASE.slice(1)}$`], {
  cwd: source,
  encoding: 'utf8',
}).trim();
for (const [tag, commit] of [
  [OLD_RELEASE, oldCommit],
  [NEW_RELEASE, 'HEAD'],
] as const)
  execFileSync(findProgram('git'), ['tag', '--force', tag, commit], { cwd: source });
const bridge = docker('network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}').trim();
for (const walk of positionals.length > 0
  ? positionals
  : ['readme', 'readme-user', 'install', 'guide', 'upgrade', 'upgrade-units', 'deb']) {
  Object.assign(counts, { commands: 0, failed: 0, others: 0 });
  const mails: ReceivedMail[] = [];
  const mailServer = await startMailServer({ host: bridge, onMail: (mail) => mails.push(mail) });
  const machine = new Machine(`tankwatch-walk-${walk}`);
  const startMs = Date.now();
  try {
    await machine.start(values.image ?? buildMachineImage(walk === 'upgrade' ? 'debian:13' : 'debian:12', []), [
      '--add-host=tanks.example.com:127.0.0.1',
      `--volume=${source}:/source.git:ro`,
    ]);
    await machine.run(`printf '[safe]\\n\\tdirectory = *\\n' > /etc/gitconfig`);
    const [user, home] = walk === 'readme-user' ? ['maria', '/home/maria'] : ['root', '/root'];
    const reader = { machine, user, home, smtpUrl: mailServer.url };
    if (walk.startsWith('readme')) await walkReadme(reader);
    else if (walk === 'install') await walkInstall(reader, mails, folder);
    else if (walk === 'guide') await walkGuide(reader, mails);
    else if (walk === 'deb') await walkDeb(reader, folder);
    else {
      const releases = { oldRelease: OLD_RELEASE, oldCommit, newRelease: NEW_RELEASE };
      await (walk === 'upgrade' ? walkUpgrade : walkUpgradeUnits)({ reader, mails, folder, source, ...releases });
    }
  } catch (error) {
    check(walk, false, String(error));
  } finally {
    if (process.exitCode !== 1) machine.remove();
    await mailServer.stop();
  }
  const seconds = Math.round((Date.now() - startMs) / 1_000);
  console.log(
    `${walk}: ${counts.commands} commands, ${counts.failed} boxes failed, ${counts.others} lines were not printed, ${seconds} s`,
  );
}
rmSync(folder, { recursive: true });
