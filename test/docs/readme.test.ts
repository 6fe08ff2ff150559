import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, type PrivatePostgres, startPostgres } from '../../engines/postgres.ts';
import { runProgram } from '../support/client.ts';
import { type ConsoleBox, missingLines, parseConsoleBoxes } from '../support/console_boxes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_COPIED = new Set(['.git', 'node_modules', '.dev', 'coverage', 'dist']);

function expectPrinted(printed: string, box: ConsoleBox): void {
  expect(missingLines(printed, box), `printed by ${box.commands.join('; ')}: ${printed}`).toEqual([]);
}

/** A copy of this repository, in which commands may create files. */
async function copyRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tankwatch-readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, 'tankwatch');
  const isCopied = (path: string): boolean =>
    !relative(ROOT, path)
      .split('/')
      .some((part) => NOT_COPIED.has(part));
  await cp(ROOT, copy, { recursive: true, filter: isCopied });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return folder;
}

/** On a fresh Debian, `sudo -u postgres` reaches the server as its superuser. Here the server is a private one. */
async function writeSudo(folder: string, postgres: PrivatePostgres): Promise<void> {
  const { username, password, hostname, port } = new URL(postgres.url);
  const login = `PGHOST=${hostname} PGPORT=${port} PGUSER=${username} PGPASSWORD=${password}`;
  const script = `#!/bin/sh\n[ "$1 $2" = "-u postgres" ] || exit 1\nshift 2\nexec env ${login} "$@"\n`;
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/sudo'), script);
  await chmod(join(folder, 'bin/sudo'), 0o755);
}

/** Starts the command of a box that keeps running, and resolves with its output when it has printed a text. */
async function startInOwnTerminal(command: string, readyText: string, cwd: string): Promise<string> {
  const child: ChildProcess = spawn('bash', ['-c', command], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT'); // as Ctrl-C does
    await closed;
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await expect.poll(() => printed).toContain(readyText);
  return printed;
}

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const boxes = parseConsoleBoxes(readme);
const exempt = boxes.filter(({ note }) => note.startsWith('not run by the test'));

test('only the installation of packages is not run', () => {
  expect(boxes.length).toBeGreaterThan(12);
  expect(exempt.flatMap(({ commands }) => commands)).toEqual([
    expect.stringMatching(/^sudo apt-get install --yes [a-z -]+$/),
    'npm ci',
  ]);
});

test('every other console box of the README works as typed and prints what it shows', {
  timeout: 240_000,
}, async () => {
  const folder = await copyRepository();
  const cwd = join(folder, 'tankwatch');
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await writeSudo(folder, postgres);
  const ports = new Map<string, number>();
  for (const port of ['1883', '4222', '8080', '8081', '8222', '9464']) ports.set(port, await freePort());
  const natsConfig = await readFile(join(cwd, 'deploy/nats.conf'), 'utf8');
  await writeFile(join(cwd, 'deploy/nats.conf'), onPorts(natsConfig, ports));

  let demoExport = '';
  // What the README starts with & is stopped in the opposite order: the roles before nats-server.
  const stopJobs = `for job in $(jobs -p | tac); do kill $job; wait $job || true; done`;
  // To a file and not to a pipe: Node makes a pipe non-blocking, and then curl fails if the reader is slow.
  const outputFile = join(folder, 'printed');
  const script: string[] = [`exec >${outputFile} 2>&1`, `trap '${stopJobs}' EXIT`];
  const files = [...readme.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)];
  for (const [index, box] of boxes.entries()) {
    if (exempt.includes(box)) continue;
    const [, readyText] = /^keeps running until the test ends; ready when it prints: (.*)$/.exec(box.note) ?? [];
    if (readyText !== undefined) {
      const printed = await startInOwnTerminal(box.commands.join('\n'), readyText, cwd);
      demoExport = /export TANKWATCH_URL=\S+ TANKWATCH_KEY=\S+/.exec(printed)?.[0] ?? '';
      expectPrinted(printed, box);
      continue;
    }
    const commands = box.commands.map((command) =>
      // The reader copies this line from what the demo printed.
      /^export TANKWATCH_URL=\S+ TANKWATCH_KEY=/.test(command) ? demoExport : onPorts(command, ports),
    );
    script.push(...commands, `echo '@@ end of box ${index}'`);
    // The reader saves each file of the README in the folder where it is then run.
    if (commands.some((command) => command.includes('npm init')))
      for (const [, name, code] of files) script.push(`cat > ${name} <<'END OF FILE'\n${code}END OF FILE`);
  }

  const environment = {
    PATH: `${folder}/bin:${process.env['PATH']}`,
    HOME: folder,
    API_PORT: String(ports.get('8080')),
    GATEWAY_HTTP_PORT: String(ports.get('8081')),
    GATEWAY_MQTT_PORT: String(ports.get('1883')),
    METRICS_PORT: String(ports.get('9464')),
    PGPORT: String(postgres.port),
    API_DRAIN_MS: '0',
  };
  const { code } = await runProgram('timeout', ['180', 'bash', '-euo', 'pipefail', '-c', script.join('\n')], {
    cwd,
    env: environment,
  });
  const [stdout = '', ...logs] = await Promise.all(
    ['printed', 'nats/log', 'tankwatch.log'].map((file) => readFile(join(folder, file), 'utf8').catch(() => '')),
  );
  expect(code, [stdout, ...logs].join('\n')).toBe(0);
  const printed = new Map(
    [...stdout.matchAll(/([^]*?)@@ end of box (\d+)\n/g)].map(([, text = '', index]) => [Number(index), text]),
  );
  for (const [index, box] of boxes.entries()) if (printed.has(index)) expectPrinted(printed.get(index) ?? '', box);
  expect(printed.size).toBe(boxes.length - exempt.length - 1);
});

/** The ports of the documentation may be in use on the machine that runs the test. */
const onPorts = (text: string, ports: ReadonlyMap<string, number>): string =>
  text.replace(/(localhost:|-p |(?:0\.0\.0\.0|127\.0\.0\.1):)(\d{4})\b/g, (all, before: string, port: string) =>
    ports.has(port) ? `${before}${ports.get(port)}` : all,
  );
