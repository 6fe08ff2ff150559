import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ReadAnswer } from '../connectors/read_answer.ts';
import type { Batcher } from '../telemetry/batcher.ts';
import type { RejectedPayloads } from '../telemetry/rejected_payloads.ts';
import { SECOND_MS } from '../values/time.ts';
import type { LeasedConnector } from './connector_state.ts';

/** Readings that are submitted at a time. They fill a message of the stream. */
const CHUNK_READINGS = 500;

export interface SinkOptions {
  pool: Pool;
  batcher: Batcher;
  rejectedPayloads: RejectedPayloads;
  /** Of one connector. A past of years must not delay the readings of others. */
  readingsPerSecond: number;
  onStored: (readings: number) => void;
}

/** Puts the readings of a source into the stream. */
export class Sink {
  readonly #options: SinkOptions;

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the stream has stored everything. Throws StreamUnavailableError if that is not certain. Of clouds, only readings
   * of devices on tanks are submitted: a cloud can have thousands of others, which would be recorded as unknown again and again. What
   * is read again was rejected before.
   */
  async submit(
    connector: Pick<LeasedConnector, 'no' | 'organization_no'>,
    answer: Omit<ReadAnswer, 'items'>,
    { from: origin, signal }: { from: 'broker' | 'cloud' | 'cloud again'; signal: AbortSignal },
  ): Promise<void> {
    const { batcher, rejectedPayloads, readingsPerSecond, onStored } = this.#options;
    const { organization_no: organizationNo } = connector;
    await this.#recordDevices(connector.no, answer.readings);
    const known =
      origin === 'broker' || answer.readings.length === 0
        ? undefined
        : await this.#devicesOnTanks(organizationNo, answer.readings);
    const readings = answer.readings
      .filter(({ deviceId }) => known?.has(deviceId) !== false)
      .map((reading) => ({ ...reading, organizationNo }));
    const rejections =
      origin === 'cloud again'
        ? []
        : rejectedPayloads
            .toStore('connector', connector.no, answer.rejections)
            .map((rejection) => ({ ...rejection, organizationNo }));
    const health = answer.health.map((report) => ({ ...report, organization_no: organizationNo }));
    for (let from = 0; from === 0 || from < readings.length; from += CHUNK_READINGS) {
      signal.throwIfAborted();
      const chunk = readings.slice(from, from + CHUNK_READINGS);
      const startMs = performance.now();
      await (from === 0 ? batcher.submit(chunk, rejections, health) : batcher.submit(chunk, []));
      onStored(chunk.length);
      const pauseMs = (chunk.length / readingsPerSecond) * SECOND_MS - (performance.now() - startMs);
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
    }
  }

  /** Which devices a source has is known before their readings are stored, and written at most once an hour. */
  async #recordDevices(connectorNo: number, readings: ReadAnswer['readings']): Promise<void> {
    const latest = new Map<string, number>();
    for (const { deviceId, atMs } of readings) latest.set(deviceId, Math.max(atMs, latest.get(deviceId) ?? 0));
    if (latest.size === 0) return;
    await this.#options.pool.query(
      `insert into connector_devices as d (connector_no, device_id, latest_at)
       select c.no, n.device_id, to_timestamp(n.at_ms / 1000)
       from connectors c cross join unnest($2::text[], $3::float8[]) as n (device_id, at_ms)
       where c.no = $1 and c.deleted_at is null  -- it may be removed while it is read
       order by n.device_id
       on conflict (connector_no, device_id) do update set latest_at = excluded.latest_at
       where excluded.latest_at > d.latest_at + interval '1 hour'`,
      [connectorNo, [...latest.keys()], [...latest.values()]],
    );
  }

  async #devicesOnTanks(organizationNo: number, readings: ReadAnswer['readings']): Promise<ReadonlySet<string>> {
    const { rows } = await this.#options.pool.query<{ device_id: string }>(
      `select assigned_device_id as device_id from tanks
       where organization_no = $1 and assigned_device_id = any ($2) and deleted_at is null`,
      [organizationNo, [...new Set(readings.map(({ deviceId }) => deviceId))]],
    );
    return new Set(rows.map((row) => row.device_id));
  }
}
