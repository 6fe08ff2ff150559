import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { atLeast, atMost, type Check, figure } from '../../bench/report.ts';
import type { Installation } from '../../engines/installation.ts';
import { readNumber } from '../../engines/read_number.ts';
import { idsOf, type Received } from '../../engines/webhook_receiver.ts';
import { onlyRow } from '../../src/db/only_row.ts';
import { call } from './call.ts';

const List = Type.Object({ total_items: Type.Integer() });

/** The answers of /v1 about unchanged objects, by path, and the numbers of customers and tanks. */
export interface Answers {
  bodies: Map<string, unknown>;
  customers: number;
  tanks: number;
}

/** Reads these paths of /v1, and the numbers of customers and tanks. */
export async function readAnswers(apiUrl: string, key: string, paths: readonly string[]): Promise<Answers> {
  const get = (path: string): Promise<unknown> => call(apiUrl + path, { key });
  const total = async (path: string): Promise<number> => Value.Decode(List, await get(path)).total_items;
  const bodies = new Map<string, unknown>();
  for (const path of paths) bodies.set(path, await get(path));
  return { bodies, customers: await total('/v1/customers?size=1'), tanks: await total('/v1/tanks?size=1') };
}

/** Compares answers before and after the upgrade. `added` is the number of objects that the run itself has created. */
export function compareAnswers(
  before: Answers,
  after: Answers,
  added: { customers: number; tanks: number },
  log: (line: string) => void,
): Check[] {
  const differing = [...before.bodies].filter(([path, body]) => !isDeepStrictEqual(body, after.bodies.get(path)));
  for (const [path, body] of differing.slice(0, 3))
    log(`${path} was ${JSON.stringify(body)}\nand is ${JSON.stringify(after.bodies.get(path))}`);
  return [
    atMost('customers that /v1 lost or invented', Math.abs(after.customers - before.customers - added.customers), 0),
    atMost('tanks that /v1 lost or invented', Math.abs(after.tanks - before.tanks - added.tanks), 0),
    atLeast('answers of /v1 compared', before.bodies.size, 40),
    atMost('answers of /v1 that differ', differing.length, 0),
  ];
}

/** Reads the ids of all stored events. */
export async function readEventIds({ owner }: Installation): Promise<Set<string>> {
  const { rows } = await owner.query<{ id: string }>('select id from events');
  return new Set(rows.map(({ id }) => id));
}

/** Finds a low tank. */
export async function findLowTank({ owner }: Installation): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `select t.id from events e join tanks t on t.no = e.tank_no
     where e.type = 'tank.low_fill' and e.retracted_at is null order by e.no limit 1`,
  );
  return onlyRow(rows).id;
}

const UNDELIVERED_SQL = `e.notify and e.retracted_at is null and not exists (
  select from webhook_deliveries d where d.event_no = e.no and d.status = 'delivered')`;

export const countUndelivered = ({ owner }: Installation): Promise<number> =>
  readNumber(owner, `select count(*) as n from events e where ${UNDELIVERED_SQL}`);

const Message = Type.Object({ type: Type.String(), data: Type.Object({ tank: Type.Object({ id: Type.String() }) }) });

/**
 * Compares webhooks with events. No tank is refilled in this load, so each tank becomes low once: a second webhook about it means
 * that both releases have sent the same event.
 */
export async function checkWebhooks(
  installation: Installation,
  received: readonly Received[],
  before: ReadonlySet<string>,
): Promise<Check[]> {
  const { rows } = await installation.owner.query<{ id: string; tank_id: string; type: string; is_valid: boolean }>(
    `select e.id, t.id as tank_id, e.type, e.retracted_at is null as is_valid
     from events e join tanks t on t.no = e.tank_no`,
  );
  const stored = new Set(rows.map(({ id }) => id));
  const low = new Set(
    rows.filter(({ type, is_valid }) => type === 'tank.low_fill' && is_valid).map((row) => row.tank_id),
  );
  const ids = idsOf(received);
  const messages = received.map(({ body }) => Value.Decode(Message, JSON.parse(body)));
  const lowTankIds = messages.filter(({ type }) => type === 'tank.low_fill').map(({ data }) => data.tank.id);
  return [
    atLeast('events before the upgrade', before.size, 3),
    atMost('events before the upgrade that are no longer stored', before.difference(stored).size, 0),
    figure(
      'events before the upgrade that the new release retracted',
      rows.filter((row) => before.has(row.id) && !row.is_valid).length,
    ),
    atLeast('events after the upgrade', stored.size - before.size, 5),
    atMost('events without a delivered webhook', await countUndelivered(installation), 0),
    atMost('webhooks received twice', ids.length - new Set(ids).size, 0),
    atMost('webhooks about a low tank beyond the first', lowTankIds.length - new Set(lowTankIds).size, 0),
    atMost('low tanks without a webhook', low.difference(new Set(lowTankIds)).size, 0),
    figure('webhooks received', ids.length),
    figure('webhooks received that are retractions', messages.filter(({ type }) => type === 'event.retracted').length),
  ];
}
