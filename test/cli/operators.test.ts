import { expect } from 'vitest';
import { tankwatch } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { within } from '../support/stopwatch.ts';
import { type TestDatabase, test } from '../support/test.ts';

const SECRET = 'a secret of at least thirty-two characters';

/** Runs a command as an operator would and returns what --json printed. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever was printed
async function run(database: TestDatabase, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], {
    DATABASE_URL: database.urls.operator,
    DEVICE_SECRET: SECRET,
  });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

const ORGANIZATION = ['--organization', 'a0walk'];

test('an operator provisions, changes, hands over and deletes, and the audit log has what was done', async ({
  database,
  api,
}) => {
  const command = (...args: string[]) => run(database, ...args);
  await command('organizations', 'create', 'a0walk', '--name', 'Walk');
  const { id: ana } = await command(
    'customers',
    'create',
    ...ORGANIZATION,
    '--name',
    'Ana',
    '--email',
    'ana@example.com',
    '--external-key',
    'K1',
    '--as',
    'olga',
  );
  const { id: ben } = await command(
    'customers',
    'create',
    ...ORGANIZATION,
    '--name',
    'Ben',
    '--email',
    'ben@example.com',
    '--external-key',
    'K2',
  );
  const { key } = await command('keys', 'create', ...ORGANIZATION, '--name', 'ERP');
  const see = async (path: string) => (await api.call(path, { key })).json;

  await command('customers', 'update', 'K1', ...ORGANIZATION, '--phone', '123', '--as', 'olga');
  await command('customers', 'verify', ana, ...ORGANIZATION);
  expect(await see(`/v1/customers/${ana}`)).toMatchObject({ phone: '123', is_verified: true, tank_count: 0 });

  const tank = ['--capacity', '300', '--capacity-unit', 'liters'];
  const { id: tankOne } = await command(
    'tanks',
    'create',
    ...ORGANIZATION,
    '--owner',
    'K1',
    '--name',
    'One',
    '--assigned-device-id',
    'DEV1',
    ...tank,
  );
  const { id: tankTwo } = await command(
    'tanks',
    'create',
    ...ORGANIZATION,
    '--owner',
    'K1',
    '--name',
    'Two',
    '--assigned-device-id',
    'DEV2',
    ...tank,
  );
  await command('tanks', 'update', 'DEV1', ...ORGANIZATION, '--min-fill-alert-percentage', '30', '--city', 'Puebla');
  expect(await see(`/v1/tanks/${tankOne}`)).toMatchObject({
    min_fill_alert_percentage: 30,
    location: { city: 'Puebla', street: null },
  });

  await expect(command('tanks', 'assign-device', tankOne, 'DEV2', ...ORGANIZATION)).rejects.toThrow(
    /device DEV2 is already on the tank [^;]+; to move it, use tankwatch tanks assign-device with --swap/,
  );
  await command('tanks', 'assign-device', tankOne, 'DEV2', ...ORGANIZATION, '--swap');
  await command('tanks', 'assign-device', tankOne, 'DEV1', ...ORGANIZATION, '--replacement', 'DEV3');
  expect((await see(`/v1/tanks/${tankOne}`)).assigned_device_id).toBe('DEV1');
  expect((await see(`/v1/tanks/${tankTwo}`)).assigned_device_id).toBe('DEV3');

  await command('tanks', 'transfer', tankTwo, ...ORGANIZATION, '--to', 'K2');
  expect((await see(`/v1/tanks/${tankTwo}`)).owner_id).toBe(ben);

  const first = await command('devices', 'issue', 'DEV1', ...ORGANIZATION);
  expect(first).toMatchObject({ username: 'a0walk/DEV1', generation: 1 });
  expect(await command('devices', 'issue', 'DEV1', ...ORGANIZATION)).toEqual(first);
  // Without the secret nobody would see the new password, so the old one stays.
  const rotating = ['devices', 'rotate', 'DEV1', ...ORGANIZATION];
  expect((await runCommand(rotating, { DATABASE_URL: database.urls.operator })).stderr).toContain('DEVICE_SECRET');
  const second = await command('devices', 'rotate', 'DEV1', ...ORGANIZATION);
  expect([second.generation, second.password === first.password]).toEqual([2, false]);
  await command('devices', 'revoke', 'DEV1', ...ORGANIZATION);
  await expect(command('devices', 'issue', 'DEV1', ...ORGANIZATION)).rejects.toThrow(/is revoked; to allow it again/);
  expect(
    (await command('devices', 'list', ...ORGANIZATION)).map((device: { device_id: string }) => device.device_id),
  ).toEqual(['DEV1', 'DEV3']);

  await expect(command('customers', 'delete', 'K1', ...ORGANIZATION)).rejects.toThrow(/still owns 1 tank/);
  expect(await command('customers', 'delete', 'K1', ...ORGANIZATION, '--with-tanks', '--dry-run')).toMatchObject({
    dry_run: true,
    tanks: 1,
  });
  expect((await see(`/v1/customers/${ana}`)).deleted).toBeUndefined();
  await command('customers', 'delete', 'K1', ...ORGANIZATION, '--with-tanks');
  expect(await see(`/v1/customers/${ana}`)).toEqual({ id: ana, object: 'customer', deleted: true });

  const issued = (await command('audit', ...ORGANIZATION)).filter(
    ({ action }: Record<string, string>) => action === 'issue',
  );
  expect(issued.map(({ login, object, fields }: Record<string, string>) => [login, object, fields])).toEqual(
    Array.from({ length: 3 }, () => [`${database.name}_operator`, 'tank', 'device_password']),
  );
  const audit = await command('audit', ...ORGANIZATION, '--object', ana);
  expect(audit.map(({ actor, action, fields }: Record<string, string>) => [actor === 'olga', action, fields])).toEqual([
    [false, 'delete', expect.stringContaining('email')],
    [false, 'update', 'is_verified, verified_at'],
    [true, 'update', 'phone'],
    [true, 'create', ''],
  ]);
  const { rows } = await database.owner.query(
    `select from audit_log where (actor, object, fields)::text ~ 'ana@example|Puebla|123'`,
  );
  expect(rows).toEqual([]);
});

test('a rotated key and its successor both work for the overlap; without an overlap the old one is refused at once', async ({
  database,
  api,
}) => {
  const command = (...args: string[]) => run(database, ...args);
  await command('organizations', 'create', 'a0keys', '--name', 'Keys');
  const first = await command('keys', 'create', '--organization', 'a0keys', '--name', 'ERP');
  const second = await command('keys', 'rotate', first.key);
  const status = async (key: string): Promise<number> => (await api.call('/v1/tanks', { key })).status;
  expect([await status(first.key), await status(second.key)]).toEqual([200, 200]);
  const third = await command('keys', 'rotate', second.prefix, '--overlap-hours', '0');
  await within(1_000, () => expect.poll(() => status(second.key), { interval: 50 }).toBe(401));
  expect(await status(third.key)).toBe(200);
  const listed = await command('keys', 'list', '--organization', 'a0keys');
  expect(listed.map(({ prefix, state, ends_at }: Record<string, string>) => [prefix, state, ends_at !== null])).toEqual(
    [
      [third.prefix, 'live', false],
      [second.prefix, 'revoked', true],
      [first.prefix, 'live', true],
    ],
  );
  expect(JSON.stringify(listed)).not.toContain(third.key.split('.')[1]);
});

test('a key that replaces one with an end has the same end', async ({ database }) => {
  const command = (...args: string[]) => run(database, ...args);
  await command('organizations', 'create', 'a0ends', '--name', 'Ends');
  const expires = '2099-01-01T00:00:00.000Z';
  const first = await command('keys', 'create', '--organization', 'a0ends', '--name', 'Auditor', '--expires', expires);
  const second = await command('keys', 'rotate', first.prefix);
  expect(second).toMatchObject({ expires_at: expires });
  const listed = await command('keys', 'list', '--organization', 'a0ends');
  expect(listed[0]).toMatchObject({ prefix: second.prefix, ends_at: expires });
});

test('import reads standard input, reports bad rows on stderr with their lines, and ends with 1', async ({
  database,
}) => {
  await run(database, 'organizations', 'create', 'a0file', '--name', 'File');
  const text = 'external_key,email,name\nK1,a@example.com,Ana\nK2,nonsense,Ben\n';
  const environment = { DATABASE_URL: database.urls.operator };
  const imported = await tankwatch(['customers', 'import', '-', '--organization', 'a0file'], environment, text);
  expect([imported.code, imported.stdout, imported.stderr]).toEqual([
    1,
    '2 rows: 1 created, 0 updated, 0 unchanged, 1 bad\n',
    "email: 'nonsense' must be an e-mail address, line 3.\n",
  ]);
  const exported = await tankwatch(['customers', 'export', '--organization', 'a0file'], environment);
  expect(exported.stdout).toMatch(/^id,external_key,email,name,.*\n[0-9a-f-]{36},K1,a@example.com,Ana,/);
});

test('mistakes in several flags are named together', async ({ database }) => {
  await run(database, 'organizations', 'create', 'a0oops', '--name', 'Oops');
  const attempt = run(
    database,
    'tanks',
    'create',
    '--organization',
    'a0oops',
    '--owner',
    'K',
    '--capacity',
    '-1',
    '--use-case',
    'rocket',
  );
  await expect(attempt).rejects.toThrow(
    /--name is required; .*capacity must be a number from 0.001 to 1,000,000,000; use_case must be one of/,
  );
});
