import { expect } from 'vitest';
import { evaluateTimers, reevaluateTanks } from '../../src/evaluation/reevaluate_tanks.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { Random } from '../../src/simulation/random.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { type Finished, tankwatch } from '../support/cli.ts';
import { givenCustomer, givenOrganization, givenTanks } from '../support/fleet.ts';
import { iso } from '../support/readings.ts';
import { type TestDatabase, test } from '../support/test.ts';

interface Fleet {
  nos: number[];
  ids: string[];
  run: (...args: string[]) => Promise<Finished>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever was printed
  json: (...args: string[]) => Promise<any>;
}

/** An organization with a tank for each of these names and thresholds, and the command line for it. */
async function givenThresholds(database: TestDatabase, tanks: readonly (readonly [string, number])[]): Promise<Fleet> {
  const organizationNo = await givenOrganization(database.operator);
  const { rows } = await database.owner.query<{ code: string }>('select code from organizations where no = $1', [
    organizationNo,
  ]);
  const owner = await givenCustomer(database.operator, organizationNo);
  const wanted = tanks.map(([name, min_fill_alert_percentage]) => ({ name, min_fill_alert_percentage }));
  const created = await givenTanks(database.operator, organizationNo, owner.no, wanted);
  const run = (...args: string[]): Promise<Finished> =>
    tankwatch([...args, '--organization', rows[0]?.code ?? ''], { DATABASE_URL: database.urls.operator });
  return {
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

const LIVED_UNTIL_MS = Date.UTC(2026, 5, 1);

/** Use with noise and a truck when somebody remembers, every six hours. */
function livesFor(days: number, seed: number): Series {
  const random = new Random(seed);
  let fill = random.between(30, 80);
  let truckBelow = random.between(3, 40);
  return Array.from({ length: days * 4 }, (_, n) => {
    fill -= random.between(0, 1.2);
    if (fill < truckBelow) [fill, truckBelow] = [random.between(50, 85), random.between(3, 40)];
    const fillPercentage = Math.round(Math.max(0, fill + random.noise(1)) * 100) / 100;
    return { atMs: LIVED_UNTIL_MS - (days * 4 - n) * 6 * HOUR_MS, fillPercentage };
  });
}

/** From a fill down by so many points a day, the last reading so many days ago. */
const falling = (from: number, pointsPerDay: number, untilDaysAgo = 0): Series =>
  Array.from({ length: 80 }, (_, n) => ({
    atMs: Date.now() - untilDaysAgo * DAY_MS - (79 - n) * 6 * HOUR_MS,
    fillPercentage: Math.round((from - (n * pointsPerDay) / 4) * 100) / 100,
  }));

const store = (database: TestDatabase, tankNo: number | undefined, series: Series) =>
  new BatchIngester(database.writer).ingestReadings(series.map((reading) => ({ tankNo: tankNo ?? 0, ...reading })));

async function settle(database: TestDatabase): Promise<void> {
  while ((await reevaluateTanks(database.writer, 50)) > 0);
  while ((await evaluateTimers(database.writer, 50)) > 0);
}

async function recordedLows(database: TestDatabase, tankNo: number | undefined, since: string): Promise<string[]> {
  const { rows } = await database.owner.query<{ occurred_at: string }>(
    `select occurred_at from events
     where tank_no = $1 and type = 'tank.low_fill' and occurred_at >= $2 and retracted_at is null order by occurred_at`,
    [tankNo, since],
  );
  return rows.map((row) => row.occurred_at);
}

test('a dry run tells the alerts that a tank with that threshold has on record', { timeout: 60_000 }, async ({
  database,
}) => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const tried = await givenThresholds(
    database,
    seeds.map((seed) => [`Tank ${seed}`, 15]),
  );
  const twins = await givenThresholds(
    database,
    seeds.map((seed) => [`Twin ${seed}`, 35]),
  );
  const lives = seeds.map((seed) => livesFor(240, seed));
  // What the clock alone confirms counts as well: a last reading that none follows.
  lives[0] = [...(lives[0] ?? []), { atMs: LIVED_UNTIL_MS, fillPercentage: 4 }];
  for (const [at, life] of lives.entries()) {
    await store(database, tried.nos[at], life);
    await store(database, twins.nos[at], life);
  }
  await settle(database);

  const since = iso(LIVED_UNTIL_MS - 90 * DAY_MS);
  const result = await tried.json('alerts', 'dry-run', '--threshold', '35', '--since', since);
  const expected = await Promise.all(
    seeds.map(async (_, at) => ({
      tank_id: tried.ids[at],
      fired_at: await recordedLows(database, twins.nos[at], since),
      own_threshold_percentage: 15,
      own_fired_at: await recordedLows(database, tried.nos[at], since),
    })),
  );
  expect(result.by_tank).toMatchObject(expected);
  expect(result.by_tank[0].fired_at.at(-1)).toBe(iso(LIVED_UNTIL_MS + 30 * HOUR_MS));
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
    `Tank 1: would have fired ${expected[0]?.fired_at.length} times, on ${days(expected[0]?.fired_at)}; its own 15 % `,
  );
  expect(stdout).toMatch(
    /\n35 % would have fired \d+ times, on 6 of 6 tanks; their own thresholds \d+ times, on \d\n$/,
  );
  expect((await database.owner.query('select count(*) as n from events')).rows).toEqual(before.rows);

  const [one] = tried.ids;
  const alone = await tried.json('alerts', 'dry-run', '--threshold', '35', '--since', since, '--tank', one ?? '');
  expect([alone.tanks, alone.by_tank]).toEqual([1, [result.by_tank[0]]]);
  const same = await tried.json('alerts', 'dry-run', '--threshold', '15', '--since', since);
  expect([same.fired, same.own_fired]).toEqual([result.own_fired, result.own_fired]);
  const none = await tried.run('alerts', 'dry-run', '--threshold', '0', '--since', iso(Date.now()));
  expect(none.stdout).toBe('0 % would have fired 0 times, on 0 of 6 tanks; their own thresholds 0 times, on 0\n');
});

test('a forecast has the soonest at its threshold first, and at the end those of which nobody can tell', {
  timeout: 60_000,
}, async ({ database }) => {
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

  // No writer has ticked: that one is silent says the clock alone.
  const all = await fleet.json('tanks', 'forecast');
  expect(all.map((row: { tank: string; reason: string | null }) => [row.tank, row.reason])).toEqual([
    ['Low', null],
    ['Soon', null],
    ['Later', null],
    ['Silent', 'silent'],
    ['Never', 'no reading yet'],
    ['Unevaluated', 'not evaluated yet'],
  ]);
  const [first, second, , fourth, fifth] = all;
  expect(first.days_to_threshold.likely).toBe(0);
  // At 30.4 with 1.5 points a day: 7 days to 20 %, 20 to the end.
  expect(second.fill_percentage).toBeCloseTo(30.4, 0);
  expect(second.use_points_per_day).toBeCloseTo(1.5, 1);
  expect(second.days_to_threshold.likely).toBeGreaterThan(6);
  expect(second.days_to_threshold.likely).toBeLessThan(8);
  expect(second.days_to_threshold.earliest).toBeLessThan(second.days_to_threshold.likely);
  expect(second.days_to_threshold.latest).toBeGreaterThan(second.days_to_threshold.likely);
  expect(second.days_to_empty.likely).toBeGreaterThan(18);
  expect(second.days_to_empty.likely).toBeLessThan(23);
  expect(Date.now() - Date.parse(second.as_of)).toBeLessThan(5 * 60_000);
  expect(Date.now() - Date.parse(fourth.as_of)).toBeGreaterThan(5 * DAY_MS);
  expect(fifth).toMatchObject({ fill_percentage: null, days_to_threshold: null, as_of: null });

  const within = await fleet.json('tanks', 'forecast', '--within', '14');
  expect(within.map((row: { tank: string }) => row.tank)).toEqual(['Low', 'Soon', 'Silent', 'Never', 'Unevaluated']);
  const one = await fleet.json('tanks', 'forecast', '--tank', fleet.ids[4] ?? '');
  expect(one.map((row: { tank: string }) => row.tank)).toEqual(['Soon']);
  const { stdout } = await fleet.run('tanks', 'forecast', '--limit', '2');
  expect(stdout).toMatch(/Low .* 20 +0 +\d+(\.\d)? \(/);
  expect(stdout).toMatch(/Soon .* 20 +\d+(\.\d)? \(\d+(\.\d)? to \d+(\.\d)?\)/);
  expect(stdout).toContain('and 4 more, 3 of them without a forecast');
});

test('mistakes in either are told in a sentence', { timeout: 60_000 }, async ({ database }) => {
  const { run } = await givenThresholds(database, []);
  const dryRun = ['alerts', 'dry-run', '--since', '2026-01-01T00:00:00Z', '--threshold'];
  const mistakes: [string[], RegExp][] = [
    [[...dryRun, '130'], /must be a whole number from 0 to 100/],
    [[...dryRun, '30', '--tank', 'NOBODY'], /there is no tank with the id or device NOBODY/],
    [['alerts', 'dry-run', '--threshold', '30'], /required option '--since <time>'/],
    [['tanks', 'forecast', '--within', 'soon'], /Must be a whole number of days/],
  ];
  for (const [args, message] of mistakes) {
    const { code, stderr } = await run(...args);
    expect([args.join(' '), code]).toEqual([args.join(' '), 1]);
    expect(stderr).toMatch(message);
  }
});
