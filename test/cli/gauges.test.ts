import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenOrganization, organizationCodeOf } from '../support/fleet.ts';
import { givenFolder } from '../support/folder.ts';
import { type TestDatabase, test } from '../support/test.ts';

const run = (database: TestDatabase, ...args: string[]): Promise<Finished> =>
  runCommand(['gauges', ...args], { DATABASE_URL: database.urls.operator });

async function givenOrganizationCode(database: TestDatabase): Promise<string> {
  return organizationCodeOf(database.owner, await givenOrganization(database.operator));
}

test('a message is tried with a profile of Tankwatch or of a file, without a database', async () => {
  const attempt = (...args: string[]): Promise<Finished> => runCommand(['gauges', 'try', ...args], {});
  const good = await attempt('0ceb 0aef 0000 0001', '--profile', 'dragino-ldds75', '--port', '2', '--json');
  expect(JSON.parse(good.stdout)).toMatchObject({
    readings: [{ device_id: 'DEVICE', distance_mm: 2_799 }],
    rejected: [],
    health: [{ battery_v: 3.307 }],
  });
  const none = await attempt('0bb80000000000ff', '--profile', 'dragino-ldds75', '--port', '2', '--device', 'TANK-7');
  expect(none.stdout).toContain(
    'rejected: device_id: TANK-7, code: no_reading, detail: The device could not measure: "no sensor".',
  );
  const folder = await givenFolder();
  const file = join(folder, 'mine.json');
  await writeFile(
    file,
    JSON.stringify({
      profile: 'mine',
      maker: 'Me',
      device: 'Mine',
      input: 'json',
      frames: [
        { device: '{id}', fields: { percent: { path: 'level' }, _state: { path: 'state' }, alarm: { path: 'alarm' } } },
      ],
    }),
  );
  const message = join(folder, 'message.json');
  await writeFile(message, '{"id": 7, "level": "45 %", "state": 3, "alarm": "theft"}');
  const { stdout } = await attempt(message, '--profile', file);
  expect(stdout).toContain('readings: device_id: 7, fill_percentage: 45');
  expect(stdout).toContain('others: alarm: theft, state: 3');
  await writeFile(file, (await readFile(file, 'utf8')).replace('percent', 'procent'));
  expect(await attempt(message, '--profile', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('frames/0/fields/procent: no such quantity'),
  });
  expect((await attempt('00', '--profile', 'nothing')).stderr).toContain('tankwatch gauges list');
});

test('a message can be typed as network servers and manuals show it, and mistakes in a file are named', async () => {
  const file = join(await givenFolder(), 'mine.json');
  const attempt = (...args: string[]): Promise<Finished> =>
    runCommand(['gauges', 'try', ...args, '--profile', file], {});
  const given = (profile: object): Promise<void> =>
    writeFile(file, JSON.stringify({ profile: 'mine', maker: 'Me', device: 'Mine', ...profile }));
  const fields = { percent: { at: 1, type: 'u8', scale: 0.5 } };
  await given({ input: 'bytes', frames: [{ when: { port: 3, length: 3 }, fields }] });
  for (const typed of ['015b00', '01 5b 00', '0x015b00', '01:5B:00', '0x01, 0x5b, 0x00', 'AVsA'])
    expect([typed, (await attempt(typed, '--port', '3')).stdout]).toEqual([
      typed,
      expect.stringContaining('fill_percentage: 45.5'),
    ]);
  expect((await attempt('015b00')).stdout).toContain('give it with --port');
  expect((await attempt('no such file')).stderr).toContain('there is no such file');

  await given({ input: 'json', frames: [{ fields: { percent: { path: 'a.b' } } }] });
  expect((await attempt('{"a": {"b": 45.5}}')).stdout).toContain('fill_percentage: 45.5');
  await given({ input: 'text', split: ';', frames: [{ device: '{0}', fields: { percent: { part: 1 } } }] });
  expect((await attempt('T-7;45.5')).stdout).toContain('device_id: T-7, fill_percentage: 45.5');
  expect((await attempt('message.txt')).stderr).toContain('there is no such file');

  await given({ input: 'json', frames: [{ fields: { distance_inch: { path: 'a' } } }] });
  expect((await attempt('{}')).stderr).toBe(
    `tankwatch: ${file} is not a profile:\n  frames/0/fields/distance_inch: no such quantity; there is distance_mm, ` +
      'distance_cm, distance_m, distance_in; begin the name of another value with _\n',
  );
  await writeFile(file, '{"profile": "mine",}');
  expect((await attempt('{}')).stderr).toMatch(/mine\.json is not valid JSON: .*position 19/);
});

test('a distance is tried with the form of a tank, and the output says what is missing', async () => {
  const file = join(await givenFolder(), 'mine.json');
  const attempt = async (message: string, ...args: string[]): Promise<string> =>
    (await runCommand(['gauges', 'try', message, '--port', '10', '--profile', file, ...args], {})).stdout;
  const fields = {
    distance_mm: { at: 1, type: 'u16be', none: { '65535': 'no echo' } },
    battery_low: { at: 3, type: 'u16be', below: 3_100 },
  };
  const heartbeat = { battery_low: { at: 1, type: 'u16be', below: 3_100 } };
  await writeFile(
    file,
    JSON.stringify({
      profile: 'mine',
      maker: 'Me',
      device: 'Mine',
      input: 'bytes',
      frames: [
        { when: { port: 10, bytes: { '0': '21' } }, fields: { ...fields, _quality: { at: 0, type: 'u8' } } },
        { when: { port: 10, bytes: { '0': '22' } }, fields: heartbeat },
      ],
    }),
  );
  const tank = '--form horizontal_cylinder --diameter-mm 1250 --length-mm 2000 --heads flat --offset-mm 60'.split(' ');
  expect(await attempt('2103c00c1b', ...tank)).toMatch(
    /distance_mm: 960, level_percentage: 22\.9\d*, .*[^]*is_battery_low: true/,
  );
  expect(await attempt('2103c00c1c')).toContain('is_battery_low: false');
  expect(await attempt('2107d00c1c', ...tank)).toContain('check the shape and the offset of the gauge');
  expect(await attempt('2103')).toContain('There is no level: distance_mm is not in the message');
  expect(await attempt('220c1b')).not.toContain('There is no level');
  expect(await attempt('2303c0')).toContain(
    'fits no frame of the profile mine, which has frames for 21 at byte 0 or 22 at byte 0.',
  );
});

test('an organization adds a profile, assigns it, and removes both', async ({ database }) => {
  const organization = ['--organization', await givenOrganizationCode(database)];
  const file = join(await givenFolder(), 'ldds75.json');
  const { stdout } = await run(database, 'show', 'dragino-ldds75');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(stdout) as object), profile: 'my-ldds75', models: [] }));
  expect((await run(database, 'add', file, ...organization, '--dry-run')).stdout).toContain('nothing was changed');
  expect((await run(database, 'add', file, ...organization)).stdout).toContain('added the profile my-ldds75');
  expect((await run(database, 'add', file, ...organization)).stdout).toContain('replaced the profile my-ldds75');
  const listed = JSON.parse((await run(database, 'list', ...organization, '--json')).stdout) as { profile: string }[];
  expect([listed.length, listed[0]?.profile]).toEqual([26, 'my-ldds75']);

  const assign = (...args: string[]) => run(database, 'assign', ...args, ...organization);
  expect((await assign('device=a84041*', 'my-ldds75')).stdout).toContain('device=A84041* is read by my-ldds75');
  expect(
    (await assign('device=a84041*', 'tekelek-tek766', '--interval-minutes', '60', '--period-minutes', '180')).code,
  ).toBe(0);
  expect((await assign('model=x', 'my-ldds75')).code).toBe(0);
  const wrong: [string[], string][] = [
    [['serial=1', 'my-ldds75'], 'selector must be topic=oil'],
    [['model=dragino/*', 'my-ldds75'], 'with * only at the end of a device'],
    [['device=1', 'nothing'], 'there is no such gauge profile; see: tankwatch gauges list'],
    [['device=1', 'my-ldds75', '--interval-minutes', '60'], 'give both'],
    [['device=1', 'my-ldds75', '--interval-minutes', '60', '--period-minutes', '50000'], 'minutes from 1 to 44640'],
    [['device=1', 'my-ldds75', '--interval-minutes', '100000', '--period-minutes', '60'], 'minutes from 1 to 10080'],
  ];
  for (const [args, reason] of wrong)
    expect([args, await assign(...args)]).toMatchObject([args, { code: 1, stderr: expect.stringContaining(reason) }]);
  const assigned = await run(database, 'assignments', ...organization, '--json');
  expect(JSON.parse(assigned.stdout)).toMatchObject([
    { selector: 'device=A84041*', profile: 'tekelek-tek766', settings: { interval_minutes: 60, period_minutes: 180 } },
    { selector: 'model=x', profile: 'my-ldds75', settings: null },
  ]);

  const inUse = await run(database, 'remove', 'my-ldds75', ...organization);
  expect(inUse).toMatchObject({ code: 1, stderr: expect.stringContaining('is assigned to model=x') });
  expect((await run(database, 'unassign', 'model=X', ...organization)).code).toBe(0);
  expect((await run(database, 'unassign', 'model=x', ...organization)).code).toBe(1);
  expect((await run(database, 'remove', 'my-ldds75', ...organization)).code).toBe(0);
  const { rows: kept } = await database.owner.query(
    `select definition as content from gauge_profiles where deleted_at is not null
     union all select settings from profile_assignments where deleted_at is not null`,
  );
  expect(kept).toEqual([{ content: {} }, { content: null }]);
  // The profile can be added again, and each change is in the audit log.
  expect((await run(database, 'add', file, ...organization)).stdout).toContain('added');
  const { rows } = await database.owner.query<{ what: string }>(
    `select object || ' ' || action as what from audit_log where object in ('gauge_profile', 'profile_assignment') order by no`,
  );
  expect(rows.map(({ what }) => what)).toEqual([
    'gauge_profile create',
    'profile_assignment create',
    'profile_assignment update',
    'profile_assignment create',
    'profile_assignment delete',
    'gauge_profile delete',
    'gauge_profile create',
  ]);
});

test('an organization that adds and deletes profiles in a loop is refused', async ({ database }) => {
  const code = await givenOrganizationCode(database);
  const file = join(await givenFolder(), 'loop.json');
  const { stdout } = await run(database, 'show', 'oilfox');
  await writeFile(file, stdout);
  const givenDeleted = (age: string) =>
    database.owner.query(
      `insert into gauge_profiles (organization_no, profile, definition, deleted_at)
       select no, $2 || n, '{}', now() - $3::interval from organizations cross join generate_series(1, 1000) as n where code = $1`,
      [code, age.replaceAll(' ', ''), age],
    );
  await givenDeleted('31 days');
  expect((await run(database, 'add', file, '--organization', code)).code).toBe(0);
  expect((await run(database, 'remove', 'oilfox', '--organization', code)).code).toBe(0);
  await givenDeleted('1 day');
  expect(await run(database, 'add', file, '--organization', code)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has deleted too many profiles of gauges in the last 30 days'),
  });
});

test('the profiles of a deleted organization are deleted with it', async ({ database }) => {
  const code = await givenOrganizationCode(database);
  const file = join(await givenFolder(), 'x.json');
  const { stdout } = await run(database, 'show', 'oilfox');
  await writeFile(file, stdout);
  await run(database, 'add', file, '--organization', code);
  await run(database, 'assign', 'device=1', 'oilfox', '--organization', code);
  await database.operator.query('update organizations set deleted_at = now() where code = $1', [code]);
  const { rows } = await database.owner.query(
    `select from gauge_profiles join organizations o on o.no = organization_no where o.code = $1
     union all select from profile_assignments join organizations o on o.no = organization_no where o.code = $1`,
    [code],
  );
  expect(rows).toEqual([]);
});
