import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ReadAnswer } from '../connectors/read_answer.ts';
import type { Batcher } from '../telemetry/batcher.ts';
import { DailyAllowance } from '../telemetry/daily_allowance.ts';
import type { RejectedPayload } from '../telemetry/reading.ts';
import type { RejectedPayloads } from '../telemetry/rejected_payloads.ts';
import { SECOND_MS } from '../values/time.ts';
import type { LeasedConnector } from './connector_state.ts';

/** The number of readings that are submitted at a time. They fill a message of the stream. */
const CHUNK_READINGS = 500;
/** After a connector has recorded this many devices, only new devices on tanks are recorded. */
const MAX_DEVICES_WITHOUT_TANK = 10_000;

export interface SinkOptions {
  pool: Pool;
  batcher: Batcher;
  rejectedPayloads: RejectedPayloads;
  /** The limit of all connectors of an organization, so that reading years of history does not delay others. */
  readingsPerSecond: number;
  onStored: (readings: number) => void;
}

/**
 * `cloud again` means readings of a period that an earlier round has read. `latest` means a source without history, whose rounds repeat
 * the readings of the previous round.
 */
export type Origin = 'broker' | 'cloud' | 'cloud again' | 'latest';

/** Puts the readings of a source into the stream. */
export class Sink {
  readonly #options: SinkOptions;
  /** When each organization may submit again. */
  readonly #freeAtMs = new Map<number, number>();
  /** Allows each rejection once a day. */
  readonly #recorded = new DailyAllowance(1);

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the number of readings when the stream has stored all of them. Throws StreamUnavailableError if that is
   * not certain. Readings of clouds are submitted only for devices on tanks, because a cloud can have thousands of other
   * devices, whose readings would be rejected in each round. Rejections are not recorded again when readings are read
   * again. A source without history repeats its readings, so the same rejection is recorded once a day.
   */
  async submit(
    connector: Pick<LeasedConnector, 'no' | 'organization_no'>,
    answer: Omit<ReadAnswer, 'items'>,
    { from: origin, signal }: { from: Origin; signal: AbortSignal },
  ): Promise<number> {
    const { batcher, rejectedPayloads, onStored } = this.#options;
    const { organization_no: organizationNo } = connector;
    await this.#recordDevices(connector.no, answer.readings);
    const onTanks =
      origin === 'broker' || answer.readings.length === 0
        ? undefined
        : await this.#devicesOnTanks(organizationNo, answer.readings);
    const readings = answer.readings
      .filter(({ deviceId }) => onTanks?.has(deviceId) !== false)
      .map((reading) => ({ ...reading, organizationNo }));
    const isNew = ({ deviceId, code, detail }: RejectedPayload): boolean =>
      origin === 'latest'
        ? this.#recorded.take(`${connector.no} ${deviceId} ${code} ${detail}`, 1, Date.now()).isAllowed
        : origin !== 'cloud again';
    const rejections = rejectedPayloads
      .toStore('connector', organizationNo, answer.rejections.filter(isNew))
      .map((rejection) => ({ ...rejection, organizationNo }));
    const health = answer.health.map((report) => ({ ...report, organization_no: organizationNo }));
    // The first chunk carries the rejections and the health, so it is submitted even if it has no readings.
    for (let from = 0; from === 0 || from < readings.length; from += CHUNK_READINGS) {
      signal.throwIfAborted();
      const chunk = readings.slice(from, from + CHUNK_READINGS);
      await this.#limitRate(organizationNo, chunk.length, signal);
      await (from === 0 ? batcher.submit(chunk, rejections, health) : batcher.submit(chunk, []));
      onStored(chunk.length);
    }
    return readings.length;
  }

  /** Waits until the organization may submit these readings. */
  async #limitRate(organizationNo: number, readings: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    const startMs = Math.max(nowMs, this.#freeAtMs.get(organizationNo) ?? 0);
    this.#freeAtMs.set(organizationNo, startMs + (readings / this.#options.readingsPerSecond) * SECOND_MS);
    if (startMs > nowMs) await sleep(startMs - nowMs, undefined, { signal });
  }

  /**
   * Records the devices of a source before their readings are stored. Everybody who may publish to a broker can name new
   * devices, so devices that are not on a tank are recorded only up to a limit.
   */
  async #recordDevices(connectorNo: number, readings: ReadAnswer['readings']): Promise<void> {
    const devices = [...new Set(readings.map(({ deviceId }) => deviceId))];
    if (devices.length === 0) return;
    const { pool } = this.#options;
    const { rows } = await pool.query<{ device_id: string }>(
      `select n.device_id from unnest($2::text[]) as n (device_id)
       where not exists (select from connector_devices d where d.connector_no = $1 and d.device_id = n.device_id)`,
      [connectorNo, devices],
    );
    if (rows.length === 0) return;
    await pool.query(
      `with found as (
         select c.no, n.device_id, exists (
           select from tanks t where t.organization_no = c.organization_no and t.assigned_device_id = n.device_id and t.deleted_at is null
         ) as is_on_tank
         from connectors c cross join unnest($2::text[]) as n (device_id)
         where c.no = $1 and c.deleted_at is null  -- The connector may be removed while it is read.
       ), others as (
         select no, device_id from found where not is_on_tank
         order by device_id limit greatest(0, $3 - (select count(*) from connector_devices where connector_no = $1))
       )
       insert into connector_devices (connector_no, device_id)
       select no, device_id from found where is_on_tank union all select no, device_id from others
       order by device_id
       on conflict do nothing`,
      [connectorNo, rows.map((row) => row.device_id), MAX_DEVICES_WITHOUT_TANK],
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
