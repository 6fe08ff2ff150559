import { type ChildProcess, spawn } from 'node:child_process';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { runProgram } from '../support/client.ts';
import { type ConsoleBox, missingLines, parseConsoleBoxes } from '../support/console_boxes.ts';
import { copyRepository, isRun, ROOT } from '../support/documented_commands.ts';
import { isThorough, isWhole } from '../support/whole_tests.ts';

const whole = test.runIf(isWhole('docs/readme'));

const DEMO = 'npm run demo';
/** The user `nobody` of Debian. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** `test/setup/init.test.ts` runs `init` and `up` as the user of the tests, which is root in CI. */
const USERS = isRoot && isThorough() ? (['root', 'an ordinary user'] as const) : (['an ordinary user'] as const);

function expectPrinted(printed: string, box: ConsoleBox): void {
  expect(missingLines(printed, box), `printed by ${box.commands.join('; ')}: ${printed}`).toEqual([]);
}

interface Terminal {
  cwd: string;
  environment: Record<string, string>;
  /** Runs a shell as the user of the test, or as another one. */
  shell: readonly string[];
}

/** Starts the command of a box that keeps running, and resolves with its output when it has printed a text. */
async function startInOwnTerminal({ cwd, environment, shell }: Terminal, command: string, readyText: string) {
  const child: ChildProcess = spawn('env', [...shell, command], {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT'); // as Ctrl-C does
    await closed;
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const readState = (): string => (printed.includes(readyText) || child.exitCode !== null ? 'ready or ended' : printed);
  await expect.poll(readState, { timeout: 400_000 }).toBe('ready or ended');
  expect(printed).toContain(readyText);
  return printed;
}

const boxes = parseConsoleBoxes(await readFile(join(ROOT, 'README.md'), 'utf8'));

test('every console box of the README is run, except the installation of packages', () => {
  expect(boxes.length).toBeGreaterThan(7);
  expect(boxes.flatMap(({ commands }) => commands)).toContain(DEMO);
  expect(boxes.filter((box) => !isRun(box)).flatMap(({ commands }) => commands)).toEqual([
    expect.stringMatching(/^apt-get install --yes [a-z -]+$/),
    'npm ci',
  ]);
});

whole.for(USERS)(
  'every console box of the README that is run works as typed and prints what it shows, as %s',
  {
    timeout: 900_000,
  },
  async (user) => {
    const { folder, copy, remove } = await copyRepository();
    onTestFinished(remove);
    const isOther = isRoot && user !== 'root';
    if (isOther) await runProgram('chown', ['-R', String(NOBODY), folder], {});
    const ports = new Map<string, number>();
    for (const port of ['1883', '8080', '8081', '9464', '4222', '5433', '8222']) ports.set(port, await freePort());
    const settingsFile = join(folder, 'settings/tankwatch.env');
    const terminal: Terminal = {
      cwd: copy,
      shell: [
        ...(isOther ? ([`setpriv`, `--reuid=${NOBODY}`, '--clear-groups'] as const) : []),
        'bash',
        '-euo',
        'pipefail',
        '-c',
      ],
      environment: {
        PATH: `${copy}/bin:${process.env['PATH']}`,
        HOME: folder,
        NODE_COMPILE_CACHE: join(folder, 'compiled'), // half of the CPU time of a command
      },
    };
    // Without these variables, root would use the settings file of the machine, and a PostgreSQL of the machine could be used.
    const own = [
      `TANKWATCH_CONFIG=${settingsFile}`,
      `API_PORT=${ports.get('8080')}`,
      `GATEWAY_HTTP_PORT=${ports.get('8081')}`,
      `GATEWAY_MQTT_PORT=${ports.get('1883')}`,
      `METRICS_PORT=${ports.get('9464')}`,
      `NATS_PORT=${ports.get('4222')}`,
      `NATS_MONITOR_URL=http://127.0.0.1:${ports.get('8222')}`,
      `POSTGRES_PORT=${ports.get('5433')}`,
      'API_DRAIN_MS=0 GATEWAY_DRAIN_MS=0',
    ].join(' ');
    const variablesFile = join(folder, 'variables');
    await writeFile(variablesFile, '');
    if (isOther) await chown(variablesFile, NOBODY, NOBODY);
    // test/demo runs the demo as the user of the tests.
    const isRunHere = (box: ConsoleBox): boolean => isRun(box) && (user !== 'root' || !box.commands.includes(DEMO));
    for (const box of boxes.filter(isRunHere)) {
      const commands = box.commands.map((command) =>
        onPorts(command, ports).replace(
          'tankwatch init',
          () => `export ${own}
tankwatch init --config ${settingsFile} --database start`,
        ),
      );
      const [, readyText] = /^keeps running until the test ends; ready when it prints: (.*)$/.exec(box.note) ?? [];
      const script = ['set -a', `. ${variablesFile}`, ...commands, `export -p > ${variablesFile}`].join('\n');
      if (readyText !== undefined) {
        expectPrinted(await startInOwnTerminal(terminal, script, readyText), box);
        continue;
      }
      const { code, stdout, stderr } = await runProgram('timeout', ['600', ...terminal.shell, script], {
        cwd: copy,
        env: terminal.environment,
      });
      expect(code, `${commands.join('\n')}\n${stdout}\n${stderr}`).toBe(0);
      expectPrinted(stdout + stderr, box);
    }
  },
);

/** The ports of the documentation may be in use on the machine that runs the test. */
const onPorts = (text: string, ports: ReadonlyMap<string, number>): string =>
  text.replace(/(localhost:|-p )(\d{4})\b/g, (all, before: string, port: string) =>
    ports.has(port) ? `${before}${ports.get(port)}` : all,
  );
