import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { transaction } from '../../src/db/pool.ts';
import { type NewDutyPlan, readDutyPlan, readDutyWeek, setDutyPlan, whoIsOnDuty } from '../../src/duty/duty_plan.ts';
import { addContact, removeContact } from '../../src/mail/contacts.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenContact, organizationCodeOf } from '../support/fleet.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenManagedOrganization, test } from '../support/manage.ts';
import type { TestDatabase } from '../support/test.ts';

async function givenPeople({ operator, owner }: TestDatabase, organizationNo: number, timeZone: string) {
  await owner.query('update organizations set time_zone = $2 where no = $1', [organizationNo, timeZone]);
  const ids: Record<string, string> = {};
  for (const name of ['Dana', 'Marc', 'Priya'])
    ids[name] = (await givenContact(operator, organizationNo, { email: `${name.toLowerCase()}@example.com`, name })).id;
  return { dana: ids['Dana'] ?? '', marc: ids['Marc'] ?? '', priya: ids['Priya'] ?? '' };
}

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

function weekPlan({ dana, marc, priya }: { dana: string; marc: string; priya: string }): NewDutyPlan {
  return {
    shifts: [
      { weekdays: [1, 2, 3, 4, 5], from: '07:00', to: '19:00', contact_id: dana, next_contact_id: priya },
      { weekdays: EVERY_DAY, from: '19:00', to: '07:00', contact_id: marc, next_contact_id: null },
    ],
    exceptions: [{ from: '2026-11-19T07:00', to: '2026-11-19T19:00', contact_id: priya, next_contact_id: dana }],
  };
}

test('the plan covers shifts, nights, gaps, exceptions and both changes of the clock', async ({ database }) => {
  const { organizationNo } = await givenManagedOrganization(database);
  const people = await givenPeople(database, organizationNo, 'America/New_York');
  await transaction(database.operator, (tx) => setDutyPlan(operatorChange(tx, organizationNo), weekPlan(people)));
  const nameAt = async (time: string) => (await whoIsOnDuty(database.operator, organizationNo, time)).name;
  // It is Tuesday. Eastern Standard Time is five hours behind UTC.
  expect(await nameAt('2026-11-17T11:59:59Z')).toBe('Marc');
  expect(await nameAt('2026-11-17T12:00:00Z')).toBe('Dana');
  expect(await nameAt('2026-11-18T00:00:00Z')).toBe('Marc');
  // Thursday is an exception.
  expect(await whoIsOnDuty(database.operator, organizationNo, '2026-11-19T15:00:00Z')).toMatchObject({
    name: 'Priya',
    next_name: 'Dana',
    is_exception: true,
  });
  // Saturday at noon is a gap. The night of Friday until 07:00 and the night of Saturday are not.
  expect(await nameAt('2026-11-21T17:00:00Z')).toBeNull();
  expect(await nameAt('2026-11-21T11:00:00Z')).toBe('Marc');
  expect(await nameAt('2026-11-22T02:00:00Z')).toBe('Marc');
  // On November 1, 01:30 comes twice. On March 14, 02:30 does not exist. The night ends at 07:00 by the clock.
  for (const time of ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T11:59:00Z', '2027-03-14T10:59:00Z'])
    expect([time, await nameAt(time)]).toEqual([time, 'Marc']);
  expect(await nameAt('2027-03-14T11:01:00Z')).toBeNull();

  const week = await readDutyWeek(database.operator, organizationNo, '2026-11-16');
  expect(week.parts.map(({ name }) => name)).toEqual(
    // Monday begins with the rest of Sunday's night.
    [
      'Marc',
      'Dana',
      'Marc',
      'Dana',
      'Marc',
      'Dana',
      'Marc',
      'Priya',
      'Marc',
      'Dana',
      'Marc',
      null,
      'Marc',
      null,
      'Marc',
    ],
  );
  expect(week.parts.at(0)?.from).toBe('2026-11-16T05:00:00.000Z');
  // Sunday's night ends on Monday at 07:00.
  expect(week.parts.at(-1)).toMatchObject({ from: '2026-11-23T00:00:00.000Z', to: '2026-11-23T12:00:00.000Z' });

  await transaction(database.operator, (tx) => removeContact(operatorChange(tx, organizationNo), people.dana));
  expect(await nameAt('2026-11-17T15:00:00Z')).toBeNull();
});

test('a plan is set over HTTP and by command, its errors are named, and each change is in the audit log', async ({
  database,
  manage,
}) => {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const people = await givenPeople(database, organizationNo, 'Europe/Berlin');
  const empty = await manage.call(key, 'GET', '/duty');
  expect([empty.status, empty.json]).toEqual([200, expect.objectContaining({ shifts: [], now: expect.anything() })]);
  const plan = weekPlan(people);
  const dry = await manage.call(key, 'PUT', '/duty?dry_run=true', { body: plan });
  expect([dry.status, dry.json]).toEqual([200, expect.objectContaining({ shifts: plan.shifts })]);
  const stored = await manage.call(key, 'PUT', '/duty', { body: plan });
  expect([stored.status, stored.json]).toEqual([200, expect.objectContaining(plan)]);
  const week = await manage.call(key, 'GET', '/duty?from=2026-11-16');
  expect(week.json).toMatchObject({ week_from: '2026-11-16', time_zone: 'Europe/Berlin' });
  const { etag } = stored.json as { etag: string };
  const other = { ...plan, exceptions: [] };
  expect((await manage.call(key, 'PUT', '/duty', { body: other, ifMatch: etag })).status).toBe(200);
  expect((await manage.call(key, 'PUT', '/duty', { body: other, ifMatch: etag })).status).toBe(412);

  const [first] = plan.shifts;
  const wrong: [object, string][] = [
    [{ shifts: [first, { ...first, from: '18:00', to: '20:00' }], exceptions: [] }, 'overlap'],
    [{ shifts: [{ ...first, contact_id: '01989f31-7a11-7c55-9d20-6c1f4be0a3d2' }], exceptions: [] }, 'contacts'],
    [{ shifts: [{ ...first, to: '25:00' }], exceptions: [] }, 'times'],
    [{ shifts: [{ ...first, contact_id: null }], exceptions: [] }, 'before'],
    [{ shifts: [], exceptions: [{ ...plan.exceptions[0], to: '2026-11-19T06:00' }] }, 'end after'],
    [{ shifts: [], exceptions: [{ ...plan.exceptions[0], to: '2027-02-30T10:00' }] }, 'times'],
  ];
  for (const [body, word] of wrong) {
    const refused = await manage.call(key, 'PUT', '/duty', { body });
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([422, expect.stringContaining(word)]);
  }

  const file = join(tmpdir(), `plan-${organizationNo}.json`);
  const shifts = [{ weekdays: EVERY_DAY, from: '00:00', to: '00:00', contact_id: 'Marc@example.com' }];
  await writeFile(file, JSON.stringify({ shifts }));
  const environment = { DATABASE_URL: database.urls.operator };
  const set = await runCommand(['duty', 'set', file, '--organization', code], environment);
  expect(set).toMatchObject({ code: 0, stdout: 'stored 1 shifts and 0 exceptions\n' });
  const shown = await runCommand(['duty', 'show', '--organization', code, '--json'], environment);
  expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'Marc', contact_id: people.marc });
  await writeFile(file, JSON.stringify({ shifts, first_minutes: 30, repeat_minutes: null }));
  expect((await runCommand(['duty', 'set', file, '--organization', code], environment)).code).toBe(0);
  const { json: changed } = await manage.call(key, 'GET', '/duty');
  expect(changed).toMatchObject({ first_minutes: 30, repeat_minutes: null, next_minutes: 5 });
  await writeFile(file, JSON.stringify({ shifts, first_minutes: 121 }));
  const late = await runCommand(['duty', 'set', file, '--organization', code], environment);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('must be from 0 to 120')]);
  await writeFile(file, '{"first_minutes": 20}');
  expect(await runCommand(['duty', 'set', file, '--organization', code], environment)).toMatchObject({ code: 1 });
  await writeFile(file, '{"shifts": 1}');
  expect(await runCommand(['duty', 'set', file, '--organization', code], environment)).toMatchObject({ code: 1 });
  const { rows } = await database.owner.query(
    `select action, fields from audit_log where organization_no = $1 and object = 'duty_plan' order by no`,
    [organizationNo],
  );
  expect(rows).toEqual([
    { action: 'create', fields: [] },
    { action: 'update', fields: ['exceptions'] },
    { action: 'update', fields: ['shifts'] },
    { action: 'update', fields: ['first_minutes', 'repeat_minutes'] },
  ]);
});

test('a plan from a file names the contacts, and keeps the settings, of a change that is made meanwhile', async ({
  database,
}) => {
  const { operator, owner, urls } = database;
  const { organizationNo } = await givenManagedOrganization(database);
  const code = await organizationCodeOf(owner, organizationNo);
  const { marc } = await givenPeople(database, organizationNo, 'Europe/Berlin');
  const shift = { weekdays: EVERY_DAY, from: '00:00', to: '00:00', next_contact_id: null };
  const plan = { shifts: [{ ...shift, contact_id: marc }], exceptions: [] };
  await transaction(operator, (tx) => setDutyPlan(operatorChange(tx, organizationNo), plan));
  const file = join(tmpdir(), `plan-${organizationNo}.json`);
  await writeFile(file, JSON.stringify({ shifts: [{ ...shift, contact_id: 'marc@example.com' }] }));
  const waiting = await transaction(operator, async (tx) => {
    const change = operatorChange(tx, organizationNo);
    await setDutyPlan(change, { ...plan, repeat_minutes: 30 });
    await removeContact(change, marc);
    const newMarc = await addContact(change, { email: 'marc@example.com' });
    const done = runCommand(['duty', 'set', file, '--organization', code], { DATABASE_URL: urls.operator });
    await expectLockWaits(owner, 1);
    return { newMarc, done };
  });
  expect(await waiting.done).toMatchObject({ code: 0 });
  const { plan: stored } = await readDutyPlan(operator, organizationNo);
  expect(stored).toMatchObject({ repeat_minutes: 30, shifts: [{ contact_id: waiting.newMarc.id }] });
});
