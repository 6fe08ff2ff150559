/**
 * The first hour of an operator, on a machine that has only Debian, Node and npm: clone, `npm ci`, `tankwatch init --yes`,
 * `tankwatch up`, the example files, a reading over MQTT, and a real browser that sees it in the console. It prints the commands
 * and how long everything took.
 *
 *   node test/containers/first_hour.ts [--image IMAGE] [root] [user] [systemd] [compose]
 *
 * It needs docker, chromium-headless-shell and root (the browser enters the network of the container). IMAGE starts systemd and has git, Node
 * and npm; without it, one is built from debian:12. `compose` runs docker compose on this machine and needs its free ports
 * 8080, 8081 and 1883.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../../engines/browser.ts';
import { findProgram } from '../../engines/programs.ts';
import { browserIn, lookWithKey, readTankPage } from './console_look.ts';
import { buildMachineImage, check, docker, Machine } from './machine.ts';

const ROOT = join(import.meta.dirname, '../..');
const machine = new Machine(`tankwatch-first-hour-${process.pid}`);
const MAX_COMMANDS = 6;
const FILES = ['customers', 'tanks', 'readings'].map((name) => `examples/${name}.csv`).join(' ');
const IMPORT = `import ${FILES} --shift-to-now --yes`;
/** The newest example reading of this tank is 45.9 %, which the console shows as 46 %. */
const READING = 'devices test ABCD1234 --organization a0gas --fill 44';
/** The level of this reading, which the browser must show on the page of the tank. */
const SEEN = /\b44\s?%/;

/** Somebody who types commands, one after the other, in one folder. */
interface Shell {
  run(command: string): string;
  /** Leaves the command running, as in a second terminal, until its output matches. */
  leave(command: string, until: RegExp): Promise<string>;
  browser: string;
  /** The commands that were typed. */
  commands: string[];
}

/** A user of the container. The clone is a command like the others. */
function shellOf(user: string, home: string, folder: string): Shell {
  const shell: Shell = {
    commands: [],
    browser: browserIn(machine.pid(), folder),
    run(command) {
      shell.commands.push(command);
      const cwd = shell.commands.length === 1 ? home : `${home}/tankwatch`;
      return timed(command, () => onMachine(user, cwd, command));
    },
    async leave(command, until) {
      shell.commands.push(command);
      const startMs = Date.now();
      const output = await machine.leave(command, { user, cwd: `${home}/tankwatch` }, until);
      printTime(command, startMs);
      return output;
    },
  };
  return shell;
}

const onMachine = (user: string, cwd: string, command: string): string =>
  docker('exec', `--user=${user}`, `--workdir=${cwd}`, machine.name, 'bash', '-lc', command);

function timed(command: string, work: () => string): string {
  const startMs = Date.now();
  const output = work();
  printTime(command, startMs);
  return output;
}

const printTime = (command: string, startMs: number): void =>
  console.log(`${((Date.now() - startMs) / 1_000).toFixed(1).padStart(6)} s  ${command}`);

/** Signs in with the link, and returns what the page of the tank shows. */
async function lookAtConsole(executablePath: string, signInUrl: string, screenshot: string): Promise<string> {
  const browser = await launchBrowser(['--disable-gpu'], executablePath);
  try {
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(signInUrl);
    await page.locator('button').click();
    await page.locator('header.top').waitFor();
    return await readTankPage(page, { origin: new URL(signInUrl).origin, seen: SEEN, screenshot });
  } finally {
    await browser.close();
  }
}

const linkIn = (output: string): string => /http\S+\/session\/links\/\S+/.exec(output)?.[0] ?? '';

function checkEnd(walk: string, startMs: number, commands: readonly string[], seen: string): void {
  check(`${walk}: the browser shows the reading`, SEEN.test(seen), seen);
  check(`${walk}: ${commands.length} commands, 0 variables`, commands.length <= MAX_COMMANDS, commands.join('\n'));
  console.log(
    `${walk}: ${((Date.now() - startMs) / 1_000).toFixed(0)} s from the clone to the reading in the console\n`,
  );
}

async function walkUp(user: string, home: string, folder: string): Promise<void> {
  const startMs = Date.now();
  const shell = shellOf(user, home, folder);
  shell.run('git clone --quiet /source.git tankwatch');
  shell.run('npm ci --no-fund --no-audit --loglevel=error');
  console.log(shell.run('bin/tankwatch init --yes'));
  const welcome = await shell.leave('bin/tankwatch up', /links\/\S+\s/);
  console.log(welcome);
  shell.run(`bin/tankwatch ${IMPORT}`);
  shell.run(`bin/tankwatch ${READING}`);
  const seen = await lookAtConsole(shell.browser, linkIn(welcome), join(folder, `${user}.png`));
  checkEnd(user, startMs, shell.commands, seen);
}

async function walkSystemd(folder: string): Promise<void> {
  const startMs = Date.now();
  const shell = shellOf('root', '/opt', folder);
  shell.run('git clone --quiet /source.git tankwatch');
  shell.run('npm ci --no-fund --no-audit --loglevel=error');
  const welcome = shell.run('bin/tankwatch init --yes --systemd');
  console.log(welcome);
  shell.run(`bin/tankwatch ${IMPORT}`);
  shell.run(`bin/tankwatch ${READING}`);
  const seen = await lookAtConsole(shell.browser, linkIn(welcome), join(folder, 'systemd.png'));
  checkEnd('systemd', startMs, shell.commands, seen);

  const units = onMachine('root', '/', 'systemd-analyze verify /etc/systemd/system/tankwatch.service 2>&1; echo $?');
  check('systemd-analyze verify', units.trim() === '0', units);
  const exposure = onMachine('root', '/', 'systemd-analyze security --no-pager tankwatch.service | tail -1');
  check(`${exposure.trim()} (below 2.5)`, Number(/(\d+\.\d)/.exec(exposure)?.[1] ?? 10) < 2.5, exposure);
  await machine.restart();
  const restartMs = Date.now();
  const wait =
    'for i in $(seq 60); do bin/tankwatch devices test ABCD1234 --organization a0gas --fill 61 2>&1 && exit; sleep 1; done';
  const after = onMachine('root', '/opt/tankwatch', wait);
  check(
    `after a restart of the machine the device is served (${Date.now() - restartMs} ms)`,
    /has stored/.test(after),
    after,
  );
}

async function walkCompose(source: string, folder: string): Promise<void> {
  const startMs = Date.now();
  const commands: string[] = [];
  const run = (command: string, cwd = join(folder, 'tankwatch')): string => {
    commands.push(command);
    return timed(command, () => execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' }));
  };
  try {
    run(`git clone --quiet ${source} tankwatch`, folder);
    run('npm ci --no-fund --no-audit --loglevel=error');
    console.log(run('bin/tankwatch init --yes --compose'));
    run('docker compose up --build --detach --quiet-pull 2>&1');
    run(`docker compose run --rm -T --volume "$PWD/examples:/app/examples:ro" operator ${IMPORT}`);
    run(`docker compose run --rm -T operator ${READING} --url mqtt://gateway:1883`);
    const key = execFileSync(
      'bash',
      ['-c', 'docker compose run --rm -T operator keys create --organization a0gas --name console --quiet'],
      { cwd: join(folder, 'tankwatch'), encoding: 'utf8' },
    );
    const seen = await lookWithKey({
      origin: 'http://127.0.0.1:8080',
      key: key.trim(),
      seen: SEEN,
      screenshot: join(folder, 'compose.png'),
    });
    checkEnd('compose', startMs, commands, seen);
  } finally {
    const down = ['compose', '--profile', 'init', '--profile', 'operator', 'down', '--volumes'];
    spawnSync('docker', down, { cwd: join(folder, 'tankwatch'), stdio: 'ignore' });
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { image: { type: 'string' } } });
const walks = positionals.length > 0 ? positionals : ['root', 'user', 'systemd', 'compose'];
const folder = mkdtempSync(join(tmpdir(), 'tankwatch-first-hour-'));
const source = join(folder, 'source.git');
execFileSync(findProgram('git'), ['clone', '--quiet', '--bare', ROOT, source]);
chmodSync(folder, 0o755);
try {
  for (const walk of walks) {
    if (walk === 'compose') {
      await walkCompose(source, folder);
      continue;
    }
    await machine.start(values.image ?? buildMachineImage('debian:12', ['git', 'nodejs', 'npm']), [
      `--volume=${source}:/source.git:ro`,
    ]);
    // The folder belongs to root. A real clone is over the network.
    onMachine('root', '/', 'git config --system --add safe.directory /source.git');
    if (walk === 'systemd') await walkSystemd(folder);
    else await walkUp(walk === 'root' ? 'root' : 'maria', walk === 'root' ? '/root' : '/home/maria', folder);
  }
} catch (error) {
  process.exitCode = 1;
  console.log(error);
} finally {
  if (process.exitCode === 1) console.log(`kept for a look: the container ${machine.name} and ${folder}`);
  else {
    machine.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
