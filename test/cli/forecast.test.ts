import { expect } from 'vitest';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { settle } from '../support/evaluation.ts';
import { givenCustomer, givenOrganization, givenTanks, organizationCodeOf } from '../support/fleet.ts';
import { iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

interface Fleet {
  ownerNo: number;
  nos: number[];
  ids: string[];
  run: (...args: string[]) => Promise<Finished>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever was printed
  json: (...args: string[]) => Promise<any>;
}

/** An organization with a tank for each of these names and thresholds, and the command line for it. */
async function givenThresholds(database: TestDatabase, tanks: readonly (readonly [string, number])[]): Promise<Fleet> {
  const organizationNo = await givenOrganization(database.operator);
  const organization = await organizationCodeOf(database.owner, organizationNo);
  const owner = await givenCustomer(database.operator, organizationNo);
  const wanted = tanks.map(([name, min_fill_alert_percentage]) => ({ name, min_fill_alert_percentage }));
  const created = await givenTanks(database.operator, organizationNo, owner.no, wanted);
  const run = (...args: string[]): Promise<Finished> =>
    runCommand([...args, '--organization', organization], { DATABASE_URL: database.urls.operator });
  return {
    ownerNo: owner.no,
    nos: created.map(({ no }) => no),
    ids: created.map(({ id }) => id),
    run,
    async json(...args) {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
  };
}

type Series = readonly { atMs: number; fillPercentage: number }[];

const READINGS_END_MS = Date.UTC(2026, 5, 1);

/** Readings every six hours, with noisy use, and refills below a random level. */
function noisyReadings(days: number, seed: number): Series {
  const random = new Random(seed);
  let fill = random.between(30, 80);
  let truckBelow = random.between(3, 40);
  return Array.from({ length: days * 4 }, (_, n) => {
    fill -= random.between(0, 1.2);
    if (fill < truckBelow) [fill, truckBelow] = [random.between(50, 85), random.between(3, 40)];
    const fillPercentage = Math.round(Math.max(0, fill + random.noise(1)) * 100) / 100;
    return { atMs: READINGS_END_MS - (days * 4 - n) * 6 * HOUR_MS, fillPercentage };
  });
}

/** Readings that fall by `pointsPerDay`. The last one is `untilDaysAgo` old. */
const falling = (from: number, pointsPerDay: number, untilDaysAgo = 0): Series =>
  Array.from({ length: 80 }, (_, n) => ({
    atMs: Date.now() - untilDaysAgo * DAY_MS - (79 - n) * 6 * HOUR_MS,
    fillPercentage: Math.round((from - (n * pointsPerDay) / 4) * 100) / 100,
  }));

const store = (database: TestDatabase, tankNo: number | undefined, series: Series) =>
  new BatchIngester(database.writer).ingestReadings(series.map((reading) => ({ tankNo: tankNo ?? 0, ...reading })));

async function recordedLows(database: TestDatabase, tankNo: number | undefined, since: string): Promise<string[]> {
  const { rows } = await database.owner.query<{ occurred_at: string }>(
    `select occurred_at from events
     where tank_no = $1 and type = 'tank.low_fill' and occurred_at >= $2 and retracted_at is null order by occurred_at`,
    [tankNo, since],
  );
  return rows.map((row) => row.occurred_at);
}

test('a dry run lists the alerts that a tank with that threshold has on record', async ({ database }) => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const tried = await givenThresholds(
    database,
    seeds.map((seed) => [`Tank ${seed}`, 15]),
  );
  const twins = await givenThresholds(
    database,
    seeds.map((seed) => [`Twin ${seed}`, 35]),
  );
  const histories = seeds.map((seed) => noisyReadings(240, seed));
  // A low last reading, which no other follows, is confirmed by time and counts as well.
  histories[0] = [...(histories[0] ?? []), { atMs: READINGS_END_MS, fillPercentage: 4 }];
  for (const [index, readings] of histories.entries()) {
    await store(database, tried.nos[index], readings);
    await store(database, twins.nos[index], readings);
  }
  await settle(database);

  const since = iso(READINGS_END_MS - 90 * DAY_MS);
  const result = await tried.json('alerts', 'dry-run', '--threshold', '35', '--since', since);
  const expected = await Promise.all(
    seeds.map(async (_, index) => ({
      tank_id: tried.ids[index],
      fired_at: await recordedLows(database, twins.nos[index], since),
      own_threshold_percentage: 15,
      own_fired_at: await recordedLows(database, tried.nos[index], since),
    })),
  );
  expect(result.by_tank).toMatchObject(expected);
  expect(result.by_tank[0].fired_at.at(-1)).toBe(iso(READINGS_END_MS + 30 * HOUR_MS));
  expect(result).toMatchObject({
    threshold_percentage: 35,
    since,
    tanks: 6,
    fired: expected.flatMap((tank) => tank.fired_at).length,
    own_fired: expected.flatMap((tank) => tank.own_fired_at).length,
  });
  expect(result.fired).toBeGreaterThan(10);
  expect(result.own_fired).toBeGreaterThan(3);
  expect(result.own_fired).not.toBe(result.fired);

  const before = await database.owner.query('select count(*) as n from events');
  const { stdout } = await tried.run('alerts', 'dry-run', '--threshold', '35', '--since', since);
  const days = (times: readonly string[] = []): string => [...new Set(times.map((at) => at.slice(0, 10)))].join(', ');
  expect(stdout).toContain(
    `Tank 1: ${expected[0]?.fired_at.length} alerts with 35 %, on ${days(expected[0]?.fired_at)}; `,
  );
  expect(stdout).toMatch(
    /\nwith 35 %: \d+ alerts on 6 of 6 tanks; with their own thresholds: \d+ alerts? on \d tanks?\n$/,
  );
  expect((await database.owner.query('select count(*) as n from events')).rows).toEqual(before.rows);

  const [firstId] = tried.ids;
  const alone = await tried.json('alerts', 'dry-run', '--threshold', '35', '--since', since, '--tank', firstId ?? '');
  expect([alone.tanks, alone.by_tank]).toEqual([1, [result.by_tank[0]]]);
  const same = await tried.json('alerts', 'dry-run', '--threshold', '15', '--since', since);
  expect([same.fired, same.own_fired]).toEqual([result.own_fired, result.own_fired]);
  const none = await tried.run('alerts', 'dry-run', '--threshold', '0', '--since', iso(Date.now()));
  expect(none.stdout).toBe('with 0 %: 0 alerts on 0 of 6 tanks; with their own thresholds: 0 alerts on 0 tanks\n');
});

test('a forecast lists the tanks to refill next, with what a dispatcher needs, as a table, JSON and CSV', async ({
  database,
}) => {
  const fleet = await givenThresholds(database, [
    ['Never', 20],
    ['Silent', 20],
    ['Later', 20],
    ['Low', 20],
    ['Soon', 20],
    ['Unevaluated', 20],
  ]);
  const [, silent, later, low, soon, unevaluatedNo] = fleet.nos;
  await store(database, silent, falling(60, 1, 5));
  await store(database, later, falling(90, 1));
  await store(database, low, falling(40, 1.2));
  await store(database, soon, falling(60, 1.5));
  const unevaluated = falling(50, 1).map((reading) => ({ tankNo: unevaluatedNo ?? 0, ...reading }));
  await new BatchIngester(database.writer, { isEvaluating: false }).ingestReadings(unevaluated);
  await database.owner.query(
    `update tanks set street = 'Hidalgo', street_number = '4', city = 'Celaya', custom_id = 'T-7' where no = $1`,
    [soon],
  );
  await database.owner.query(`update customers set name = '=Ana', phone = '+52 461 1' where no = $1`, [fleet.ownerNo]);

  // No writer has fired timers. Only the clock shows that a tank is silent.
  const all = await fleet.json('tanks', 'forecast');
  expect(all.map((row: { tank: string; reason: string | null }) => [row.tank, row.reason])).toEqual([
    ['Low', null],
    ['Soon', null],
    ['Silent', 'silent'],
    ['Later', null],
    ['Never', 'no reading yet'],
    ['Unevaluated', 'not evaluated yet'],
  ]);
  const [first, second, third, , fifth] = all;
  expect(first.days_to_threshold.likely).toBe(0);
  // From 30.4 % with 1.5 points a day, it is 7 days to the threshold, and 20 days to empty.
  expect(second).toMatchObject({ customer: '=Ana', phone: '+52 461 1', street: 'Hidalgo', city: 'Celaya' });
  expect(second).toMatchObject({ custom_id: 'T-7', capacity: 500, is_gauge_reliable: true, waiting: [] });
  expect(second.fill_percentage).toBeCloseTo(30.4, 0);
  expect(second.volume_left).toBeCloseTo(5 * second.fill_percentage, 5);
  expect(second.room).toBeCloseTo(400 - second.volume_left, 5);
  expect(second.use_points_per_day).toBeCloseTo(1.5, 1);
  expect(second.days_to_threshold.likely).toBeGreaterThan(6);
  expect(second.days_to_threshold.likely).toBeLessThan(8);
  expect(second.days_to_threshold.earliest).toBeLessThan(second.days_to_threshold.likely);
  expect(second.days_to_threshold.latest).toBeGreaterThan(second.days_to_threshold.likely);
  expect(second.days_to_empty.likely).toBeGreaterThan(18);
  expect(second.days_to_empty.likely).toBeLessThan(23);
  expect(Date.now() - Date.parse(second.as_of)).toBeLessThan(5 * 60_000);
  expect(second.reading_age_hours).toBeLessThan(0.2);
  expect(third.reading_age_hours).toBeCloseTo(120, 0);
  expect(fifth).toMatchObject({ fill_percentage: null, days_to_threshold: null, as_of: null, reading_at: null });

  const { stdout } = await fleet.run('tanks', 'forecast', '--limit', '3', '--fill-to', '90');
  expect(stdout).toMatch(/^customer +phone +place +custom_id .* room_to_90 +days_to_threshold/);
  expect(stdout).toMatch(/\n=Ana .* Low .* 0 +\d+(\.\d)? \(/);
  expect(stdout).toMatch(
    /\n=Ana +\+52 461 1 +Hidalgo 4, Celaya +T-7 +Soon .* [67]\.\d \(\d\.\d to \d+\.\d\) .* 0 h +-\n/,
  );
  expect(stdout).toMatch(/Silent .* was 40\.25 +- +- +\d+\.\d \(.* 5 d +silent\n/);
  expect(stdout).toContain('and 3 more; use --limit to show more');

  const csv = await fleet.run(
    'tanks',
    'forecast',
    '--within',
    '14',
    '--city',
    'celaya',
    '--csv',
    '--excel-safe',
    '--bom',
  );
  const [header, row, ...rest] = csv.stdout.trimEnd().split('\n');
  expect(header).toMatch(/^\uFEFFcustomer,phone,street,.*,room,.*,days_to_threshold,days_to_threshold_earliest,/);
  expect(row).toMatch(/^'=Ana,'\+52 461 1,Hidalgo,4,,Celaya,.*,T-7,Soon,/);
  expect(row?.split(',')).toHaveLength(header?.split(',').length ?? 0);
  expect(rest).toEqual([]);
});

test('mistakes in a dry run or a forecast are reported in a sentence', async ({ database }) => {
  const { run } = await givenThresholds(database, []);
  const dryRun = ['alerts', 'dry-run', '--since', '2026-01-01T00:00:00Z', '--threshold'];
  const mistakes: [string[], RegExp][] = [
    [[...dryRun, '130'], /must be a whole number from 0 to 100/],
    [[...dryRun, '30', '--tank', 'NOBODY'], /there is no tank with the id or device NOBODY/],
    [['alerts', 'dry-run', '--threshold', '30'], /required option '--since <time>'/],
    [['tanks', 'forecast', '--within', 'soon'], /Must be a whole number of days/],
    [['tanks', 'forecast', '--fill-to', '101'], /Must be a whole number from 1 to 100/],
  ];
  for (const [args, message] of mistakes) {
    const { code, stderr } = await run(...args);
    expect([args.join(' '), code]).toEqual([args.join(' '), 1]);
    expect(stderr).toMatch(message);
  }
});
