import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { operatorChange } from '../../src/catalog/change_context.ts';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { Reevaluator } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { Random } from '../../src/simulation/random.ts';
import { returnsAt } from '../../src/status/acknowledge_tank.ts';
import { muteTank } from '../../src/status/mutes.ts';
import { CONDITIONS, type HandledCondition, LOSING_HOURS } from '../../src/status/sections.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { recordExpiredHandling } from '../../src/worker/handling_expiry_loop.ts';
import { falling, markFromTheBeginning, readingsOf } from '../support/evaluation.ts';
import { lowFillOf, record, type Tanked } from '../support/events.ts';
import { givenContact, givenCustomer, givenKey, givenTank } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { expectLockWaits } from '../support/lock_waits.ts';
import { givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import type { TestDatabase } from '../support/test.ts';

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function givenHandledTank(database: TestDatabase): Promise<Tanked & { key: string }> {
  const { key, organizationNo } = await givenManagedOrganization(database);
  const customer = await givenCustomer(database.operator, organizationNo);
  return { key, organizationNo, customer, tank: await givenTank(database.operator, organizationNo, customer.no) };
}

const FLAGS = { low: 'is_low', gauge_unreliable: 'is_gauge_unreliable', silent: 'is_silent' } as const;

const setFlag = (database: TestDatabase, tankNo: number, flag: keyof typeof FLAGS, isTrue: boolean) =>
  database.writer.query(`update fleet_tanks set ${FLAGS[flag]} = $2 where tank_no = $1`, [tankNo, isTrue]);
const setFill = (database: TestDatabase, tankNo: number, fill: number) =>
  database.writer.query('update fleet_levels set fill = $2 where tank_no = $1', [tankNo, fill]);

async function beginLoss(database: TestDatabase, fleet: Tanked): Promise<void> {
  const data = { from_percentage: 60, to_percentage: 40, hours: 5, lost_volume: 100, volume_unit: 'liters' as const };
  await record(database, lowFillOf(fleet, { type: 'tank.rapid_loss', data }));
  await database.writer.query('update fleet_tanks set losing_seen_at = now() where tank_no = $1', [fleet.tank.no]);
}
const endLoss = (database: TestDatabase, tankNo: number) =>
  database.writer.query(`update fleet_tanks set losing_seen_at = '-infinity' where tank_no = $1`, [tankNo]);

const statusOf = async (manage: ManageApi, key: string, tankId: string) =>
  (await callApi(manage.url, `/fleet/v1/tanks/${tankId}`, { key })).json;

const eventsOf = async (database: TestDatabase, tankNo: number) =>
  (
    await database.owner.query<{ type: string; data: Record<string, unknown> }>(
      `select type, data from events where tank_no = $1 and retracted_at is null order by no`,
      [tankNo],
    )
  ).rows;

test('a handled tank leaves its section, shows who handles it, and returns when the acknowledgement is withdrawn', async ({
  database,
  manage,
}) => {
  const { key, tank, customer, organizationNo } = await givenHandledTank(database);
  const path = `/tanks/${tank.id}/acknowledgements`;
  const body = { conditions: ['low'], until: inMs(2 * HOUR_MS), comment: ' Pedro is there at 14:00 ' };
  const early = await manage.call(key, 'POST', path, { body });
  expect([early.status, early.json.code]).toEqual([409, 'not_open']);
  await setFlag(database, tank.no, 'low', true);
  await setFill(database, tank.no, 18);
  const holder = await database.operator.connect();
  await holder.query('begin');
  await holder.query('select lock_organization($1)', [organizationNo]);
  const made = await manage.call(key, 'POST', path, { body });
  await holder.query('commit');
  holder.release();
  expect([made.status, made.json.data]).toEqual([
    201,
    [expect.objectContaining({ condition: 'low', comment: 'Pedro is there at 14:00', returns_at_percentage: 13 })],
  ]);
  const [{ id }] = made.json.data;
  expect(await statusOf(manage, key, tank.id)).toMatchObject({
    section: 'handled',
    status: expect.arrayContaining(['low']),
    handled: [{ condition: 'low', acknowledgement_id: id, comment: 'Pedro is there at 14:00' }],
  });
  // The owner sees only that the tank is handled.
  const { text: ofOwner } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  expect(await statusOf(manage, ofOwner, tank.id)).toMatchObject({
    handled: [{ condition: 'low', acknowledgement_id: null, comment: null, name: null }],
    notes: [],
  });
  const second = await manage.call(key, 'POST', path, { body });
  expect([second.status, second.json.code, second.json.conflicting_id]).toEqual([409, 'conflict', id]);
  const replaced = await manage.call(key, 'POST', path, { body: { ...body, replaces: [id] } });
  expect(replaced.status).toBe(201);
  const [{ id: newId }] = replaced.json.data;
  const { json: listed } = await manage.call(key, 'GET', path);
  expect(listed.data.map((entry: { id: string; ended_because: string }) => [entry.id, entry.ended_because])).toEqual([
    [newId, null],
    [id, 'replaced'],
  ]);
  for (let attempt = 0; attempt < 2; attempt++)
    expect((await manage.call(key, 'DELETE', `/acknowledgements/${newId}`)).status).toBe(204);
  expect(await statusOf(manage, key, tank.id)).toMatchObject({ section: 'low', handled: [] });
  expect((await eventsOf(database, tank.no)).map(({ type }) => type)).toEqual([
    'tank.acknowledged',
    'tank.acknowledgement_ended',
    'tank.acknowledged',
    'tank.acknowledgement_ended',
  ]);
  // Events have no comment, so that no comment is left when the tank is deleted.
  expect(JSON.stringify(await eventsOf(database, tank.no))).not.toContain('Pedro');
  expect((await manage.call(key, 'DELETE', `/tanks/${tank.id}`, { ifMatch: '*' })).status).toBe(204);
  const { rows } = await database.owner.query(
    `select (select count(*) from acknowledgements where tank_no = $1) as rows,
            (select count(*) from idempotency_keys where organization_no = $2 and object = 'acknowledgement'
             and answer is not null) as answers`,
    [tank.no, organizationNo],
  );
  expect(rows).toEqual([{ rows: 0, answers: 0 }]);
});

test('times, conditions and comments out of range are refused, and a dry run changes nothing', async ({
  database,
  manage,
}) => {
  const { key, tank, ...fleet } = await givenHandledTank(database);
  await setFlag(database, tank.no, 'low', true);
  await beginLoss(database, { ...fleet, tank });
  const path = `/tanks/${tank.id}/acknowledgements`;
  const good = { conditions: ['low'], until: inMs(HOUR_MS) };
  const wrong: [object, string][] = [
    [{ ...good, conditions: [] }, 'conditions'],
    [{ ...good, conditions: ['due'] }, 'conditions[0]'],
    [{ ...good, until: 'soon' }, 'until'],
    [{ ...good, until: inMs(MINUTE_MS) }, 'until'],
    [{ ...good, until: inMs(15 * DAY_MS) }, 'until'],
    [{ ...good, conditions: ['low', 'losing'], until: inMs(5 * HOUR_MS) }, 'until'],
    [{ ...good, comment: 'x'.repeat(501) }, 'comment'],
  ];
  for (const [body, param] of wrong) {
    const { status, json } = await manage.call(key, 'POST', path, { body });
    expect([body, status, json.errors?.[0]?.param]).toEqual([body, 422, param]);
  }
  const dry = await manage.call(key, 'POST', `${path}?dry_run=true`, { body: good });
  expect(dry.status).toBe(201);
  expect((await manage.call(key, 'GET', path)).json.data).toEqual([]);
  // A reason must not be empty. Only a program may leave it out, as in 0.3.
  const empty = await manage.call(key, 'PUT', `/tanks/${tank.id}/mute`, {
    body: { until: inMs(HOUR_MS), reason: ' ' },
  });
  expect([empty.status, empty.json.errors?.[0]?.param]).toEqual([422, 'reason']);
  await expect(
    transaction(database.operator, (tx) =>
      muteTank(operatorChange(tx, fleet.organizationNo), tank.id, { until: inMs(HOUR_MS), reason: null }),
    ),
  ).rejects.toThrow('must not be empty');
  // A leak is never muted.
  const mute = await manage.call(key, 'PUT', `/tanks/${tank.id}/mute`, { body: { until: inMs(HOUR_MS) } });
  expect([mute.status, mute.json.code]).toEqual([409, 'conflict']);
});

test('a technician takes on a device, gives it back, and takes care of nothing else; each device is in one section', async ({
  database,
  manage,
}) => {
  const { organizationNo, tank, key } = await givenHandledTank(database);
  const cookieOf = async (name: string): Promise<string> => {
    const contact = { email: `${name}@example.com`, name, roles: ['technician'] as const };
    const { id } = await givenContact(database.operator, organizationNo, contact);
    return (await givenSession(database, { contactId: id })).cookie;
  };
  const luis = await cookieOf('Luis');
  const send = (method: string, path: string, body?: object, cookie = luis) =>
    callApi(manage.url, `/manage/v1${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        cookie,
        origin: manage.url,
        'idempotency-key': randomUUID(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    });
  const path = `/tanks/${tank.id}/acknowledgements`;
  const take = (condition: string, cookie = luis) =>
    send('POST', path, { conditions: [condition], until: inMs(3 * DAY_MS) }, cookie);
  /** Returns who took on each device. Each device must be in one section, counted once, and in one of two files. */
  const takenOn = async () => {
    const read = async (state: string) => {
      const { json } = await callApi(manage.url, `/fleet/v1/devices?state=${state}`, { key });
      const file = await callApi(manage.url, `/fleet/v1/devices.csv?state=${state}`, { key });
      expect(file.text.trim().split('\n').length - 1).toBe(json.devices.length);
      return json;
    };
    const [inTrouble, taken] = [await read('trouble'), await read('taken_on')];
    const { taken_on: takenCount, ...counts } = taken.counts;
    const sum = (counted: readonly number[]): number => counted.reduce((total, count) => total + count, 0);
    expect([takenCount, sum(Object.values(counts))]).toEqual([taken.devices.length, inTrouble.devices.length]);
    expect(sum(inTrouble.cities.map(({ devices }: { devices: number }) => devices))).toBe(inTrouble.devices.length);
    expect(inTrouble.devices.length + taken.devices.length).toBe(1);
    return [...inTrouble.devices, ...taken.devices].map(
      (device: { taken_on: { name: string } | null }) => device.taken_on?.name ?? null,
    );
  };
  await setFlag(database, tank.no, 'silent', true);
  await setFlag(database, tank.no, 'low', true);
  expect(await takenOn()).toEqual([null]);
  expect((await take('low')).status).toBe(409);
  expect((await take('silent')).status).toBe(201);
  expect(await takenOn()).toEqual(['Luis']);
  expect((await take('silent', await cookieOf('Ida'))).status).toBe(409);
  // A technician cannot end what a dispatcher handles.
  const low = await manage.call(key, 'POST', path, { body: { conditions: ['low'], until: inMs(HOUR_MS) } });
  expect((await send('DELETE', `/acknowledgements/${low.json.data[0].id}`)).status).toBe(409);
  const { json: all } = await send('GET', path);
  const own = all.data.find(({ condition }: { condition: string }) => condition === 'silent');
  expect((await send('DELETE', `/acknowledgements/${own.id}`)).status).toBe(204);
  expect(await takenOn()).toEqual([null]);
  // The handling ends by itself when the device reports again.
  await take('silent');
  await setFlag(database, tank.no, 'silent', false);
  await setFlag(database, tank.no, 'silent', true);
  expect(await takenOn()).toEqual([null]);

  // A device that has never reported is in no section of the day. It comes back when it has another problem.
  await setFlag(database, tank.no, 'silent', false);
  await setFlag(database, tank.no, 'low', false);
  expect((await take('device')).status).toBe(201);
  expect(await takenOn()).toEqual(['Luis']);
  expect(await statusOf(manage, key, tank.id)).toMatchObject({ handled: [], section: null });
  const inTrouble = async () => (await callApi(manage.url, '/fleet/v1/devices?state=trouble', { key })).json.devices;
  expect(await inTrouble()).toEqual([]);
  await setFlag(database, tank.no, 'gauge_unreliable', true);
  expect(await inTrouble()).toMatchObject([{ state: 'gauge_unreliable', taken_on: null }]);
  await setFlag(database, tank.no, 'gauge_unreliable', false);
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tank.no, [[Date.now() - HOUR_MS, 60]]));
  expect((await callApi(manage.url, '/fleet/v1/devices', { key })).json.devices[0]).toMatchObject({ taken_on: null });
  await recordExpiredHandling(database.worker);
  const { json: ended } = await send('GET', path);
  expect(ended.data[0]).toMatchObject({ condition: 'device', ended_because: 'resolved' });
});

test('the end of a handling is recorded once with its reason, and no tank stays hidden while no worker runs', async ({
  database,
  manage,
}) => {
  const { key, tank } = await givenHandledTank(database);
  await setFlag(database, tank.no, 'low', true);
  await setFill(database, tank.no, 18);
  const body = { conditions: ['low'], until: inMs(HOUR_MS) };
  await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, { body });
  const section = async () => (await statusOf(manage, key, tank.id)).section;
  expect(await section()).toBe('handled');
  await setFill(database, tank.no, 13);
  expect(await section()).toBe('low');
  await Promise.all([recordExpiredHandling(database.worker), recordExpiredHandling(database.worker)]);
  const ended = (await eventsOf(database, tank.no)).filter(({ type }) => type === 'tank.acknowledgement_ended');
  expect(ended.map(({ data }) => data)).toEqual([{ ended: [expect.objectContaining({ because: 'worse' })] }]);

  // The condition ends and begins again before a worker runs, so it is a new alert.
  await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, { body });
  await setFlag(database, tank.no, 'low', false);
  await setFlag(database, tank.no, 'low', true);
  expect(await section()).toBe('low');
  await recordExpiredHandling(database.worker);
  const { json } = await manage.call(key, 'GET', `/tanks/${tank.id}/acknowledgements`);
  expect(json.data[0].ended_because).toBe('resolved');
});

test('a handled loss returns when it gets faster by half, not while its rate stays', async ({ database, manage }) => {
  const { key, tank, ...fleet } = await givenHandledTank(database);
  await beginLoss(database, { ...fleet, tank });
  const readAt = async (minutes: number, fill: number): Promise<void> => {
    await database.owner.query(
      `insert into tank_states (tank_no, latest_fill_percentage, latest_at) values ($1, $2, now() + make_interval(mins => $3))
       on conflict (tank_no) do update set latest_fill_percentage = $2, latest_at = excluded.latest_at`,
      [tank.no, fill, minutes],
    );
    await setFill(database, tank.no, fill);
  };
  await readAt(0, 40);
  const body = { conditions: ['losing'], until: inMs(4 * HOUR_MS) };
  expect((await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, { body })).status).toBe(201);
  await database.owner.query('update acknowledgements set loss_per_hour = 4 where tank_no = $1', [tank.no]);
  const section = async () => (await statusOf(manage, key, tank.id)).section;
  await readAt(120, 31);
  expect(await section()).toBe('handled');
  await readAt(180, 19);
  expect(await section()).toBe('losing');
});

test('an owner finds a handled loss among the losing tanks, and the organization among the handled ones', async ({
  database,
  manage,
}) => {
  const fleet = await givenHandledTank(database);
  const { key, tank, customer, organizationNo } = fleet;
  await beginLoss(database, fleet);
  const body = { conditions: ['losing'], until: inMs(HOUR_MS) };
  expect((await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, { body })).status).toBe(201);
  const { text: ofOwner } = await givenKey(database.operator, { organizationNo, customerNo: customer.no });
  const { text: ofOrganization } = await givenKey(database.operator, { organizationNo });
  const found = async (apiKey: string, section: string): Promise<number> => {
    const { json } = await callApi(manage.url, `/fleet/v1/tanks?section=${section}`, { key: apiKey });
    expect(json.total_items).toBe(json.data.length);
    return json.data.length;
  };
  expect([await found(ofOwner, 'losing'), await found(ofOwner, 'handled')]).toEqual([1, 0]);
  expect([await found(ofOrganization, 'losing'), await found(ofOrganization, 'handled')]).toEqual([0, 1]);
});

test('a re-evaluation keeps acknowledgements', async ({ database, manage }) => {
  const { key, tank } = await givenHandledTank(database);
  await new BatchIngester(database.writer).ingestReadings(readingsOf(tank.no, falling(90, 2, 30)));
  await setFlag(database, tank.no, 'silent', true);
  const body = { conditions: ['silent'], until: inMs(HOUR_MS) };
  expect((await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, { body })).status).toBe(201);
  await markFromTheBeginning(database, [tank.no]);
  await new Reevaluator(database.writer).reevaluateBatch(Date.now());
  // A writer of 0.2.0 does this, because it does not know the type.
  await database.writer.query(
    `update events set retracted_at = now() where tank_no = $1 and type = 'tank.acknowledged'`,
    [tank.no],
  );
  expect((await eventsOf(database, tank.no)).map(({ type }) => type)).toContain('tank.acknowledged');
});

interface Held {
  id: string;
  fill: number;
  isExpired: boolean;
}

/** The rules of handling, without SQL. */
class Model {
  fill = 50;
  isMuted = false;
  readonly isTrue: Record<HandledCondition, boolean> = {
    losing: false,
    low: false,
    gauge_unreliable: false,
    silent: false,
  };
  readonly held = new Map<HandledCondition, Held>();

  set(condition: HandledCondition, isTrue: boolean): void {
    // A loss that begins again is a new event, which ends the handling too.
    if (!isTrue || condition === 'losing') this.held.delete(condition);
    this.isTrue[condition] = isTrue;
  }

  isOver(condition: HandledCondition): boolean {
    const held = this.held.get(condition);
    if (held === undefined || held.isExpired) return true;
    if (condition === 'low') return this.fill <= returnsAt(held.fill);
    // Without readings, no rate explains a fall.
    return condition === 'losing' && this.fill <= held.fill - 2;
  }

  acknowledged(): HandledCondition[] {
    return CONDITIONS.filter((condition) => this.isTrue[condition] && !this.isOver(condition));
  }

  section(): string | null {
    const acknowledged = this.acknowledged();
    const isHandled = (condition: HandledCondition): boolean =>
      acknowledged.includes(condition) || (this.isMuted && condition !== 'losing');
    const open = CONDITIONS.filter((condition) => this.isTrue[condition]);
    const sections = { losing: 'losing', low: 'low', gauge_unreliable: 'gauge', silent: null };
    // A silent tank without a forecast is in no section of its own.
    const first = open.find((condition) => !isHandled(condition) && sections[condition] !== null);
    if (first !== undefined) return sections[first];
    return open.some(isHandled) ? 'handled' : null;
  }

  recordExpiredHandling(): void {
    for (const condition of CONDITIONS) if (this.isOver(condition)) this.held.delete(condition);
  }
}

test('acknowledgements and mutes equal those of a model after any sequence of readings, changes and expirations', async ({
  database,
  manage,
}) => {
  const random = new Random(37);
  const fleet = await givenHandledTank(database);
  const { key, tank } = fleet;
  const model = new Model();
  await setFill(database, tank.no, model.fill);
  const some = <T>(items: readonly T[]): T[] => items.filter(() => random.next() < 0.4);
  const steps: Record<string, () => Promise<void>> = {
    async flag() {
      const flags = ['low', 'gauge_unreliable', 'silent'] as const;
      const flag = flags[random.whole(0, 2)] ?? 'low';
      const isTrue = random.next() < 0.7;
      await setFlag(database, tank.no, flag, isTrue);
      model.set(flag, isTrue);
    },
    async loss() {
      const begins = random.next() < 0.6;
      await (begins ? beginLoss(database, fleet) : endLoss(database, tank.no));
      model.set('losing', begins);
    },
    async fill() {
      model.fill = random.whole(1, 40);
      await setFill(database, tank.no, model.fill);
    },
    async expire() {
      const [condition] = some(CONDITIONS);
      const held = condition && model.held.get(condition);
      if (held === undefined) return;
      held.isExpired = true;
      await database.owner.query('update acknowledgements set until = now() where id = $1', [held.id]);
    },
    async acknowledge() {
      const wanted = some(CONDITIONS);
      if (wanted.length === 0) return;
      const acknowledged = model.acknowledged();
      const others = wanted.filter((condition) => acknowledged.includes(condition));
      const isReplacing = random.next() < 0.5;
      const replaces = isReplacing ? others.map((condition) => model.held.get(condition)?.id) : [];
      const { status, json } = await manage.call(key, 'POST', `/tanks/${tank.id}/acknowledgements`, {
        body: { conditions: wanted, until: inMs(HOUR_MS), replaces },
      });
      const areOpen = wanted.every((condition) => model.isTrue[condition]);
      const expected = areOpen && (isReplacing || others.length === 0) ? 201 : 409;
      expect(status).toBe(expected);
      if (status !== 201) return;
      model.recordExpiredHandling();
      for (const { condition, id } of json.data) model.held.set(condition, { id, fill: model.fill, isExpired: false });
    },
    async withdraw() {
      const [[condition, { id }] = ['low', { id: '' }] as const] = [...model.held];
      if (id === '') return;
      expect((await manage.call(key, 'DELETE', `/acknowledgements/${id}`)).status).toBe(204);
      model.recordExpiredHandling();
      model.held.delete(condition);
    },
    async mute() {
      const isOn = random.next() < 0.5;
      const path = `/tanks/${tank.id}/mute`;
      const { status } = isOn
        ? await manage.call(key, 'PUT', path, { body: { until: inMs(HOUR_MS) } })
        : await manage.call(key, 'DELETE', path);
      const isRefused = isOn && model.isTrue.losing;
      const muteStatus = model.isMuted ? 200 : 201;
      const acceptedStatus = isOn ? muteStatus : 204;
      expect(status).toBe(isRefused ? 409 : acceptedStatus);
      if (isRefused) return;
      model.recordExpiredHandling();
      model.isMuted = isOn;
    },
    async worker() {
      await recordExpiredHandling(database.worker);
      model.recordExpiredHandling();
    },
  };
  const names = Object.keys(steps);
  const done: string[] = [];
  for (let step = 0; step < 150; step++) {
    const name = names[random.whole(0, names.length - 1)] ?? 'worker';
    done.push(name);
    await steps[name]?.();
    const { handled, muted_until, section } = await statusOf(manage, key, tank.id);
    const shown = handled.map(({ condition }: { condition: string }) => condition);
    expect([done.slice(-8), shown.toSorted(), muted_until !== null, section]).toEqual([
      done.slice(-8),
      model.acknowledged().toSorted(),
      model.isMuted,
      model.section(),
    ]);
  }
});

test('the database ends a loss as long after it was last seen as LOSING_HOURS says', async ({ database }) => {
  const { tank } = await givenHandledTank(database);
  const isLosing = async (hours: number): Promise<boolean> => {
    await database.owner.query(
      'update fleet_tanks set losing_seen_at = now() - make_interval(mins => $2) where tank_no = $1',
      [tank.no, Math.round(hours * 60)],
    );
    const { rows } = await database.owner.query(
      `select from tank_conditions where tank_no = $1 and condition = 'losing'`,
      [tank.no],
    );
    return rows.length === 1;
  };
  expect([await isLosing(LOSING_HOURS - 0.1), await isLosing(LOSING_HOURS + 0.1)]).toEqual([true, false]);
});

test('a tank that is being deleted is not muted', async ({ database, manage }) => {
  const { key, tank, organizationNo } = await givenHandledTank(database);
  let muting: ReturnType<ManageApi['call']> | undefined;
  await transaction(database.operator, async (tx) => {
    await deleteTank(tx, organizationNo, tank.no);
    muting = manage.call(key, 'PUT', `/tanks/${tank.id}/mute`, { body: { until: inMs(DAY_MS) } });
    await expectLockWaits(database.owner, 1);
  });
  expect((await muting)?.status).toBe(404);
  expect((await database.owner.query('select from mutes where tank_no = $1', [tank.no])).rows).toEqual([]);
});
