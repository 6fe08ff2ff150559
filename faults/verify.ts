import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Check, told } from '../bench/report.ts';
import type { Pipeline } from '../engines/pipeline.ts';
import { checkTelemetryCounters } from '../src/doctor/telemetry_drift.ts';
import type { LoadedReading, LoadRecord } from '../src/simulation/load_record.ts';

/** Waits until everything acknowledged is committed. How long that took, or undefined where it never was. */
export async function untilDrained(pipeline: Pipeline, records: readonly LoadRecord[]): Promise<number | undefined> {
  const startMs = performance.now();
  while (performance.now() - startMs < 120_000) {
    const { lost } = await compareStored(pipeline, records);
    if (lost === 0) return (performance.now() - startMs) / 1_000;
    await sleep(200);
  }
  return undefined;
}

/** What is stored against what was acknowledged and what may have been stored, and every counter against a recount. */
export async function verify(pipeline: Pipeline, records: readonly LoadRecord[]): Promise<Check[]> {
  const { lost, doubled, foreign, differing, acknowledged, unknown, stored } = await compareStored(pipeline, records);
  const { rows } = await pipeline.owner.query<{ n: number }>('select count(*) as n from rejected_readings');
  const drift = await checkTelemetryCounters({ pool: pipeline.owner, fix: false, progress: () => {} });
  return [
    atMost('acknowledged readings lost', lost, 0),
    atMost('readings doubled', doubled, 0),
    atMost('readings stored with another value', differing, 0),
    atMost('readings stored that nobody sent', foreign, 0),
    atMost('readings rejected', rows[0]?.n ?? -1, 0),
    atMost('counters and states that differ from a recount', drift.length, 0),
    told('acknowledged', acknowledged),
    told('unknown', unknown),
    told('stored', stored),
  ];
}

async function compareStored({ owner, devices, tankNos }: Pipeline, records: readonly LoadRecord[]) {
  const { rows } = await owner.query<{ tank_no: number; created_at: string; fill_percentage: number; n: number }>(
    'select tank_no, created_at, min(fill_percentage) as fill_percentage, count(*) as n from telemetry group by 1, 2',
  );
  const deviceOf = new Map(tankNos.map((tankNo, at) => [tankNo, devices[at]?.deviceId ?? '']));
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
    doubled: rows.filter(({ n }) => n > 1).length,
    foreign: stored
      .keys()
      .filter((key) => !sent.has(key))
      .toArray().length,
  };
}
