import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { isSheetOld } from '../../src/deliveries/pure/rounds/printed_round.ts';
import { type GivenRound, givenRound } from '../support/driven_rounds.ts';
import { givenContact } from '../support/fleet.ts';
import { callApi } from '../support/http.ts';
import { settle } from '../support/ledger.ts';
import { givenManagedOrganization, type ManageApi, test } from '../support/manage.ts';
import { givenSession } from '../support/sessions.ts';
import type { TestDatabase } from '../support/test.ts';

/** A round of today whose driver has a phone, and Maya Lind in the office. */
async function givenOffice(database: TestDatabase, manage: ManageApi, options: Parameters<typeof givenRound>[2] = {}) {
  const { organizationNo, key } = await givenManagedOrganization(database);
  const round = await givenRound(database.owner, organizationNo, options);
  const { id: contactId } = await givenContact(database.operator, organizationNo, {
    email: `${randomUUID()}@example.com`,
    types: [],
    name: 'Maya Lind',
    roles: ['dispatcher'],
  });
  const { cookie } = await givenSession(database, { contactId });
  const office = (method: string, path: string, { body, ifMatch }: { body?: object; ifMatch?: string } = {}) =>
    callApi(manage.url, `/manage/v1${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        cookie,
        origin: manage.url,
        'idempotency-key': randomUUID(),
        ...(body === undefined
          ? {}
          : { 'content-type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
    });
  const ofRound = (target: GivenRound) => ({
    record: (stop: number, body: object) => office('POST', `/rounds/${target.id}/stops/${stop}/entries`, { body }),
    readRound: async () => (await callApi(manage.url, `/fleet/v1/rounds/${target.id}`, { key })).json,
    sendFromPhone: async (stop: number, entry: object) => {
      const { json } = await manage.call(key, 'POST', `/rounds/${target.id}/driver-link`);
      return callApi(manage.url, `/driver/v1/entries/${randomUUID()}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${String(json.url).replace('/driver/#', '')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          stop,
          tank_id: target.stops[stop - 1]?.tankId,
          kind: 'delivered',
          volume: 300,
          unit: 'liters',
          reason: null,
          comment: null,
          note: null,
          filled_to: null,
          at: new Date().toISOString(),
          ...entry,
        }),
      });
    },
  });
  const notes = async (): Promise<unknown[]> => {
    const { rows } = await database.owner.query(
      'select series, number, volume, is_cancelled from delivery_notes where organization_no = $1 order by no',
      [organizationNo],
    );
    return rows;
  };
  return { organizationNo, key, round, office, notes, ofRound, ...ofRound(round) };
}

const reopened = { kind: 'reopened', volume: null, unit: null };
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

test('the office records a planned round for a driver with paper: volume, time, note and comment', async ({
  database,
  manage,
}) => {
  const { record, readRound, notes } = await givenOffice(database, manage);
  const at = ago(20);
  const answer = await record(1, { kind: 'delivered', volume: 468, at, note: 'N-20379', comment: 'Dog in the yard' });
  expect([answer.status, answer.json.state], answer.text).toEqual([201, 'under_way']);
  expect(answer.text).not.toContain('Dog in the yard'); // stored answers outlive a deleted tank
  const { stops, state } = await readRound();
  expect(state).toBe('under_way');
  expect(stops[0]).toMatchObject({
    outcome: 'delivered',
    outcome_from: 'person',
    outcome_at: at,
    delivered_volume: 468,
    said_by_name: 'Maya Lind',
    comment: 'Dog in the yard',
    note: 'N-20379',
    other_entry: null,
  });
  expect(await notes()).toEqual([{ series: 'N', number: '20379', volume: 468, is_cancelled: false }]);
  expect((await record(2, { kind: 'not_possible', reason: 'no_access', at })).status).toBe(201);
  expect((await readRound()).stops[1]).toMatchObject({
    outcome: 'not_possible',
    reason: 'no_access',
    outcome_from: 'person',
  });
});

test('the office and the phone write the number of a note in the same way', async ({ database, manage }) => {
  const { record, sendFromPhone, notes, key } = await givenOffice(database, manage);
  // The tilde is a character of its own, as on macOS.
  const written = `${' '.repeat(60)}n\u0303 12\n`;
  expect((await record(1, { kind: 'delivered', volume: 468, note: written })).status).toBe(201);
  expect(await notes()).toMatchObject([{ series: 'Ñ', number: '12' }]);
  expect((await sendFromPhone(2, { note: written.replace('12', '13') })).status).toBe(201);
  expect((await manage.call(key, 'GET', `/delivery-notes/${encodeURIComponent('Ñ')}/13`)).status).toBe(200);
  for (const note of ['', ' ', '1'.repeat(61)])
    expect([
      (await record(3, { kind: 'delivered', volume: 1, note })).status,
      (await sendFromPhone(3, { note })).status,
    ]).toEqual([422, 400]);
});

test('the first entry counts, of the office or of the driver, and another one is shown beside it', async ({
  database,
  manage,
}) => {
  const { record, sendFromPhone, readRound, notes, key, round } = await givenOffice(database, manage);
  const stop = async (number: number) => (await readRound()).stops[number - 1];
  // The office was first. A later entry of the phone is kept, but its note does not count.
  await record(1, { kind: 'delivered', volume: 468, at: ago(20), note: '1' });
  expect((await sendFromPhone(1, { volume: 46, note: '2', comment: 'by the meter' })).status).toBe(201);
  expect(await stop(1)).toMatchObject({
    delivered_volume: 468,
    outcome_from: 'person',
    other_entry: {
      from: 'driver',
      kind: 'delivered',
      volume: 46,
      comment: 'by the meter',
      note: '2',
      said_by_name: null,
    },
  });
  expect(await notes()).toEqual([{ series: '', number: '1', volume: 468, is_cancelled: false }]);
  // The same volume is not a contradiction.
  await sendFromPhone(1, { volume: 468 });
  expect((await stop(1)).other_entry).toBeNull();
  // The driver was first.
  await sendFromPhone(2, { volume: 300, comment: 'Gate locked' });
  await record(2, { kind: 'delivered', volume: 310 });
  expect(await stop(2)).toMatchObject({
    delivered_volume: 300,
    outcome_from: 'driver',
    said_by_name: null,
    comment: 'Gate locked',
    other_entry: { from: 'person', volume: 310, said_by_name: 'Maya Lind' },
  });
  // A correction counts, and earlier entries are kept.
  await record(2, { kind: 'delivered', volume: 311, is_correction: true });
  expect(await stop(2)).toMatchObject({ delivered_volume: 311, outcome_from: 'person', other_entry: null });
  const { json } = await manage.call(key, 'GET', `/rounds/${round.id}/driver-entries`);
  const sent = json.data.filter((entry: { stop: number }) => entry.stop === 2);
  expect(
    sent.map((entry: Record<string, unknown>) => [entry['volume'], entry['recorded_by_name'], entry['is_correction']]),
  ).toEqual([
    [300, null, false],
    [310, 'Maya Lind', false],
    [311, 'Maya Lind', true],
  ]);
});

test('a driver reopens a stop that the office has recorded only with a later entry, and can then record it again', async ({
  database,
  manage,
}) => {
  const { record, sendFromPhone, readRound, notes } = await givenOffice(database, manage);
  const stop = async () => (await readRound()).stops[0];
  await record(1, { kind: 'delivered', volume: 468, at: ago(20), note: '1' });
  // Both entries were made before the office recorded the stop, on a phone without network.
  await sendFromPhone(1, { ...reopened, at: ago(15) });
  await sendFromPhone(1, { volume: 46, at: ago(14) });
  expect(await stop()).toMatchObject({ delivered_volume: 468, other_entry: { volume: 46 } });
  await sendFromPhone(1, reopened);
  expect(await stop()).toMatchObject({ outcome: 'open', other_entry: null });
  expect(await notes()).toMatchObject([{ number: '1', is_cancelled: true }]);
  await sendFromPhone(1, { volume: 47 });
  expect(await stop()).toMatchObject({ delivered_volume: 47, outcome_from: 'driver' });
  // The office opens a stop again.
  expect((await record(1, { kind: 'reopened' })).status).toBe(201);
  expect(await stop()).toMatchObject({ outcome: 'open' });
});

test('the page of a tank shows what the driver wrote at its stop, with a delivery note and without one', async ({
  database,
  manage,
}) => {
  const { sendFromPhone, key, round } = await givenOffice(database, manage);
  await sendFromPhone(1, { volume: 300, comment: 'Gate locked' });
  await sendFromPhone(2, { volume: 250, note: '77', comment: 'Dog in the yard', at: ago(5) });
  await settle(database.worker);
  const entriesOf = async (stop: number) => {
    const path = `/fleet/v1/tanks/${round.stops[stop - 1]?.tankId}/timeline`;
    return (await callApi(manage.url, path, { key })).json.entries;
  };
  expect(await entriesOf(1)).toContainEqual(
    expect.objectContaining({ act: expect.objectContaining({ type: 'stop_delivered', comment: 'Gate locked' }) }),
  );
  expect(await entriesOf(2)).toContainEqual(
    expect.objectContaining({ delivery: expect.objectContaining({ comment: 'Dog in the yard' }) }),
  );
});

test('a driver cannot undo a correction of the office, and the office can', async ({ database, manage }) => {
  const { record, sendFromPhone, readRound, notes } = await givenOffice(database, manage);
  const stop = async () => (await readRound()).stops[0];
  await sendFromPhone(1, { volume: 300, note: '1', at: ago(20) });
  await record(1, { kind: 'delivered', volume: 311, note: '1', is_correction: true });
  for (const entry of [reopened, { volume: 5, note: '1' }, { volume: 6, note: '2' }, reopened])
    expect((await sendFromPhone(1, entry)).status).toBe(201);
  expect(await stop()).toMatchObject({ outcome: 'delivered', delivered_volume: 311, outcome_from: 'person' });
  expect(await notes()).toEqual([{ series: '', number: '1', volume: 311, is_cancelled: false }]);
  await record(1, { kind: 'reopened', is_correction: true });
  expect(await stop()).toMatchObject({ outcome: 'open' });
});

test('the number of a note that an entry has cancelled can be used for another stop and by a person', async ({
  database,
  manage,
}) => {
  const { record, sendFromPhone, notes, key, round } = await givenOffice(database, manage);
  // The driver mixes up the papers of two stops, and corrects this.
  await sendFromPhone(1, { volume: 300, note: '2', at: ago(20) });
  await sendFromPhone(1, { volume: 300, note: '1', at: ago(19) });
  expect((await sendFromPhone(2, { volume: 250, note: '2', at: ago(18) })).status).toBe(201);
  expect(await notes()).toEqual([
    { series: '', number: '2', volume: 250, is_cancelled: false },
    { series: '', number: '1', volume: 300, is_cancelled: false },
  ]);
  const { json: taken } = await manage.call(key, 'GET', '/delivery-notes/-/2');
  expect(taken).toMatchObject({ tank_id: round.stops[1]?.tankId, status: 'valid' });
  // Entries of the first stop no longer change that note.
  await sendFromPhone(1, { volume: 1, note: '2', at: ago(17) });
  expect(await notes()).toMatchObject([
    { number: '2', volume: 250 },
    { number: '1', is_cancelled: true },
  ]);
  expect((await record(2, { kind: 'delivered', volume: 260, note: '1', is_correction: true })).status).toBe(201);
  expect(await notes()).toMatchObject([
    { number: '2', volume: 250, is_cancelled: true },
    { number: '1', volume: 260, is_cancelled: false },
  ]);
  const note = { at: ago(5), volume: 99, unit: 'liters', tank: round.stops[0]?.tankId };
  const put = (number: string) =>
    manage.call(key, 'PUT', `/delivery-notes/-/${number}`, { body: note, headers: { 'if-none-match': '*' } });
  // What a person said about the cancelled note was about another delivery.
  await database.owner.query(
    `insert into note_pins (organization_no, note_no, tank_no, refill_at, kind)
     select organization_no, no, tank_no, now(), 'together' from delivery_notes where id = $1`,
    [taken.id],
  );
  expect([(await put('1')).status, (await put('2')).status]).toEqual([412, 200]);
  expect((await manage.call(key, 'GET', '/delivery-notes/-/2')).json.pins).toEqual([]);
  expect(await notes()).toMatchObject([{ number: '2', volume: 99, is_cancelled: false }, { volume: 260 }]);
  // A note that a person has withdrawn keeps its number.
  const { json: written } = await manage.call(key, 'GET', '/delivery-notes/-/2');
  await manage.call(key, 'PUT', '/delivery-notes/-/2', {
    body: { ...note, status: 'cancelled' },
    ifMatch: written.etag,
  });
  expect((await put('2')).status).toBe(412);
});

test('an entry touches only notes of its own stop, also if it has the number of another one', async ({
  database,
  manage,
}) => {
  const { organizationNo, round, record, sendFromPhone, notes, ofRound, key } = await givenOffice(database, manage);
  await sendFromPhone(1, { volume: 300, note: 'A-1' });
  // Another round visits the same tank.
  const other = await givenRound(database.owner, organizationNo, { stops: 1 });
  const tank = round.stops[0];
  await database.owner.query('update round_stops set tank_no = $2 where round_no = $1', [other.no, tank?.tankNo]);
  const next = ofRound({ ...other, stops: tank === undefined ? [] : [tank] });
  const first = [{ series: 'A', number: '1', volume: 300, is_cancelled: false }];
  expect((await next.sendFromPhone(1, { volume: 5, note: 'A-1' })).status).toBe(201);
  expect(await notes()).toEqual(first);
  expect((await next.sendFromPhone(1, { volume: 6, note: 'A-1' })).status).toBe(201);
  expect((await next.sendFromPhone(1, reopened)).status).toBe(201);
  expect(await notes()).toEqual(first);
  const outcome = { outcome: 'not_possible', reason: 'full' };
  await manage.call(key, 'PUT', `/rounds/${other.id}/stops/1/outcome`, { body: outcome });
  expect(await notes()).toEqual(first);
  // The answer to the office names the note.
  const refused = await next.record(1, { kind: 'delivered', volume: 7, note: 'A 1', is_correction: true });
  const { json: note } = await manage.call(key, 'GET', '/delivery-notes/A/1');
  expect([refused.status, refused.json.conflicting_id]).toEqual([409, note.id]);
  expect((await record(2, { kind: 'delivered', volume: 7, note: 'A-1' })).status).toBe(409);
  expect((await record(1, { kind: 'delivered', volume: 301, note: 'A-1', is_correction: true })).status).toBe(201);
  expect(await notes()).toEqual([{ series: 'A', number: '1', volume: 301, is_cancelled: false }]);
});

test('an invalid entry is refused with its field, and nothing is recorded for a cancelled round', async ({
  database,
  manage,
}) => {
  const { record, round, office } = await givenOffice(database, manage);
  const paramOf = async (body: object): Promise<unknown> => (await record(1, body)).json.errors?.[0]?.param;
  expect(await paramOf({ kind: 'delivered' })).toBe('volume');
  expect(await paramOf({ kind: 'delivered', volume: 0 })).toBe('volume');
  expect(await paramOf({ kind: 'not_possible' })).toBe('reason');
  expect(await paramOf({ kind: 'not_possible', reason: 'full', note: '1' })).toBe('note');
  expect(await paramOf({ kind: 'delivered', volume: 1, at: ago(-60) })).toBe('at');
  expect(await paramOf({ kind: 'delivered', volume: 1, at: ago(4 * 24 * 60) })).toBe('at');
  expect(await paramOf({ kind: 'delivered', volume: 1, comment: 'x'.repeat(501) })).toBe('comment');
  expect((await record(9, { kind: 'delivered', volume: 1 })).status).toBe(404);
  await office('PATCH', `/rounds/${round.id}`, { body: { state: 'cancelled' }, ifMatch: '*' });
  expect((await record(1, { kind: 'delivered', volume: 1 })).status).toBe(409);
});

test('a round says who printed it, which sheet the next one replaces, and when the paper is old', async ({
  database,
  manage,
}) => {
  const { office, readRound, round, record } = await givenOffice(database, manage);
  expect((await readRound()).print).toBeNull();
  const { json: first } = await office('POST', `/rounds/${round.id}/prints`);
  expect(first.replaces).toBeNull();
  expect((await readRound()).print).toEqual({ at: first.at, by_name: 'Maya Lind', is_old: false });
  await record(1, { kind: 'delivered', volume: 300 });
  expect((await readRound()).print.is_old).toBe(false);
  const { json: plan } = await office('GET', `/rounds/${round.id}`);
  const stops = plan.stops.map(({ tank_id }: { tank_id: string }, index: number) => ({
    tank_id,
    ...(index === 1 ? { volume: 900 } : {}),
  }));
  await office('PUT', `/rounds/${round.id}/stops`, { body: { stops }, ifMatch: '*' });
  expect((await readRound()).print.is_old).toBe(true);
  const { json: second } = await office('POST', `/rounds/${round.id}/prints`);
  expect(second.replaces).toBe(first.at);
  expect((await readRound()).print.is_old).toBe(false);
});

test('paper is old if a stop is blocked, new, taken off or has another volume, and not if it was delivered', () => {
  const stop = (number: number, values: object = {}) => ({
    number,
    outcome: 'open',
    volume: 200,
    block: null,
    ...values,
  });
  const printed = { 1: 200, 2: 200, 3: null };
  const isOld = (...changed: ReturnType<typeof stop>[]): boolean => isSheetOld(printed, changed, 'gallons');
  const blocked = stop(3, { block: {}, volume: 0 });
  expect(isOld(stop(1), stop(2), blocked)).toBe(false);
  expect(isOld(stop(1, { volume: 205 }), stop(2), blocked)).toBe(false);
  expect(isOld(stop(1, { volume: 215 }), stop(2), blocked)).toBe(true);
  expect(isOld(stop(1, { outcome: 'delivered', volume: 999 }), stop(2), blocked)).toBe(false);
  expect(isOld(stop(1, { block: {}, volume: 0 }), stop(2), blocked)).toBe(true);
  expect(isOld(stop(1), stop(2), stop(3))).toBe(true);
  expect(isOld(stop(1), stop(2))).toBe(true);
  expect(isOld(stop(1), stop(2), blocked, stop(4))).toBe(true);
});
