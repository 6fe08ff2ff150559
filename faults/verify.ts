import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { LoadedReading, LoadRecord } from '../bench/load_client/load_record.ts';
import { atMost, type Check, figure } from '../bench/report.ts';
import type { Installation } from '../engines/installation.ts';
import { readNumber } from '../engines/read_number.ts';
import { until } from '../engines/until.ts';
import { checkTelemetryCounters } from '../src/doctor/telemetry_drift.ts';
import { fireAllTimers } from '../src/evaluation/fire_timers.ts';
import { reevaluateAllTanks } from '../src/evaluation/reevaluator.ts';
import { silentLogger } from '../src/health/outage.ts';
import { readStreamConfig } from '../src/settings/command_settings.ts';
import { Stream } from '../src/stream/stream.ts';

/** Waits until no tank waits for its re-evaluation. A failed one is retried after a growing delay. */
export const untilEvaluated = ({ owner }: Installation, timeoutMs = 60_000): Promise<boolean> =>
  until('no tank waits for its re-evaluation', async () => (await countQueued(owner)) === 0, timeoutMs);

const countQueued = (owner: Pool): Promise<number> => readNumber(owner, 'select count(*) as n from reevaluations');

const countExpired = (owner: Pool): Promise<number> =>
  readNumber(owner, 'select count(*) as n from tank_states where timer_at <= now()');

/** Waits until the writers have stored all messages of the stream. */
export async function untilDrained({ environment, nats }: Installation): Promise<void> {
  const stream = await Stream.connect({
    ...readStreamConfig({ ...environment, NATS_URL: nats.url }),
    clientName: 'fault run',
    logger: silentLogger,
  });
  try {
    for (;;) {
      const waiting = await stream.status().then(
        (status) => status.waiting,
        () => Number.NaN, // a cluster without a leader does not answer
      );
      if (waiting === 0) return;
      await sleep(50);
    }
  } finally {
    await stream.close();
  }
}

/** Compares the stored readings with the acknowledged and the unknown ones, and every counter with a recount. */
export async function verify(installation: Installation, records: readonly LoadRecord[]): Promise<Check[]> {
  const { lost, storedTwice, neverSent, differing, acknowledged, unknown, stored } = await compareStored(
    installation,
    records,
  );
  const rejected = await readNumber(installation.owner, 'select count(*) as n from rejected_readings');
  const drift = await checkTelemetryCounters({ pool: installation.owner, fix: false, progress: () => {} });
  const crashes = installation.crashes();
  for (const log of crashes) console.error(log);
  return [
    atMost('processes that crashed', crashes.length, 0),
    atMost('acknowledged readings lost', lost, 0),
    atMost('readings stored twice', storedTwice, 0),
    atMost('readings stored with another value', differing, 0),
    atMost('stored readings that were never sent', neverSent, 0),
    atMost('readings rejected', rejected, 0),
    atMost('counters and states that differ from a recount', drift.length, 0),
    atMost(
      'tanks whose events or state differ from an evaluation of all readings in order',
      await countWrongTanks(installation),
      0,
    ),
    figure('acknowledged', acknowledged),
    figure('unknown', unknown),
    figure('stored', stored),
  ];
}

/** Compares events and states that the writers computed with an evaluation of all readings in order. */
async function countWrongTanks({ owner, tanks }: Installation): Promise<number> {
  // Writers may lock tanks that they evaluate at the same time. So this repeats until no tank waits.
  const settle = (): Promise<boolean> =>
    until('no tank waits for its evaluation', async () => {
      await reevaluateAllTanks(owner);
      await fireAllTimers(owner);
      return (await countQueued(owner)) + (await countExpired(owner)) === 0;
    });
  const read = async (): Promise<Map<number, string>> => {
    const { rows } = await owner.query<{ tank_no: number; evaluated: string }>(
      `select s.tank_no, concat(s.encoded_state, array(
         select (e.type, e.occurred_at, e.data, e.readings)::text from events e
         where e.tank_no = s.tank_no and e.retracted_at is null order by e.occurred_at, e.type
       )) as evaluated
       from tank_states s where s.tank_no = any ($1)`,
      // Only tanks with a sensor are compared: others were evaluated with the use of similar tanks at that time, which has
      // changed since.
      [tanks.map(({ no }) => no)],
    );
    return new Map(rows.map(({ tank_no, evaluated }) => [tank_no, evaluated]));
  };
  await settle();
  const asStored = await read();
  await owner.query('truncate tank_checkpoints');
  await owner.query('update tank_states set reevaluate_from = to_timestamp(0)');
  await owner.query(
    `insert into reevaluations (tank_no, organization_no)
     select tank_no, organization_no from tank_states join tank_settings using (tank_no)`,
  );
  await settle();
  const reevaluated = await read();
  const wrong = [...reevaluated].filter(([tankNo, evaluated]) => asStored.get(tankNo) !== evaluated);
  for (const [tankNo, evaluated] of wrong.slice(0, 1))
    console.error(`tank ${tankNo} as stored:\n${asStored.get(tankNo)}\nevaluated in order:\n${evaluated}`);
  return wrong.length;
}

async function compareStored({ owner, devices, tanks }: Installation, records: readonly LoadRecord[]) {
  const { rows } = await owner.query<{ tank_no: number; created_at: string; fill_percentage: number; n: number }>(
    `select s.tank_no, r.created_at, min(r.fill_percentage) as fill_percentage, count(*) as n
     from tank_states s cross join lateral oldest_telemetry(s.tank_no, '-infinity', 'infinity', 2147483647) as r
     where s.tank_no = any ($1) group by 1, 2`,
    [tanks.map(({ no }) => no)],
  );
  const deviceOf = new Map(tanks.map(({ no }, index) => [no, devices[index]?.deviceId ?? '']));
  const stored = new Map(rows.map((row) => [`${deviceOf.get(row.tank_no)} ${row.created_at}`, row]));
  const keyOf = ({ deviceId, createdAt }: LoadedReading): string => `${deviceId} ${createdAt}`;
  const counts = { lost: 0, differing: 0, acknowledged: 0, unknown: 0 };
  const sent = new Set<string>();
  for (const record of records) {
    for (const state of ['acknowledged', 'unknown'] as const) {
      for (const reading of record.readings(state)) {
        const found = stored.get(keyOf(reading));
        sent.add(keyOf(reading));
        counts[state]++;
        if (found === undefined && state === 'acknowledged') counts.lost++;
        if (found !== undefined && found.fill_percentage !== reading.fillPercentage) counts.differing++;
      }
    }
  }
  return {
    ...counts,
    stored: rows.length,
    storedTwice: rows.filter(({ n }) => n > 1).length,
    neverSent: stored
      .keys()
      .filter((key) => !sent.has(key))
      .toArray().length,
  };
}
