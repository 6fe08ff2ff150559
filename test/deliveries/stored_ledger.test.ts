import { once } from 'node:events';
import { expect } from 'vitest';
import { makeNoteWorld } from '../../bench/deliveries/note_world.ts';
import { storeNotes } from '../../engines/store_notes.ts';
import { updateTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { roundDoubts, roundSpread } from '../../src/deliveries/ledger/learned_matching.ts';
import { LedgerFailures } from '../../src/deliveries/ledger/ledger_failures.ts';
import { noteKey } from '../../src/deliveries/ledger/ledger_inputs.ts';
import { makeDueLedgers, markReportedNotes } from '../../src/deliveries/ledger/make_ledgers.ts';
import { refillKey, type SeenRefill } from '../../src/deliveries/pure/notes/delivery_note.ts';
import { makeLedger } from '../../src/deliveries/pure/notes/ledger.ts';
import { learnRefillSpread } from '../../src/deliveries/pure/notes/refill_spread.ts';
import { learnNoteDoubts } from '../../src/deliveries/pure/truck_meters/note_doubts.ts';
import { correctEvents, retractEvents } from '../../src/evaluation/record_events.ts';
import { isWorthSending, readDigest } from '../../src/mail/digest_content.ts';
import { writerFor } from '../../src/mail/mail_organization.ts';
import { Random } from '../../src/simulation/random.ts';
import { atOnce } from '../../src/values/slices.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { spawnWorker } from '../support/events.ts';
import { givenCustomer, givenOrganization, givenTank } from '../support/fleet.ts';
import { givenTruck, givenWorld, recordRefills, refillOf, settle } from '../support/ledger.ts';
import { type TestDatabase, test } from '../support/test.ts';

const WORLD = makeNoteWorld(20_261, { customers: 60, shortShare: 0.05 });
const NOON_MS = Date.UTC(2026, 9, 12, 18);

/** The stored ledger as lines that do not depend on internal numbers. */
async function readLedger({ owner }: TestDatabase, organizationNo: number): Promise<string[]> {
  const { rows } = await owner.query<{ text: string }>(
    `select concat_ws(' ',
              (select string_agg(n.number, '+' order by n.number) from delivery_notes n where n.no = any (e.note_nos)),
              (select string_agg(t.custom_id || '@' || (extract(epoch from r.at) * 1000)::bigint, '+' order by t.custom_id, r.at)
               from unnest(e.refill_tank_nos, e.refill_ats) as r (tank_no, at) join tanks t on t.no = r.tank_no),
              e.verdict, e.reason, case when e.is_unlike_earlier then 'unlike' end, round(e.note_litres), round(e.gauge_litres),
              round(e.from_litres), round(e.to_litres)) as text
     from ledger_entries e where e.organization_no = $1`,
    [organizationNo],
  );
  return rows.map(({ text }) => text).toSorted();
}

/** The lines of the ledger that the pure functions make for all customers at once. */
function expectedLedger(tankNos: ReadonlyMap<string, number>): string[] {
  const names = new Map([...tankNos].map(([name, no]) => [String(no), name]));
  const tankNo = (id: string): string => String(tankNos.get(id));
  const refills = WORLD.refills.map(
    (refill): SeenRefill => ({
      ...refill,
      tankId: tankNo(refill.tankId),
      capacityLiters: (refill.liters / 60) * 100,
      noisePoints: 1,
      usePointsPerDay: 1,
      cadenceMs: DAY_MS,
    }),
  );
  const notes = WORLD.notes.map((note) => ({
    ...note,
    id: noteKey('', note.id),
    tankId: note.tankId === null ? null : tankNo(note.tankId),
  }));
  const tanks = [...tankNos].map(([name, no]) => ({
    id: String(no),
    customerId: name.replace(/^t(\d+)-.*/, 'c$1'),
    capacityLiters: 1_000,
    latestReadingMs: null,
    isGaugeReliable: true,
  }));
  const input = { notes, refills, pins: [], tanks };
  const { compared } = atOnce(makeLedger(input));
  const spread = roundSpread(learnRefillSpread(compared));
  const doubts = roundDoubts(learnNoteDoubts(compared.map((delivery) => ({ ...delivery, driverId: null }))));
  const { entries, clockShifts } = atOnce(makeLedger({ ...input, spread, doubts }));
  expect(clockShifts.size, 'the world has a truck with a wrong clock').toBe(1);
  const keys = new Map(refills.map((refill) => [refillKey(refill), `${names.get(refill.tankId)}@${refill.atMs}`]));
  return entries
    .map(({ noteIds, refillKeys, verdict }) =>
      [
        noteIds.map((id) => id.slice(1)).join('+'),
        refillKeys
          .map((key) => keys.get(key) ?? '')
          .toSorted()
          .join('+'),
        verdict.code,
        'reason' in verdict ? verdict.reason : '',
        'isUnlikeEarlier' in verdict && verdict.isUnlikeEarlier ? 'unlike' : '',
        ...(['noteLiters', 'gaugeLiters', 'fromLiters', 'toLiters'] as const).map((name) => {
          const value: unknown = Reflect.get(verdict, name);
          return typeof value === 'number' ? String(Math.round(value)) : '';
        }),
      ]
        .filter((part) => part !== '')
        .join(' '),
    )
    .toSorted();
}

/** A delivery of 500 liters to a tank of 1,000, seen by the gauge between 11:00 and 13:00. */
async function givenDelivery(database: TestDatabase, note: object = {}) {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo, { external_key: 'C-1' });
  const tank = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-1', capacity: 1_000 });
  const truck = await givenTruck(database.owner, organizationNo, 'Truck 1');
  const at = { organizationNo, tankNo: tank.no };
  const refill = { fromMs: NOON_MS - HOUR_MS, toMs: NOON_MS + HOUR_MS, liters: 500, before: 30, after: 80 };
  await recordRefills(database.writer, [refillOf(at, refill)]);
  const written = {
    number: 'N-1',
    at: new Date(NOON_MS).toISOString(),
    volume: 510,
    tank: 'T-1',
    truck: 'truck 1',
    ...note,
  };
  await storeNotes(database.operator, organizationNo, [written]);
  await settle(database.worker);
  const verdicts = async (): Promise<string[]> => {
    await settle(database.worker);
    return (await readLedger(database, organizationNo)).map((text) => text.replaceAll(/@\d+/g, ''));
  };
  return { organizationNo, customer, tank, truck, at, refill, written, verdicts };
}

test('the stored ledger equals that of the pure functions for any order of notes and refills, also if they are imported twice', async ({
  database,
}) => {
  const ledgers: string[][] = [];
  for (const order of ['refills first', 'notes first, in pieces']) {
    const organizationNo = await givenOrganization(database.operator);
    const { notes, refills, tankNos } = await givenWorld(database, organizationNo, WORLD);
    if (order === 'refills first') {
      await recordRefills(database.writer, refills);
      await settle(database.worker);
      expect(await readLedger(database, organizationNo), 'an organization without notes has no ledger').toEqual([]);
      expect(await storeNotes(database.operator, organizationNo, notes)).toMatchObject({
        created: notes.length,
        errors: [],
      });
      ledgers.push(expectedLedger(tankNos));
    } else {
      const random = new Random(7);
      const shuffled = notes.toSorted(() => random.next() - 0.5);
      for (let start = 0; start < shuffled.length; start += 200) {
        await storeNotes(database.operator, organizationNo, shuffled.slice(start, start + 200));
        if (start % 400 === 0) await settle(database.worker);
      }
      for (const half of [refills.slice(300), refills.slice(0, 300)]) {
        await recordRefills(database.writer, half.toReversed());
        await settle(database.worker);
      }
    }
    await settle(database.worker);
    ledgers.push(await readLedger(database, organizationNo));
    const again = await storeNotes(database.operator, organizationNo, notes);
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: notes.length, errors: [] });
    const { rows } = await database.owner.query('select from ledger_marks where organization_no = $1', [
      organizationNo,
    ]);
    expect(rows.length, 'an import of the same notes marks no ledger').toBe(0);
  }
  const [expected, first, second] = ledgers;
  expect(first).toEqual(expected);
  expect(second).toEqual(expected);
});

test('once the wrong clocks of two trucks are learned, a new note rebuilds no ledger', async ({ database }) => {
  const { organizationNo, at, refill } = await givenDelivery(database);
  await givenTruck(database.owner, organizationNo, 'Truck 2');
  const weeks = Array.from({ length: 28 }, (_, week) => ({
    number: `W-${week}`,
    laterMs: 7 * (week + 1) * DAY_MS,
    week,
  }));
  const refills = weeks.map(({ laterMs }) =>
    refillOf(at, { ...refill, fromMs: refill.fromMs + laterMs, toMs: refill.toMs + laterMs }),
  );
  await recordRefills(database.writer, refills);
  const notes = weeks.map(({ number, laterMs, week }) => ({
    number,
    at: new Date(NOON_MS + laterMs + 6 * HOUR_MS).toISOString(),
    volume: 510,
    tank: 'T-1',
    truck: `truck ${1 + (week % 2)}`,
  }));
  await storeNotes(database.operator, organizationNo, notes.slice(0, -1));
  await settle(database.worker);
  const { rows } = await database.owner.query<{ clocks: number }>(
    `select (select count(*) from jsonb_object_keys(clock_shifts)) as clocks from ledger_organizations where organization_no = $1`,
    [organizationNo],
  );
  expect(rows[0]?.clocks).toBe(2);

  // The newest note is of the second truck.
  await storeNotes(database.operator, organizationNo, notes.slice(-1));
  expect(await makeDueLedgers(database.worker, { learnEveryMs: 0 }), 'makes the ledger of the customer').toBe(1);
  expect(await makeDueLedgers(database.worker, { learnEveryMs: 0 }), 'learns').toBe(1);
  expect(await makeDueLedgers(database.worker, { learnEveryMs: 0 }), 'has nothing left to do').toBe(0);
});

test('a worker that is killed in the middle leaves the same ledger', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const { notes, refills, tankNos } = await givenWorld(database, organizationNo, WORLD);
  await recordRefills(database.writer, refills);
  await storeNotes(database.operator, organizationNo, notes);
  const countMarks = async (): Promise<number> => {
    const { rows } = await database.owner.query<{ marks: number }>('select count(*) as marks from ledger_marks');
    return rows[0]?.marks ?? 0;
  };
  for (let kill = 0; kill < 2; kill++) {
    const before = await countMarks();
    const worker = spawnWorker(database);
    // The worker is killed as soon as it has made some ledgers.
    await expect
      .poll(async () => before === 0 || (await countMarks()) < before, { interval: 1, timeout: 60_000 })
      .toBe(true);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  await settle(database.worker);
  expect(await readLedger(database, organizationNo)).toEqual(expectedLedger(tankNos));
});

test('a note, a correction, a retraction, a cancelled note and a pin change the verdict', async ({ database }) => {
  const { organizationNo, tank, at, refill, written, verdicts } = await givenDelivery(database);
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 510 500 432 588']);
  const others = await storeNotes(database.operator, organizationNo, [{ ...written, volume: 700 }]);
  expect(others).toMatchObject({ created: 0, updated: 0, errors: ['number: is a stored note with another volume'] });
  await storeNotes(database.operator, organizationNo, [{ ...written, volume: 700 }], { replace: true });
  expect(await verdicts()).toEqual(['N-1 T-1 not_consistent 700 500 432 588']);

  const event = refillOf(at, refill);
  const retract = (): Promise<number> => transaction(database.writer, (tx) => retractEvents(tx, [event]));
  await retract();
  expect(await verdicts()).toEqual(['N-1 cannot_be_told no_sensor 700']);
  await recordRefills(database.writer, [event]);
  const pin = `insert into note_pins (organization_no, note_no, tank_no, refill_at, kind)
    select organization_no, no, $2, $3, 'apart' from delivery_notes where organization_no = $1`;
  await database.manager.query(pin, [organizationNo, tank.no, event.occurredAt]);
  expect(await verdicts()).toEqual(['N-1 cannot_be_told no_sensor 700', 'T-1 refill_without_note 500']);
  await database.manager.query('delete from note_pins where organization_no = $1', [organizationNo]);
  expect(await verdicts()).toEqual(['N-1 T-1 not_consistent 700 500 432 588']);

  await storeNotes(database.operator, organizationNo, [{ ...written, volume: 700, status: 'cancelled' }], {
    replace: true,
  });
  expect(await verdicts(), 'an organization without a note has no ledger').toEqual([]);
});

test('a refill stays when retention deletes its event', async ({ database }) => {
  const { organizationNo, verdicts, written } = await givenDelivery(database);
  const before = await verdicts();
  await database.owner.query('delete from events where organization_no = $1', [organizationNo]);
  const later = { ...written, number: 'N-2', at: new Date(NOON_MS + 90 * DAY_MS).toISOString() };
  await storeNotes(database.operator, organizationNo, [later]);
  expect(await verdicts()).toEqual([...before, 'N-2 cannot_be_told no_sensor 510']);
});

/** Inserts a note with any time directly, because notes with impossible times are refused now. */
const insertNote = ({ owner }: TestDatabase, organizationNo: number, customerNo: number, number: string, at: string) =>
  owner.query(
    `insert into delivery_notes (id, organization_no, number, customer_no, at, precision, volume, unit, source)
     values (gen_random_uuid(), $1, $2, $3, $4, 'minute', 400, 'liters', 'driver')`,
    [organizationNo, number, customerNo, at],
  );

test('a stored note with an impossible time stops no ledger, and earlier refills are not listed as lacking a note', async ({
  database,
}) => {
  const { organizationNo, customer, at, verdicts, written } = await givenDelivery(database);
  const earlierMs = NOON_MS - 300 * DAY_MS;
  await recordRefills(database.writer, [refillOf(at, { fromMs: earlierMs - HOUR_MS, toMs: earlierMs, liters: 400 })]);
  const before = await verdicts();
  const times = [
    '10000-01-01 11:59:59+00',
    '0044-03-15 12:00:00+00 BC',
    '9999-12-31T23:00:00Z',
    '0001-01-01T00:00:00Z',
  ];
  for (const [index, time] of times.entries())
    await insertNote(database, organizationNo, customer.no, `X-${index}`, time);
  expect(await verdicts()).toEqual(before);
  await insertNote(database, organizationNo, customer.no, 'N-1970', '1970-01-01T00:00:00Z');
  const later = { ...written, number: 'N-2', at: new Date(NOON_MS + 90 * DAY_MS).toISOString() };
  await storeNotes(database.operator, organizationNo, [later]);
  expect(await verdicts()).toEqual([...before, 'N-1970 cannot_be_told no_sensor', 'N-2 cannot_be_told no_sensor 510']);
});

test('an organization whose ledger cannot be made is logged once, tried again later, and stops no other', async ({
  database,
}) => {
  const organizationNos: number[] = [];
  for (const _ of [1, 2, 3]) {
    const organizationNo = await givenOrganization(database.operator);
    organizationNos.push(organizationNo);
    const customer = await givenCustomer(database.operator, organizationNo);
    await insertNote(database, organizationNo, customer.no, 'N-1', new Date(NOON_MS).toISOString());
  }
  const [failing = 0, ...others] = organizationNos;
  await database.owner.query(`alter table ledger_entries add constraint unlucky check (organization_no <> ${failing})`);
  const logged: object[] = [];
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message });
  let nowMs = 0;
  const failures = new LedgerFailures({ error: log, warn: log }, () => nowMs);
  const makeAll = async (): Promise<number[]> => {
    let made = 1;
    while (made > 0) made = await makeDueLedgers(database.worker, { learnEveryMs: 0, failures });
    const { rows } = await database.owner.query<{ organization_no: number }>(
      'select distinct organization_no from ledger_entries where organization_no = any ($1) order by 1',
      [organizationNos],
    );
    return rows.map(({ organization_no }) => organization_no);
  };
  expect(await makeAll()).toEqual(others);
  const failure = { organizationNo: failing, err: expect.objectContaining({ constraint: 'unlucky' }) };
  expect(logged).toEqual([{ ...failure, message: 'making a ledger failed; retrying until it succeeds' }]);
  expect(failures.waiting).toEqual([failing]);
  nowMs += 60_001;
  expect(failures.waiting).toEqual([]);
  expect(await makeAll()).toEqual(others);
  expect(failures.waiting, 'the failing organization was tried again').toEqual([failing]);
  expect(logged).toHaveLength(1);
  await database.owner.query('alter table ledger_entries drop constraint unlucky');
  expect(await makeAll(), 'the failing organization waits for a minute').toEqual(others);
  nowMs += 60_001;
  expect(await makeAll()).toEqual(organizationNos);
  expect(logged.at(-1)).toMatchObject({ message: 'making a ledger works again' });
});

test('a note waits for the gauge, and is without a refill when the gauge has reported for 30 hours', async ({
  database,
}) => {
  const { organizationNo, tank, verdicts, written } = await givenDelivery(database);
  const reported = (atMs: number): Promise<unknown> =>
    database.owner.query(
      `insert into tank_states (tank_no, latest_fill_percentage, latest_at) values ($1, 50, $2)
       on conflict (tank_no) do update set latest_at = excluded.latest_at`,
      [tank.no, new Date(atMs).toISOString()],
    );
  await reported(NOON_MS + 11 * DAY_MS);
  await storeNotes(database.operator, organizationNo, [
    { ...written, number: 'N-2', at: new Date(NOON_MS + 10 * DAY_MS).toISOString() },
  ]);
  expect(await verdicts()).toContain('N-2 waiting');
  await markReportedNotes(database.worker);
  expect(await verdicts()).toContain('N-2 waiting');
  await reported(NOON_MS + 12 * DAY_MS);
  await markReportedNotes(database.worker);
  expect(await verdicts()).toContain('N-2 note_without_refill 510');
});

test('a refill that an unreliable gauge has seen is not in the ledger without its note', async ({ database }) => {
  const { at, verdicts } = await givenDelivery(database);
  const laterMs = NOON_MS + 5 * DAY_MS;
  const doubtful = { fromMs: laterMs - HOUR_MS, toMs: laterMs, liters: 400, maybe_gauge_fault: true as const };
  await recordRefills(database.writer, [refillOf(at, doubtful)]);
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 510 500 432 588']);
  // Later readings show that the gauge may have been faulty.
  const { maybe_gauge_fault, ...sure } = { ...doubtful, fromMs: laterMs + DAY_MS, toMs: laterMs + DAY_MS + HOUR_MS };
  await recordRefills(database.writer, [refillOf(at, sure)]);
  expect(await verdicts()).toContain('T-1 refill_without_note 400');
  await transaction(database.writer, (tx) => correctEvents(tx, [refillOf(at, { ...sure, maybe_gauge_fault })]));
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 510 500 432 588']);
});

test('the entries of a tank in the ledger move with it to its next owner', async ({ database }) => {
  const { organizationNo, customer, tank, verdicts } = await givenDelivery(database);
  const before = await verdicts();
  const next = await givenCustomer(database.operator, organizationNo);
  await transaction(database.operator, (tx) => updateTank(tx, organizationNo, tank.no, { owner_no: next.no }));
  expect(await verdicts()).toEqual(before);
  const { rows } = await database.owner.query(
    'select customer_no, count(*) as entries from ledger_entries where customer_no = any ($1) group by 1',
    [[customer.no, next.no]],
  );
  expect(rows).toEqual([{ customer_no: next.no, entries: 1 }]);
});

test('a truck that compensates changes the volume as pumped of its notes', async ({ database }) => {
  const { truck, verdicts } = await givenDelivery(database, { product_temperature: -4.4 });
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 510 500 432 588']);
  await database.manager.query('update trucks set is_compensated = true where no = $1', [truck.no]);
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 480 500 432 588']);
  await database.manager.query('update trucks set is_compensated = null where no = $1', [truck.no]);
  expect(await verdicts()).toEqual(['N-1 T-1 cannot_be_told compensation_unknown 500']);
});

test('the volume as pumped depends on the product of the note, not on that of its tank', async ({ database }) => {
  const { truck, organizationNo, verdicts } = await givenDelivery(database, { product_temperature: -4.4 });
  await database.manager.query('update trucks set is_compensated = true where no = $1', [truck.no]);
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 480 500 432 588']);
  const setProduct = (product: string | null) =>
    database.manager.query('update delivery_notes set product = $2 where organization_no = $1', [
      organizationNo,
      product,
    ]);
  await setProduct('diesel');
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 501 500 432 588']);
  await setProduct('def');
  expect(await verdicts()).toEqual(['N-1 T-1 cannot_be_told compensation_unknown 500']);
});

test('the ledger of an older release is made again', async ({ database }) => {
  const { organizationNo, verdicts } = await givenDelivery(database);
  await database.owner.query(
    'update ledger_entries set from_litres = 416, to_litres = 584 where organization_no = $1',
    [organizationNo],
  );
  await database.owner.query('update ledger_organizations set version = 2 where organization_no = $1', [
    organizationNo,
  ]);
  expect(await verdicts()).toEqual(['N-1 T-1 consistent 510 500 432 588']);
});

test('the digest counts the verdicts since the last one, in the language of the organization', async ({ database }) => {
  const organizationNo = await givenOrganization(database.operator);
  const customer = await givenCustomer(database.operator, organizationNo);
  const tank = await givenTank(database.operator, organizationNo, customer.no, { custom_id: 'T-1', capacity: 1_000 });
  const toMs = Date.now() - 5 * HOUR_MS;
  const refill = { fromMs: toMs - HOUR_MS, toMs, liters: 500, before: 30 };
  await recordRefills(database.writer, [refillOf({ organizationNo, tankNo: tank.no }, refill)]);
  const note = { at: new Date(toMs).toISOString(), volume: 800, tank: 'T-1', compensated: false };
  await storeNotes(database.operator, organizationNo, [{ ...note, number: '1' }]);
  await storeNotes(database.operator, organizationNo, [
    { ...note, number: 'old', at: new Date(toMs - 30 * DAY_MS).toISOString() },
  ]);
  await settle(database.worker);
  const period = { fromMs: Date.now() - DAY_MS, untilMs: Date.now() + HOUR_MS };
  const digest = await readDigest(database.worker, organizationNo, period, Date.now());
  expect(digest.notes).toEqual({
    consistent: 0,
    not_consistent: 1,
    cannot_be_told: 0,
    note_without_refill: 0,
    refill_without_note: 0,
    commonOffset: null,
  });
  expect(isWorthSending(digest)).toBe(true);
  const notes = {
    consistent: 21,
    not_consistent: 1,
    cannot_be_told: 3,
    note_without_refill: 1,
    refill_without_note: 2,
  };
  const lineOf = (language: string): string => writerFor({ language, time_zone: 'UTC' }).texts.digest.notes(notes);
  expect(lineOf('en')).toBe(
    'Delivery notes: 21 match, 1 does not match, 3 cannot be compared; 1 note without refill, 2 refills without note.',
  );
  expect(lineOf('es-MX')).toBe(
    'Notas de entrega: 21 coinciden, 1 no coincide, 3 no se pueden comparar; 1 nota sin recarga, 2 recargas sin nota.',
  );
});
