import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import type { Readers } from '../../src/db/readers.ts';
import { type FleetRow, saveFleetRows } from '../../src/evaluation/fleet_rows.ts';
import { FLEET_SORTS, type FleetSort } from '../../src/status/fleet_order.ts';
import type { FleetFilter, FleetScope } from '../../src/status/tank_filter.ts';
import { findTankPage, type TankPage } from '../../src/status/tank_page.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { givenCustomer, givenOrganization, givenTank, givenTanks } from '../support/fleet.ts';
import { type TestDatabase, test } from '../support/test.ts';

const TANKS = 60;
const day = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const pick = <T>(values: readonly T[]): T => {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};

/** Few different values, so that many tanks share a position and the tank number decides. */
const randomRow = (tankNo: number): FleetRow => {
  const isLow = Math.random() < 0.3;
  return {
    tankNo,
    fill: pick([0, 20, 50, 101]),
    thresholdOn: isLow ? '-infinity' : pick([day(2), day(20), 'infinity']),
    emptyOn: pick([day(9), 'infinity']),
    isLow,
    isOrderDue: Math.random() < 0.3,
    isSilent: Math.random() < 0.3,
    isGaugeUnreliable: Math.random() < 0.3,
    losingSeenAt: pick(['-infinity', new Date().toISOString()]),
    unusualUseAt: pick(['-infinity', new Date().toISOString()]),
    latestOn: pick(['-infinity', day(-1), day(0)]),
  };
};

/** A fleet that is spread over all values. Every second tank will move. */
async function givenFleet({ operator, writer, owner }: TestDatabase) {
  const organizationNo = await givenOrganization(operator);
  const maria = await givenCustomer(operator, organizationNo, { name: 'María López' });
  const juan = await givenCustomer(operator, organizationNo, { name: 'Juan Pérez' });
  const place = { latitude: 20.52, longitude: -100.81 };
  const tanks = [maria, juan].map((customer) =>
    givenTanks(
      operator,
      organizationNo,
      customer.no,
      Array.from({ length: TANKS / 2 }, (_, n) => ({
        name: `tank ${n}`,
        city: n % 3 === 0 ? 'Celaya' : 'Puebla',
        use_case: n % 4 === 0 ? 'commercial' : 'residential',
        ...(n % 2 === 0 ? place : {}),
      })),
    ),
  );
  const created = (await Promise.all(tanks)).flat().toSorted((a, b) => a.no - b.no);
  await transaction(writer, (tx) =>
    saveFleetRows(
      tx,
      created.map(({ no }) => randomRow(no)),
    ),
  );
  await owner.query(
    `update fleet_tanks set refilled_on = case tank_no % 3 when 0 then '-infinity' else current_date - tank_no % 9 end
     where organization_no = $1`,
    [organizationNo],
  );
  const moving = created.filter((_, n) => n % 4 > 1);
  const isMoving = new Set(moving.map(({ id }) => id));
  return { organizationNo, maria, juan, moving, isMoving, ids: created.map(({ id }) => id) };
}

/** Keeps moving tanks until it is disposed: several writers whose transactions overlap, and an operator who adds and deletes. */
function keepMoving({ writer, operator }: TestDatabase, fleet: Awaited<ReturnType<typeof givenFleet>>) {
  const progress = { isStopped: false, moves: 0 };
  const isOfWriter = (lane: number) => (_: unknown, n: number) => n % 3 === lane;
  const writers = [0, 1, 2].map(async (lane) => {
    const own = fleet.moving.filter(isOfWriter(lane));
    while (!progress.isStopped) {
      const rows = own.filter(() => Math.random() < 0.5).map(({ no }) => randomRow(no));
      await transaction(writer, async (tx) => {
        await saveFleetRows(tx, rows);
        await sleep(3 + Math.random() * 10);
      });
      progress.moves += rows.length;
    }
  });
  const operating = (async () => {
    while (!progress.isStopped) {
      const owner = pick([fleet.maria, fleet.juan]);
      const added = await givenTank(operator, fleet.organizationNo, owner.no, { city: 'Celaya' });
      await sleep(5);
      await transaction(operator, (tx) => deleteTank(tx, fleet.organizationNo, added.no));
    }
  })();
  return {
    progress,
    async [Symbol.asyncDispose]() {
      progress.isStopped = true;
      await Promise.all([...writers, operating]);
    },
  };
}

interface WalkedList {
  readers: Readers;
  scope: FleetScope;
  filter: FleetFilter;
  sort: FleetSort;
  size: number;
}

const idsOf = (page: TankPage): string[] => page.rows.map(({ id }) => id);

/** Walks forwards to the end, and from there backwards to the beginning. */
async function walkBothWays({ readers, ...list }: WalkedList) {
  const forwards: string[] = [];
  let page = await findTankPage(readers, list);
  for (;;) {
    forwards.push(...idsOf(page));
    if (page.next === null) break;
    page = await findTankPage(readers, { ...list, after: page.next });
  }
  const backwards = idsOf(page).toReversed();
  while (page.previous !== null) {
    page = await findTankPage(readers, { ...list, before: page.previous });
    backwards.push(...idsOf(page).toReversed());
  }
  return { forwards, backwards };
}

test('a walk over a moving fleet returns every tank that does not move once, in order, forwards and backwards', async ({
  database,
  readers,
}) => {
  const fleet = await givenFleet(database);
  const { organizationNo, maria, juan, isMoving, ids } = fleet;
  const filters: FleetFilter[] = [
    {},
    ...(['losing', 'low', 'gauge_unreliable', 'silent', 'soon', 'refilled'] as const).map((status) => ({ status })),
    { withinDays: 5 },
    { useCase: 'commercial' },
    { city: 'Celaya' },
    { city: 'Puebla', status: 'silent' },
    { ownerId: maria.id },
    { ids: ids.slice(0, 40) },
    { words: ['lopez'] },
    { near: { latitude: 20.5, longitude: -100.8, km: 15 } },
  ];
  await using moving = keepMoving(database, fleet);
  const walk = fc.record({
    scope: fc.constantFrom({ organizationNo, customerNo: null }, { organizationNo, customerNo: juan.no }),
    filter: fc.constantFrom(...filters),
    size: fc.integer({ min: 3, max: 15 }),
  });
  const still = (found: readonly string[]): string[] => found.filter((id) => ids.includes(id) && !isMoving.has(id));
  for (const sort of FLEET_SORTS) {
    await fc.assert(
      fc.asyncProperty(walk, async (given) => {
        const all = await findTankPage(readers, { ...given, sort, size: 200 });
        const expected = still(idsOf(all));
        const { forwards, backwards } = await walkBothWays({ readers, ...given, sort });
        expect(still(forwards)).toEqual(expected);
        expect(still(backwards)).toEqual(expected.toReversed());
      }),
      { numRuns: 4 },
    );
  }
  expect(moving.progress.moves).toBeGreaterThan(100);
});

test('a page from which all tanks have moved away still leads back to the tanks beside it', async ({
  database,
  readers,
}) => {
  const { organizationNo, ids, moving } = await givenFleet(database);
  const scope = { organizationNo, customerNo: null };
  const move = (fill: number) =>
    transaction(database.writer, (tx) =>
      saveFleetRows(
        tx,
        moving.map(({ no }) => ({ ...randomRow(no), fill })),
      ),
    );
  const still = ids.filter((id) => !moving.some((tank) => tank.id === id));
  for (const sort of ['level', '-level'] as const) {
    const list = { scope, filter: { ids: [...still.slice(0, 3), ...moving.map(({ id }) => id)] }, sort, size: 3 };
    const isFirst = (fill: number) => (sort === 'level' ? fill : 100 - fill);
    await database.owner.query('update fleet_levels set fill = 50 where organization_no = $1', [organizationNo]);

    await move(isFirst(90));
    const first = await findTankPage(readers, list);
    expect(idsOf(first).toSorted()).toEqual(still.slice(0, 3).toSorted());
    await move(isFirst(10));
    const end = await findTankPage(readers, { ...list, after: first.next ?? '' });
    expect([idsOf(end), end.next]).toEqual([[], null]);
    const back = await findTankPage(readers, { ...list, before: end.previous ?? '' });
    expect(idsOf(back)).toEqual(idsOf(first));

    const { previous } = back;
    await move(isFirst(90));
    const start = await findTankPage(readers, { ...list, before: previous ?? '' });
    expect([idsOf(start), start.previous]).toEqual([[], null]);
    const onwards = await findTankPage(readers, { ...list, after: start.next ?? '' });
    expect(idsOf(onwards)).toEqual(idsOf(first));
  }
});

test('refilled tanks, which are read day by day in the order of urgency, are the same as in any other order', async ({
  database,
  readers,
}) => {
  const { organizationNo } = await givenFleet(database);
  const scope = { organizationNo, customerNo: null };
  const { rows } = await database.owner.query<{ id: string }>(
    `select t.id from fleet_tanks f join tanks t on t.no = f.tank_no
     where f.organization_no = $1 and f.refilled_on >= (now() at time zone 'UTC')::date - 7
     order by f.losing_seen_at <= now() - interval '48 hours', f.threshold_on, f.empty_on, f.tank_no`,
    [organizationNo],
  );
  const inOrder = rows.map(({ id }) => id);
  expect(inOrder.length).toBeGreaterThan(TANKS / 4);
  const list = { readers, scope, filter: { status: 'refilled' }, size: 7 } as const;
  expect((await walkBothWays({ ...list, sort: 'urgency' })).forwards).toEqual(inOrder);
  expect((await walkBothWays({ ...list, sort: '-urgency' })).forwards).toEqual(inOrder.toReversed());
  expect((await walkBothWays({ ...list, sort: '-last_refill' })).forwards.toSorted()).toEqual(inOrder.toSorted());
});
