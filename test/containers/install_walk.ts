/**
 * Runs the commands of docs/operators/install.md in a container with systemd that has only Debian, Node and npm, and compares what
 * they print. Then it waits for the mail of the alert, and restarts the machine.
 *
 *   node test/containers/install_walk.ts [IMAGE]
 *
 * It needs docker. IMAGE starts systemd and has Node and npm; without it, one is built from debian:12.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedMail, startMailServer } from '../../engines/mail_server.ts';
import { buildTarball } from '../../scripts/release_tarball.ts';
import { missingLines, parseConsoleBoxes } from '../support/console_boxes.ts';

const MACHINE = 'tankwatch-install-walk';
const MACHINE_FILE = `FROM debian:12
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \\
  systemd systemd-sysv dbus nodejs npm ca-certificates
STOPSIGNAL SIGRTMIN+3
CMD ["/sbin/init"]
`;

const docker = (...args: string[]): string => execFileSync('docker', args, { encoding: 'utf8' });

/**
 * Runs a script on the machine as root. Its output goes to a file, because a service may keep a pipe open. This process
 * does not block meanwhile, because it is also the mail server.
 */
async function onMachine(script: string): Promise<{ status: number | null; output: string }> {
  const child = spawn('docker', ['exec', '--workdir=/root', MACHINE, 'bash', '-c', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output: docker('exec', MACHINE, 'cat', '/root/printed') };
}

function startMachine(image: string): void {
  spawnSync('docker', ['rm', '--force', MACHINE], { stdio: 'ignore' });
  const systemd = ['--privileged', '--cgroupns=private', '--tmpfs=/run', '--tmpfs=/run/lock'];
  // systemd mounts the credentials of a unit in a namespace of its own. A real machine shares mounts between namespaces.
  const init = ['sh', '-c', 'mount --make-rshared / && exec /sbin/init'];
  docker('run', '--detach', `--name=${MACHINE}`, ...systemd, '--add-host=tanks.example.com:127.0.0.1', image, ...init);
}

async function untilRunning(): Promise<void> {
  for (let second = 0; second < 120; second++) {
    const { stdout } = spawnSync('docker', ['exec', MACHINE, 'systemctl', 'is-system-running'], { encoding: 'utf8' });
    if (stdout.trim() === 'running') return;
    await sleep(1_000);
  }
  throw new Error(`systemd is not up: ${docker('exec', MACHINE, 'systemctl', '--failed', '--no-pager')}`);
}

function check(what: string, isGood: boolean, detail: string): void {
  console.log(`${isGood ? 'ok   ' : 'WRONG'} ${what}`);
  if (isGood) return;
  console.log(detail);
  process.exitCode = 1;
}

/** What the reader replaces by values of their own. */
function asReader(command: string, version: string, smtpUrl: string): string {
  return command
    .replaceAll(/tankwatch-\d+\.\d+\.\d+/g, `tankwatch-${version}`)
    .replace('smtp://user:password@mail.example.com:587', smtpUrl);
}

async function walk(image: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tankwatch-walk-'));
  const mails: ReceivedMail[] = [];
  const bridge = docker('network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}').trim();
  const mailServer = await startMailServer({ host: bridge, onMail: (mail) => mails.push(mail) });
  try {
    const { version, files } = await buildTarball(folder, new Date());
    startMachine(image);
    await untilRunning();
    for (const file of [files.tarball, files.checksums]) docker('cp', file, `${MACHINE}:/root/${basename(file)}`);

    const page = readFileSync(new URL('../../docs/operators/install.md', import.meta.url), 'utf8');
    const boxes = parseConsoleBoxes(page).filter(({ note }) => !note.startsWith('not run by the walk'));
    for (const [index, box] of boxes.entries()) {
      const commands = box.commands.map((command) => asReader(command, version, mailServer.url)).join('\n');
      // The mail server of the walk has no TLS.
      const extra = commands.includes('smtp_url') ? 'echo SMTP_REQUIRE_TLS=false >> /etc/tankwatch/tankwatch.env' : '';
      const begin = index === 0 ? '' : '. /root/variables';
      // Every box continues in the same shell for the reader. Here its variables are carried over.
      const carry = `declare -p PASSWORD KEY TANK 2> /dev/null > /root/variables || true`;
      const { status, output } = await onMachine(
        `exec > /root/printed 2>&1; set -euo pipefail; ${begin}\n${commands}\n${extra}\n${carry}`,
      );
      const missing = missingLines(output, {
        ...box,
        output: box.output.map((line) => asReader(line, version, mailServer.url)),
      });
      const title = box.commands[0]?.split('\n')[0] ?? '';
      check(
        title,
        status === 0 && missing.length === 0,
        `exit code ${status}\nnot printed: ${missing.join('\n')}\n${output}`,
      );
      if (process.exitCode === 1) return;
    }

    for (let second = 0; second < 60 && mails.length === 0; second++) await sleep(1_000);
    const [mail] = mails;
    check(`the alert is mailed: ${mail?.subject}`, mail?.to[0] === 'dispatch@example.com', 'no mail arrived');
    await checkUnits();

    docker('restart', MACHINE);
    await untilRunning();
    const ready = await onMachine(
      `exec > /root/printed 2>&1; for port in 9464 9465 9466 9467; do curl --silent --fail --retry 180 --retry-delay 1 --retry-all-errors http://127.0.0.1:$port/readyz || exit 1; done; tankwatch doctor`,
    );
    check(
      'after a restart of the machine all roles are ready, and doctor finds nothing',
      ready.status === 0,
      ready.output,
    );
  } finally {
    if (process.exitCode !== 1) spawnSync('docker', ['rm', '--force', '--volumes', MACHINE], { stdio: 'ignore' });
    await mailServer.stop();
    rmSync(folder, { recursive: true });
  }
}

/** systemd's own checks. An exposure below 2 counts as hardened. */
async function checkUnits(): Promise<void> {
  const verify = await onMachine(
    `systemd-analyze verify /etc/systemd/system/tankwatch*.{service,target} > /root/printed 2>&1`,
  );
  check('systemd-analyze verify', verify.status === 0 && verify.output === '', verify.output);
  const security = await onMachine(
    `systemd-analyze security --no-pager 2> /dev/null | grep tankwatch- > /root/printed`,
  );
  const exposures = [...security.output.matchAll(/^(\S+)\s+(\d+\.\d)/gm)].map(([, unit, level]) => ({
    unit,
    level: Number(level),
  }));
  const list = exposures.map(({ unit, level }) => `${unit} ${level}`).join(', ');
  check(
    `systemd-analyze security: ${list}`,
    exposures.length >= 5 && exposures.every(({ level }) => level < 2),
    security.output,
  );
}

const [given] = process.argv.slice(2);
if (given === undefined) execFileSync('docker', ['build', '--quiet', `--tag=${MACHINE}`, '-'], { input: MACHINE_FILE });
await walk(given ?? MACHINE);
