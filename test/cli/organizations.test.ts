import { expect } from 'vitest';
import { createOrganization } from '../../src/catalog/organizations.ts';
import { chooseSlot, codeFromName } from '../../src/catalog/slots.ts';
import { transaction } from '../../src/db/pool.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { type TestDatabase, test } from '../support/test.ts';

async function create(database: TestDatabase, settings: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['organizations', 'create', ...args], {
    DATABASE_URL: database.urls.operator,
    ...settings,
  });
  return code === 0 ? stdout : stderr;
}

test('without a code, every organization gets a slot of its own, so that it can move to another cell alone', async ({
  database,
}) => {
  const names = ['Gas del Valle', 'Ñandú S.A. de C.V.', '日本ガス'];
  const printed = [];
  for (const name of names) printed.push(await create(database, {}, '--name', name));
  expect(printed).toEqual([
    'created the organization a0gasdelvalle\n',
    'created the organization a1nandusadecv\n',
    'created the organization a2org\n',
  ]);
});

test('two commands at the same moment do not choose the same slot', async ({ database }) => {
  const slots = ['m0', 'm1', 'm2', 'm3'];
  const createNamed = (name: string) =>
    transaction(database.operator, async (tx) =>
      createOrganization(tx, { code: codeFromName(await chooseSlot(tx, slots), name), name }),
    );
  await Promise.all(['one', 'two', 'three', 'four'].map(createNamed));
  const { rows } = await database.owner.query<{ slot: string }>(
    `select left(code, 2) as slot from organizations where code ~ '^m' order by code`,
  );
  expect(rows.map(({ slot }) => slot)).toEqual(slots);
});

test('when every slot of the installation is taken, the least used one is shared, and the command says so', async ({
  database,
}) => {
  const settings = { SLOTS: 'c8,ca-cb' };
  const made = [];
  for (const name of ['One', 'Two', 'Three', 'Four'])
    made.push(await create(database, settings, '--name', name, '--json'));
  expect(made.map((line) => JSON.parse(line).code)).toEqual(['c8one', 'catwo', 'cbthree', 'c8four']);
  expect(await create(database, settings, 'cafive', '--name', 'Five')).toBe(
    'created the organization cafive\n' +
      'It shares the slot ca with catwo. They can move to another cell only together.\n',
  );
});

test('a deleted organization does not occupy its slot', async ({ database }) => {
  const settings = { SLOTS: 'd0-d1' };
  for (const name of ['One', 'Two']) await create(database, settings, '--name', name);
  await database.owner.query(`update organizations set deleted_at = now() where code = 'd1two'`);
  expect(await create(database, settings, '--name', 'Three')).toBe('created the organization d1three\n');
});

test('a given code begins with a slot of the installation, or with that of --slot', async ({ database }) => {
  expect(await create(database, {}, 'azgas', '--name', 'Gas')).toBe('created the organization azgas\n');
  expect(await create(database, {}, 'b0gas', '--name', 'Gas')).toContain(
    'the code must be 3 to 16 lower-case letters and digits that begin with a slot of this installation (a0-az); ' +
      'choose another with --slot.',
  );
  expect(await create(database, {}, 'b0gas', '--slot', 'b0', '--name', 'Gas')).toBe('created the organization b0gas\n');
  // Without SLOTS, an installation with a SLOT uses no other slot, because its router does not know others.
  expect(await create(database, { SLOT: 'k3' }, 'k4gas', '--name', 'Gas')).toContain('of this installation (k3)');
  expect(await create(database, { SLOT: 'k3' }, '--name', 'Gas')).toBe('created the organization k3gas\n');
  expect(await create(database, {}, '--slot', 'k9', '--name', 'Gas')).toBe('created the organization k9gas\n');
});

test('SLOTS is a list of slots and ranges', async ({ database }) => {
  for (const SLOTS of ['a', 'A0', 'a0-', 'b0-a0', 'a0,,b0'])
    expect(await create(database, { SLOTS }, '--name', 'Gas'), SLOTS).toContain(
      'SLOTS must be slots and ranges of slots, such as a0-a9,b0',
    );
});

test('an option that removes a value of an organization removes it', async ({ database }) => {
  await create(
    database,
    { SLOTS: 'e0' },
    'e0gas',
    '--name',
    'Gas',
    '--phone',
    '+52 461 555 0100',
    '--reply-to',
    'gas@example.com',
  );
  const update = async (...args: string[]): Promise<string> => {
    const settings = { DATABASE_URL: database.urls.operator };
    const { stdout, stderr } = await runCommand(['organizations', 'update', 'e0gas', ...args], settings);
    return stdout + stderr;
  };
  await update('--readings-per-second', '5000', '--telemetry-days', '1095', '--emergency-phone', '911');
  await update('--safety-steps', 'Leave the house', 'Call us');
  const removing = ['--readings-per-second=default', '--telemetry-days=default', '--phone=', '--reply-to='];
  removing.push('--emergency-phone=', '--safety-steps=');
  for (const option of removing) expect(await update(option)).toBe('changed the organization e0gas\n');
  const { rows } = await database.owner.query(
    `select readings_per_second, telemetry_days, phone, reply_to, emergency_phone, safety_steps from organizations where code = 'e0gas'`,
  );
  expect(rows).toEqual([
    {
      readings_per_second: null,
      telemetry_days: null,
      phone: null,
      reply_to: null,
      emergency_phone: null,
      safety_steps: null,
    },
  ]);
});
