import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { withPort } from '../../engines/logins.ts';
import { programEnvironment } from '../../engines/process.ts';
import { createCustomers } from '../../src/catalog/customers.ts';
import { findOrganization } from '../../src/catalog/organizations.ts';
import { transaction } from '../../src/db/pool.ts';
import { MAIN } from '../support/cli.ts';
import { isWhole } from '../support/whole_tests.ts';
import { test as base, type Mistake, makeAll, type Situation } from './situation.ts';

const FILES = {
  'customers.csv': 'Name,Mail\nAna,ana@example.com\n',
  'semicolons.csv': '"external_key;name;email"\n"C1;Ana;ana@example.com"\n',
  'empty.csv': '',
  'readings.csv': 'device,level\nABCD1234,40\n',
  'removals.ndjson': 'not a removal\n',
  'settings.env': 'DATABASE_URL\n',
  'utf16.env': '\xff\xfeA\0P\0I\0',
  'words.csv':
    'owner,name,custom_id,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage\nC-1,Casa,1,D1,300,barril,20\n',
  'local_times.csv': 'device_id,created_at,fill_percentage\nABCD1234,2026-01-31 14:05,40\n',
  'titles.csv': 'Report of all customers\n\nPrinted on;2026-01-31\n',
  'customers.xlsx': 'PK\x03\x04 and then nothing that is a workbook',
  'customers.xls': '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0 a workbook of Excel 97',
};

/** The files above, and a customer. */
const test = base.extend<{ $file: { prepared: Situation; results: ReadonlyMap<string, Promise<void>> } }>({
  results: [async ({ prepared }, use) => use(makeAll(MISTAKES, prepared)), { scope: 'file' }],
  prepared: [
    async ({ situation }, use) => {
      const { database, folder, organization } = situation;
      for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content, 'latin1');
      await mkdir(join(folder, 'a-folder'));
      const organizationNo = (await findOrganization(database.operator, organization)) ?? 0;
      await transaction(database.operator, (tx) =>
        createCustomers(tx, organizationNo, [{ external_key: 'C-1', name: 'Ana', email: 'ana@example.com' }]),
      );
      await use(situation);
    },
    { scope: 'file' },
  ],
});

/** The path of a file with this mistake in it. */
const file = ({ folder }: Situation, name: keyof typeof FILES | 'none.csv' | 'a-folder'): string => join(folder, name);

const inOrganization = ({ organization }: Situation, ...args: string[]): string[] => [
  ...args,
  '--organization',
  organization,
];

const initWith = (folder: string, address: string): string[] => [
  'init',
  '--yes',
  '--config',
  join(folder, 'new', 'tankwatch.env'),
  '--database',
  address,
];

const ALL_MISTAKES: Mistake[] = [
  {
    name: 'an unknown organization',
    run: ['tanks', 'list', '--organization', 'a0nobody'],
    cause: 'there is no organization a0nobody',
    next: 'list them with: tankwatch organizations list',
  },
  {
    name: 'an organization that exists already',
    run: ({ organization }) => ['organizations', 'create', organization, '--name', 'Again'],
    cause: 'the organization a0mistakes already exists',
    next: 'choose another code, or change it with: tankwatch organizations update a0mistakes',
  },
  {
    name: 'an unknown command',
    run: ['tank', 'list'],
    cause: "unknown command 'tank'",
    next: 'Did you mean',
  },
  {
    name: 'an unknown option',
    run: (situation) => inOrganization(situation, 'tanks', 'list', '--limt', '5'),
    cause: "unknown option '--limt'",
    next: 'Did you mean --limit?',
  },
  {
    name: 'a missing option',
    run: ['keys', 'create', '--name', 'ERP'],
    cause: "required option '--organization <code>' not specified",
    next: 'add --help for the options and an example',
  },
  {
    name: 'an invalid time',
    run: (situation) => inOrganization(situation, 'alerts', 'list', '--since', 'yesterday'),
    cause: 'Not a valid time',
    next: 'Write it like 2026-01-01T00:00:00Z, or like 2026-01-01',
  },
  {
    name: 'a key that does not exist',
    run: ['keys', 'revoke', 'a0nothere000'],
    cause: 'no key begins with a0nothere000',
    next: 'list them with: tankwatch keys list',
  },
  {
    name: 'a tank that does not exist',
    run: (situation) => inOrganization(situation, 'tanks', 'show', 'NOBODY'),
    cause: 'there is no tank with the id or device NOBODY',
    next: 'list them with: tankwatch tanks list',
  },
  {
    name: 'a customer that does not exist',
    run: (situation) => inOrganization(situation, 'customers', 'show', 'C-0'),
    cause: 'there is no customer with the id or external key C-0',
    next: 'list them with: tankwatch customers list',
  },
  {
    name: 'a file that does not exist',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'none.csv')),
    cause: 'none.csv: there is no such file',
    next: 'check the name and the folder',
  },
  {
    name: 'a folder instead of a file',
    run: (situation) => inOrganization(situation, 'tanks', 'import', file(situation, 'a-folder')),
    cause: 'it is a folder, not a file',
    next: 'give one of its files',
  },
  {
    name: 'an empty file',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'empty.csv')),
    cause: 'the file is empty',
    next: 'the first line must contain the column names',
  },
  {
    name: 'a file with other column names',
    run: (situation) => inOrganization(situation, 'tanks', 'import', file(situation, 'customers.csv')),
    cause: 'Its columns are Name, Mail',
    next: 'Map them with --column ours=theirs',
  },
  {
    name: 'a file whose lines are quoted as a whole',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'semicolons.csv')),
    cause: 'the first line is one cell',
    next: 'remove the quotes around whole lines. Or name the delimiter with --delimiter',
  },
  {
    name: 'a file of readings with other column names',
    run: (situation) => inOrganization(situation, 'telemetry', 'import', file(situation, 'readings.csv')),
    cause: 'it has device, level',
    next: 'If a column has another name, pass it, such as --column created_at=',
  },
  {
    name: 'a column that is mapped and does not exist',
    run: (situation) =>
      inOrganization(situation, 'customers', 'import', file(situation, 'customers.csv'), '--column', 'nmae=Name'),
    cause: 'there is no column nmae to map',
    next: 'the columns are',
  },
  {
    name: 'a workbook that is damaged',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'customers.xlsx')),
    cause: 'the workbook cannot be read',
    next: 'save it as "CSV UTF-8" in Excel',
  },
  {
    name: 'a workbook of an old Excel',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'customers.xls')),
    cause: 'workbook of an old Excel (.xls)',
    next: 'save it as "CSV UTF-8" in Excel',
  },
  {
    name: 'a file with title rows and no header',
    run: (situation) => inOrganization(situation, 'customers', 'import', file(situation, 'titles.csv')),
    cause: 'the file has no column',
    next: 'Map them with --column ours=theirs',
  },
  {
    name: 'a guided import of a folder without tables',
    run: (situation) => inOrganization(situation, 'import', file(situation, 'a-folder')),
    cause: 'there is no table of customers, tanks or readings in',
    next: 'give CSV files or workbooks (.xlsx), or another folder',
  },
  {
    name: 'a guided import with an unknown word',
    run: (situation) => inOrganization(situation, 'import', file(situation, 'words.csv'), '--dry-run'),
    cause: "capacity_unit: 'barril' is not known, line 2",
    next: 'or give your word a meaning with --value',
  },
  {
    name: 'a guided import with a --value for an unknown column',
    run: (situation) =>
      inOrganization(situation, 'import', file(situation, 'words.csv'), '--dry-run', '--value', 'unit:barril=gallons'),
    cause: '--value must be written like column:theirs=ours, not unit:barril=gallons',
    next: 'the columns are external_key',
  },
  {
    name: 'a guided import of local times without their zone',
    run: (situation) => inOrganization(situation, 'import', file(situation, 'local_times.csv'), '--dry-run'),
    cause: 'times without an offset are read as UTC',
    next: 'if they are local: --time-zone America/Mexico_City',
    ends: 0,
  },
  {
    name: 'a restore with a file that is not a record of removals',
    run: (situation) => ['restore', 'finish', '--removals', file(situation, 'removals.ndjson')],
    cause: 'is not a removal',
    next: 'give the file as the worker wrote it',
  },
  {
    name: 'a webhook to a private address',
    run: (situation) => inOrganization(situation, 'webhooks', 'create', 'https://10.0.0.7/tankwatch'),
    cause: 'the host has a private address, and webhooks are not sent there',
    next: 'set WEBHOOK_ALLOW_PRIVATE=true for the worker and this command',
  },
  {
    name: 'a webhook to a name of this machine',
    run: (situation) => inOrganization(situation, 'webhooks', 'create', 'https://localhost/tankwatch'),
    cause: 'the host has a private address',
    next: 'give a public address',
  },
  {
    name: 'a webhook without TLS',
    run: (situation) => inOrganization(situation, 'webhooks', 'create', 'http://erp.example.com/tankwatch'),
    cause: 'the URL',
    next: 'must begin with https://',
  },
  {
    name: 'an invitation without a mail server',
    run: (situation) => inOrganization(situation, 'customers', 'invite', 'C-1'),
    cause: 'SMTP_URL is not set here',
    next: 'set SMTP_URL, MAIL_FROM, PUBLIC_URL and LINK_SECRET for the worker and restart it',
    ends: 0,
  },
  {
    name: 'a test mail without a mail server',
    run: (situation) => inOrganization(situation, 'contacts', 'test', 'dispatch@example.com'),
    cause: 'SMTP_URL must be set',
    next: 'such as smtp://user:password@host:587',
  },
  {
    name: 'a device password without the secret of the gateway',
    run: (situation) => inOrganization(situation, 'devices', 'issue', 'ABCD1234'),
    with: () => ({ DEVICE_SECRET: '' }),
    cause: 'DEVICE_SECRET is not set here',
    next: "use the gateway's value",
  },
  {
    name: 'a settings file that does not exist',
    run: ['organizations', 'list', '--config', '/not/there.env'],
    cause: 'the settings file /not/there.env does not exist',
    next: 'tankwatch init',
  },
  {
    name: 'a settings file with a line that is not a setting',
    run: (situation) => ['organizations', 'list', '--config', file(situation, 'settings.env')],
    cause: 'settings.env',
    next: 'NAME=value',
  },
  {
    name: 'a settings file that Notepad saved as UTF-16',
    run: (situation) => ['organizations', 'list', '--config', file(situation, 'utf16.env')],
    cause: 'utf16.env is not UTF-8 text',
    next: 'save it as UTF-8',
  },
  {
    name: 'init in a folder that is a file',
    run: (situation) => ['init', '--yes', '--config', `${file(situation, 'empty.csv')}/new/tankwatch.env`],
    cause: 'is a file, not a folder',
    next: 'choose another place',
  },
  {
    name: 'a command while `up` of an installation by init does not run',
    run: ['organizations', 'list'],
    with: ({ database, freePort }) => ({
      OPERATOR_DATABASE_URL: withPort(database.urls.operator, freePort),
      POSTGRES_BIN: '/usr/lib/postgresql/15/bin',
      NATS_CONFIG: '/etc/tankwatch/nats.conf',
    }),
    cause: ({ freePort }) => `nothing listens at 127.0.0.1:${freePort}, where PostgreSQL should be`,
    next: 'start Tankwatch (`tankwatch up`, or systemctl start tankwatch)',
  },
  {
    name: 'init with a stopped PostgreSQL',
    run: ({ folder, freePort }) =>
      initWith(folder, `postgres://postgres:wrong-password@127.0.0.1:${freePort}/postgres`),
    cause: ({ freePort }) => `nothing listens at 127.0.0.1:${freePort}, where PostgreSQL should be`,
    next: 'start PostgreSQL, or correct host and port in --database',
  },
  {
    name: 'init with a wrong password of PostgreSQL',
    run: ({ folder, database }) =>
      initWith(folder, `postgres://postgres:wrong-password@${new URL(database.ownerUrl).host}/postgres`),
    cause: 'refused the login',
    next: 'correct user and password in --database',
  },
  {
    name: 'init with a # in the password of PostgreSQL',
    run: ({ folder }) => initWith(folder, 'postgres://postgres:wrong#password@127.0.0.1/postgres'),
    cause: '--database must be local, start, or an address',
    next: 'In the password, write # as %23',
  },
  {
    name: 'up before init',
    run: ['up'],
    cause: 'there is no settings file yet',
    next: 'create one with: tankwatch init',
  },
  {
    name: 'doctor without PostgreSQL',
    run: ['doctor'],
    with: ({ database, freePort }) => ({ OPERATOR_DATABASE_URL: withPort(database.urls.operator, freePort) }),
    cause: ({ freePort }) =>
      `WRONG database: the database cannot be reached: nothing listens at 127.0.0.1:${freePort}, where PostgreSQL should be`,
    next: 'start PostgreSQL, or correct host and port in OPERATOR_DATABASE_URL',
    ends: 2,
  },
  {
    name: 'doctor with a wrong password of nats-server',
    run: ['doctor'],
    with: ({ valid }) => ({ NATS_URL: (valid['NATS_URL'] ?? '').replace(/:[^:@]+@/, ':wrong-password@') }),
    cause: 'WRONG stream: nats-server cannot be used: nats-server at 127.0.0.1:',
    next: 'correct user and password in NATS_URL',
    ends: 2,
  },
  {
    name: 'doctor while the api does not run',
    run: ['doctor'],
    with: ({ freePort }) => ({ API_PORT: String(freePort), NATS_URL: '' }),
    cause: ({ freePort }) => `warn  api: the api cannot be reached at http://127.0.0.1:${freePort}`,
    next: 'check that tankwatch api and the proxy in front of it run, and that PUBLIC_URL or API_PORT is correct',
    ends: 1, // a warning
  },
];

const MISTAKES = ALL_MISTAKES.slice(0, isWhole('mistakes/commands') ? undefined : 5);

for (const { name } of MISTAKES)
  test(`the message about ${name} names the cause and what to do`, ({ results }) => results.get(name));

test('a command whose reader ends early, such as head, ends without a message', async ({ prepared }) => {
  const child = spawn(process.execPath, [MAIN, 'openapi'], {
    env: { ...programEnvironment(), ...prepared.valid },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const ended = new Promise((resolve) => child.once('close', resolve));
  expect([await ended, stderr]).toEqual([141, '']);
});
