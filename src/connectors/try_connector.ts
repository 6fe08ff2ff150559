import type { Agent } from 'undici';
import type { Db } from '../db/pool.ts';
import type { OrganizationGauges } from '../gauges/selection.ts';
import { DAY_MS, HOUR_MS } from '../values/time.ts';
import type { Trial } from './connectors.ts';
import type { JsonSource } from './json_source.ts';
import type { ReadAnswer } from './read_answer.ts';
import { type SourceAddresses, SourceClient, SourceError } from './source_client.ts';
import { MIN_WINDOW_MS, SourceReader, WindowTooLargeError } from './source_reader.ts';

export interface TriedSource {
  organizationNo: number;
  source: JsonSource;
  secret: string | null;
  gauges: OrganizationGauges;
}

/** Asks a source once for its readings of the last day, or of one device, and counts them. Stores nothing. */
export async function trySource(
  db: Db,
  { organizationNo, source, secret, gauges }: TriedSource,
  network: { agent: Agent; addresses: SourceAddresses },
): Promise<Trial> {
  const found = new Set<string>();
  let readings = 0;
  let error: string | null = null;
  const client = new SourceClient({ ...network, source, secret, beforeRequest: async () => {} });
  const reader = new SourceReader(client, source, gauges);
  try {
    for (const device of source.devices === null ? [] : await reader.devices()) found.add(device);
    const answer = await firstAnswer(reader, source.hasHistory);
    readings = answer?.readings.length ?? 0;
    for (const { deviceId } of answer?.readings ?? []) found.add(deviceId);
  } catch (problem) {
    if (!(problem instanceof SourceError)) throw problem;
    error = problem.message;
  }
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from tanks where organization_no = $1 and assigned_device_id = any ($2) and deleted_at is null`,
    [organizationNo, [...found]],
  );
  return {
    at: new Date().toISOString(),
    works: error === null,
    devices: found.size,
    devices_on_tanks: rows[0]?.n ?? 0,
    readings,
    error,
  };
}

async function firstAnswer(reader: SourceReader, hasHistory: boolean): Promise<ReadAnswer | undefined> {
  if (!hasHistory) {
    for await (const { answer } of reader.latest()) return answer;
    return undefined;
  }
  for (const lengthMs of [DAY_MS, HOUR_MS, MIN_WINDOW_MS]) {
    const toMs = Date.now();
    try {
      for await (const answer of reader.window({ fromMs: toMs - lengthMs, toMs })) return answer;
    } catch (error) {
      if (!(error instanceof WindowTooLargeError)) throw error;
    }
  }
  return undefined;
}
