import { spawn } from 'node:child_process';
import { chmod, cp, glob, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { startMailServer } from '../../engines/mail_server.ts';
import { startReceiver } from '../../engines/webhook_receiver.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { startNats } from '../../src/setup/servers/nats.ts';
import { startPostgres } from '../../src/setup/servers/postgres.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { parseConsoleBoxes } from '../support/console_boxes.ts';
import { copyRepository, isRun, type Reader, ROOT, runPage } from '../support/documented_commands.ts';
import { isWhole } from '../support/whole_tests.ts';

/** Documents whose commands another test runs. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'test/docs/readme.test.ts',
  'docs/operators/install.md': 'test/containers/walk.ts',
  'docs/operators/scale.md': 'test/docs/scale.test.ts',
};
/** The page with the commands that create the database. */
const CREATES_THE_DATABASE = 'docs/operators/many-machines.md';
/** These pages are run first, in this order, because each uses objects that the pages before it created. */
const FIRST_PAGES = ['daily', 'import', 'notifications', 'access', 'troubleshooting'].map(
  (name) => `docs/operators/${name}.md`,
);

const documents = (await Array.fromAsync(glob('{*.md,{docs,packages,.github,migrations}/**/*.md}', { cwd: ROOT })))
  .filter((file) => !file.includes('node_modules'))
  .toSorted();
const boxesOf = new Map(
  await Promise.all(
    documents.map(async (file) => [file, parseConsoleBoxes(await readFile(join(ROOT, file), 'utf8'))] as const),
  ),
);
const pages = [...FIRST_PAGES, ...documents.filter((file) => !FIRST_PAGES.includes(file))].filter(
  (file) => file !== CREATES_THE_DATABASE && RUN_ELSEWHERE[file] === undefined && (boxesOf.get(file) ?? []).some(isRun),
);

/** An installation as the documents describe it, and somebody who types their commands. */
const test = base.extend<{ $file: { reader: Reader & { setupFailures: string[] } } }>({
  reader: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads what a fixture needs from this pattern
    async ({}, use) => {
      await using stack = new AsyncDisposableStack();
      const { folder, copy, remove } = await copyRepository();
      stack.defer(remove);
      const postgres = stack.adopt(await startPostgres(), (server) => server.stop());
      const nats = stack.adopt(await startNats({ isMonitored: true }), (server) => server.stop());
      const mailServer = stack.adopt(await startMailServer({ onMail: () => {} }), (server) => server.stop());
      const receiver = stack.adopt(await startReceiver(), (one) => one.close());
      const ports = new Map<string, number>();
      for (const port of ['1883', '8080', '8081', '9464']) ports.set(port, await freePort());
      // Here all roles run in one process, so their metrics have one port.
      for (const port of ['9465', '9466', '9467']) ports.set(port, ports.get('9464') ?? 0);
      const logFile = join(folder, 'log');
      const superuser = new URL(postgres.url);
      const environment = {
        PATH: `${folder}/bin:${copy}/bin:${postgres.binFolder}:${process.env['PATH']}`,
        HOME: folder,
        NODE_COMPILE_CACHE: join(folder, 'compiled'), // half of the CPU time of a command
        OPERATOR_NAME: 'reader',
        // deploy/owner.sh runs as the superuser. The other commands have a login in their address.
        PGHOST: '127.0.0.1',
        PGPORT: String(postgres.port),
        PGPASSWORD: superuser.password,
        NATS_URL: nats.url,
        NATS_MONITOR_URL: nats.monitorUrl,
        DEVICE_SECRET: 'a secret that is long enough for a test',
        SECRETS_KEY: 'a key of at least thirty-two characters',
        LINK_SECRET: 'another secret that is long enough for it',
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'Gas del Valle <alerts@example.com>',
        REMOVALS_FILE: join(copy, 'removals.ndjson'),
        PUBLIC_URL: `http://127.0.0.1:${ports.get('8080')}`,
        GATEWAY_URL: `http://127.0.0.1:${ports.get('8081')}`,
        WEBHOOK_ALLOW_HTTP: 'true',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        API_PORT: String(ports.get('8080')),
        GATEWAY_HTTP_PORT: String(ports.get('8081')),
        GATEWAY_MQTT_PORT: String(ports.get('1883')),
        METRICS_PORT: String(ports.get('9464')),
        API_DRAIN_MS: '0',
        GATEWAY_DRAIN_MS: '0',
        LOG_LEVEL: 'debug',
      };
      const reader: Reader = {
        cwd: copy,
        variablesFile: join(folder, 'variables'),
        environment,
        asTyped: (command) =>
          withOwnIds(onPorts(command, ports))
            .replace('/backup/', './')
            .replace('https://erp.example.com/tankwatch', receiver.url),
      };
      await writeFile(reader.variablesFile, '');
      await writeSystemd(folder, logFile);
      await writeOwnFiles(copy);
      const setupFailures = await runPage(reader, CREATES_THE_DATABASE);

      const log = stack.adopt(await open(logFile, 'w'), (file) => file.close());
      const urls = Object.fromEntries(
        [...(await readFile(reader.variablesFile, 'utf8')).matchAll(/ (\w+_DATABASE_URL)="(.*)"$/gm)].map(
          ([, name = '', url = '']) => [name, url],
        ),
      );
      const roles = spawn('tankwatch', ['all'], {
        env: { ...environment, ...urls },
        stdio: ['ignore', log.fd, log.fd],
      });
      stack.defer(() => stopProcess(roles, 'SIGTERM'));
      const isReady = async (): Promise<boolean> =>
        (await fetch(`http://127.0.0.1:${ports.get('9464')}/readyz`).catch(() => undefined))?.ok ?? false;
      expect(setupFailures).toEqual([]);
      await expect
        .poll(async () => (await isReady()) || (roles.exitCode !== null && (await readFile(logFile, 'utf8'))))
        .toBe(true);

      await use({ ...reader, setupFailures });
    },
    { scope: 'file' },
  ],
});
const whole = test.runIf(isWhole('docs/commands'));

/** The ports of the documents may be in use on the machine that runs the test. */
const onPorts = (command: string, ports: ReadonlyMap<string, number>): string =>
  command.replaceAll(/(localhost:|127\.0\.0\.1:|-p )(\d{4})\b/g, (all, before: string, port: string) =>
    ports.has(port) ? `${before}${ports.get(port)}` : all,
  );

/** The documents show ids of their own, such as 01989f31-0c52-7a08-8f4e-5d1c9b7e2f66, 019c9d0e-... and the key a0k7x2m9q4tp. */
function withOwnIds(command: string): string {
  const newest = (column: string, table: string): string =>
    `$(psql "$MIGRATE_DATABASE_URL" -Atc "select ${column} from ${table} order by no desc limit 1")`;
  const [, noun = ''] = /tankwatch (webhooks|alerts explain)/.exec(command) ?? [];
  const table = { webhooks: 'webhook_endpoints', 'alerts explain': 'events' }[noun] ?? 'tanks';
  return command
    .replace('a0k7x2m9q4tp', () => newest('prefix', 'api_keys'))
    .replace(/019[\da-f]{5}-(?:\.\.\.|[\da-f-]{27})(?!')/, () => newest('id', table));
}

/** The files that a reader of the pages has, with columns of their own. */
async function writeOwnFiles(folder: string): Promise<void> {
  const examples = join(ROOT, 'examples');
  await cp(join(examples, 'customers.csv'), join(folder, 'customers.csv'));
  const readings = await readFile(join(examples, 'readings.csv'), 'utf8');
  // The page about daily work has just created the tank of ABCD1234, so it has no readings of last year.
  await writeFile(join(folder, 'readings.csv'), readings.replaceAll(/^ABCD1234.*\n/gm, ''));
  await writeFile(
    join(folder, 'tanks.csv'),
    `Kundennummer,custom_id,Bezeichnung,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,created_at
C-1002,T-2,Bakery oven,EFGH5678,1000,liters,25,2024-12-05T16:00:00Z
C-1003,T-3,Boiler room,JKLM9012,2800,liters,30,2024-12-05T17:00:00Z
C-999,T-4,Garage,PQRS1234,300,litro,30,2024-12-05T17:00:00Z
`,
  );
  await writeFile(join(folder, 'devices.csv'), 'device_id\nABCD1234\n');
}

/** Stand-ins for systemd, which this machine may not have. The journal is the log of the roles. */
async function writeSystemd(folder: string, logFile: string): Promise<void> {
  const programs = {
    systemctl: 'case "$*" in *tankwatch*|*postgresql*) echo "active: $*" ;; *) exit 1 ;; esac',
    journalctl: `case "$*" in *tankwatch*) cat ${logFile} ;; *) exit 1 ;; esac`,
  };
  await mkdir(join(folder, 'bin'));
  for (const [name, script] of Object.entries(programs)) {
    const file = join(folder, 'bin', name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }
}

test('every command of every document is run by a test, or has a reason why not', () => {
  expect(pages.length).toBeGreaterThan(8);
  for (const [file, boxes] of boxesOf)
    for (const { note, commands } of boxes)
      expect([file, commands[0], note]).toEqual([
        file,
        commands[0],
        expect.stringMatching(
          file === 'docs/operators/install.md'
            ? /^$|^not run by the walk: .{10,}/
            : /^$|^not run by the test: .{10,}|^(the output is an example(; )?)?(ends with exit code \d)?$|^keeps running until the test ends/,
        ),
      ]);
});

test(`the commands of ${CREATES_THE_DATABASE} work as typed and print what the page shows`, ({ reader }) => {
  expect(reader.setupFailures).toEqual([]);
});

whole.for(pages)(
  'the commands of %s work as typed and print what the page shows',
  { timeout: 900_000 },
  async (page, { reader }) => {
    expect(await runPage(reader, page)).toEqual([]);
  },
);
