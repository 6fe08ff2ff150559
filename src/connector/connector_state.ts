import type { Pool } from 'pg';
import { BROKER_KINDS, type ConnectorKind } from '../connectors/connector_settings.ts';
import type { Trial } from '../connectors/connectors.ts';
import { countedHours } from '../connectors/hours_of_source.ts';
import type { SourceError } from '../connectors/source_client.ts';
import { transaction } from '../db/pool.ts';
import { enqueueMails } from '../mail/mail_jobs.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';

/** A process that dies loses its connectors after this time. It renews its leases three times as often. */
export const LEASE_MS = 10 * SECOND_MS;
/** After this time of failures, a source is down: its organization is notified once, and its devices do not become silent. */
const DOWN_AFTER_MS = 15 * MINUTE_MS;
/** The largest number of clouds of one organization in one process, so that clouds that do not respond do not delay others. */
const MAX_RUNNING_PER_ORGANIZATION = 4;
const FIRST_RETRY_MS = 10 * SECOND_MS;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
/** The longest pause that a source can ask for. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR_MS;
const MAX_SLOWNESS = 64;

export interface LeasedConnector {
  no: number;
  id: string;
  organization_no: number;
  kind: ConnectorKind;
  name: string;
  settings: unknown;
  sealed_secret: string | null;
  /** A text that changes when the connector is changed. */
  version: string;
  /** False if the connector is paused, refused or not due yet, and was leased only for a trial. */
  is_due: boolean;
  is_trial_requested: boolean;
  cursor_ms: number | null;
  backfill_ms: number | null;
  backfill_to_ms: number | null;
  looked_back_ms: number | null;
  window_seconds: number | null;
  after_device: string | null;
  memory: unknown;
  failures: number;
  slowness: number;
}

const ms = (column: string): string => `(date_part('epoch', s.${column}) * 1000)::float8`;
const IS_BROKER = `c.kind in (${BROKER_KINDS.map((kind) => `'${kind}'`).join(', ')})`;
/** SQL: a text that changes with the connector, and when a trial is requested after the run began. Both end the run. */
const VERSION = `concat(c.updated_at, ' ', c.paused_at is null, ' ', c.deleted_at is null, ' ',
  coalesce(s.try_at > s.attempted_at, false))`;

export interface LeaseLimits {
  processId: string;
  /** The number of clouds that this process can run in addition. */
  clouds: number;
  /** The number of brokers that this process can connect to in addition. */
  brokers: number;
  /** The number of running connectors of each organization in this process, by `<organization number> <is a broker>`. */
  running: Readonly<Record<string, number>>;
}

/**
 * Leases connectors that are due, first the one of each organization that has been due for longest, so that organizations take turns.
 * Clouds and brokers have separate limits, because a connection to a broker lasts.
 */
export async function leaseConnectors(
  pool: Pool,
  { processId, clouds, brokers, running }: LeaseLimits,
): Promise<LeasedConnector[]> {
  const { rows } = await pool.query<LeasedConnector>(
    `with due as (
       select s.connector_no,
              row_number() over (partition by c.organization_no, ${IS_BROKER} order by s.next_attempt_at)
                + coalesce(($5::jsonb ->> (c.organization_no || ' ' || (${IS_BROKER})))::int, 0) as turn,
              ${IS_BROKER} as is_broker, s.next_attempt_at
       from connector_states s join connectors c on c.no = s.connector_no
       where ((s.next_attempt_at <= now() and c.paused_at is null and s.refused_at is null) or s.try_at is not null)
         and c.deleted_at is null and coalesce(s.leased_until < now(), true)
     ), placed as (
       select connector_no, is_broker, row_number() over (partition by is_broker order by turn, next_attempt_at) as place
       from due where turn <= ${MAX_RUNNING_PER_ORGANIZATION} or is_broker
     ), taken as (
       select s.connector_no from connector_states s join placed p on p.connector_no = s.connector_no
       where coalesce(s.leased_until < now(), true) and p.place <= case when p.is_broker then $3::int else $2::int end
       for update of s skip locked
     )
     update connector_states s
     set leased_by = $1, leased_until = now() + make_interval(secs => $4::float8 / 1000), attempted_at = now()
     from taken t join connectors c on c.no = t.connector_no
     where s.connector_no = t.connector_no
     returning c.no, c.id, c.organization_no, c.kind, c.name, c.settings, c.sealed_secret, ${VERSION} as version,
       s.next_attempt_at <= now() and c.paused_at is null and s.refused_at is null as is_due, s.try_at is not null as is_trial_requested,
       ${ms('cursor_at')} as cursor_ms, ${ms('backfill_at')} as backfill_ms, ${ms('backfill_to')} as backfill_to_ms,
       ${ms('looked_back_at')} as looked_back_ms, s.window_seconds, s.after_device, s.memory, s.failures, s.slowness`,
    [processId, clouds, brokers, LEASE_MS, JSON.stringify(running)],
  );
  return rows;
}

/** Renews the leases of this process. Returns the versions of the connectors that it still leases, by number. */
export async function renewLeases(
  pool: Pool,
  processId: string,
  connectorNos: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ no: number; version: string }>(
    `update connector_states s set leased_until = now() + make_interval(secs => $3::float8 / 1000)
     from connectors c
     where c.no = s.connector_no and s.connector_no = any ($2) and s.leased_by = $1 and s.leased_until > now()
     returning c.no, ${VERSION} as version`,
    [processId, connectorNos, LEASE_MS],
  );
  return new Map(rows.map(({ no, version }) => [no, version]));
}

/** Thrown if another process has leased the connector, or may have. */
export class LeaseLostError extends Error {}

/** The state of one connector, which only the process with the lease writes. */
export class ConnectorState {
  readonly #pool: Pool;
  readonly #processId: string;
  readonly #connector: LeasedConnector;
  /** The number of readings that the stream has stored since the last success or failure was recorded. */
  readings = 0;

  constructor(pool: Pool, processId: string, connector: LeasedConnector) {
    this.#pool = pool;
    this.#processId = processId;
    this.#connector = connector;
  }

  /** Throws a LeaseLostError if another process has the lease: only that process may change the state. */
  async #set(assignments: string, values: readonly unknown[]): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `update connector_states set ${assignments} where connector_no = $1 and leased_by = $2`,
      [this.#connector.no, this.#processId, ...values],
    );
    if (rowCount === 0) throw new LeaseLostError('another process has the connector');
  }

  /** Records that everything up to this time is in the stream. */
  moveCursor(toMs: number, windowMs: number): Promise<void> {
    return this.#set('cursor_at = to_timestamp($3::float8 / 1000), window_seconds = $4', [toMs, windowMs / SECOND_MS]);
  }

  /** Records up to when readings from before the connector was added are in the stream. Null if all of them are. */
  moveBackfill(toMs: number | null, windowMs: number): Promise<void> {
    return this.#set('backfill_at = to_timestamp($3::float8 / 1000), window_seconds = $4', [
      toMs,
      windowMs / SECOND_MS,
    ]);
  }

  moveDevice(afterDevice: string | null): Promise<void> {
    return this.#set('after_device = $3', [afterDevice]);
  }

  /** Stores the data that the next round needs. */
  remember(memory: object): Promise<void> {
    return this.#set('memory = $3', [memory]);
  }

  /** Records that the source works, and that its readings up to now are stored. */
  recordSuccess({ hasLookedBack }: { hasLookedBack: boolean }): Promise<void> {
    const { no } = this.#connector;
    return transaction(this.#pool, async (tx) => {
      const { rows } = await tx.query<{ since: string | null; because: string }>(
        `with before as (
           select connector_no, coalesce(down_since, refused_at) as since,
                  case when refused_at is null then 'failing' else 'refused' end as because
           from connector_states where connector_no = $1 and leased_by = $2 for update
         )
         update connector_states s
         set worked_at = now(), failures = 0, slowness = greatest(1, slowness / 2), failing_since = null, down_since = null,
             refused_at = null, last_error = null, looked_back_at = case when $3 then now() else looked_back_at end,
             hours = ${countedHours('$4', [1, 0])}
         from before where s.connector_no = before.connector_no
         returning before.since, before.because`,
        [no, this.#processId, hasLookedBack, this.readings],
      );
      const [row] = rows;
      if (row === undefined) throw new LeaseLostError('another process has the connector');
      this.readings = 0;
      // The next pause is the first one again, also if this run lasts for days.
      this.#connector.failures = 0;
      // The connector may have been paused during this round. The outage of a pause goes on.
      await tx.query('select end_outage(no) from connectors where no = $1 and paused_at is null', [no]);
      if (row.since !== null)
        await tx.query(`select record_connector_event($1, 'connector.up', $2, $3)`, [no, row.since, row.because]);
    });
  }

  /** Ends the lease. The connector is due again after this time; null keeps its time. */
  async release(afterMs: number | null): Promise<void> {
    await this.#set(
      `leased_by = null, leased_until = null,
       next_attempt_at = case when $3::float8 is null then next_attempt_at else now() + make_interval(secs => $3::float8 / 1000) end`,
      [afterMs],
    );
  }

  recordTrial(trial: Trial): Promise<void> {
    return this.#set('trial = $3, try_at = null', [trial]);
  }

  /** Returns true if the source has just become down or refused. */
  async recordFailure(error: SourceError): Promise<boolean> {
    return transaction(this.#pool, async (tx) => {
      const { no, organization_no: organizationNo } = this.#connector;
      const { rows } = await tx.query<{ is_new: boolean; is_down: boolean; since: string; because: string }>(
        `with before as (
         select connector_no, down_since is null and refused_at is null as was_up, coalesce(failing_since, now()) as since
         from connector_states where connector_no = $1 and leased_by = $2 for update
       )
       update connector_states s
       set failures = failures + 1, failing_since = before.since, last_error = left($3, 500), hours = ${countedHours('$9', [0, 1])},
           slowness = case when $4 then least(slowness * 2, ${MAX_SLOWNESS}) else slowness end,
           refused_at = case when $5 then now() else refused_at end,
           -- A continued round without progress begins again, because its first device may fail for days.
           after_device = case when $4 or after_device is distinct from $8 then after_device end,
           -- Also from a refusal on: a person who gives another key clears refused_at, and the next success reports that it is over.
           down_since = case when $5 or s.down_since is not null
             or now() >= before.since + make_interval(secs => ${DOWN_AFTER_MS / SECOND_MS}) then before.since end,
           -- One attempt is made when the source becomes down, unless the source has asked for a longer pause.
           next_attempt_at = greatest(
             now() + make_interval(secs => $7::float8 / 1000),
             least(now() + make_interval(secs => $6::float8 / 1000),
                   case when now() < before.since + make_interval(secs => ${DOWN_AFTER_MS / SECOND_MS})
                        then before.since + make_interval(secs => ${DOWN_AFTER_MS / SECOND_MS} + 1) end))
       from before where s.connector_no = before.connector_no
       returning before.was_up and (s.down_since is not null or s.refused_at is not null) as is_new,
         s.down_since is not null or s.refused_at is not null as is_down, before.since,
         case when s.refused_at is null then 'failing' else 'refused' end as because`,
        [
          no,
          this.#processId,
          error.message,
          error.problem === 'limited',
          error.problem === 'refused',
          retryMs(this.#connector.failures),
          Math.min(error.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS),
          this.#connector.after_device,
          this.readings,
        ],
      );
      const [row] = rows;
      if (row === undefined) throw new LeaseLostError('another process has the connector');
      // Repeated at each failure, because a device of the source may be on another tank now.
      if (row.is_down)
        await tx.query(
          'select begin_outage(connector_no, coalesce(worked_at, failing_since)) from connector_states where connector_no = $1',
          [no],
        );
      if (!row.is_new) return false;
      await tx.query(`select record_connector_event($1, 'connector.down', $2, $3)`, [no, row.since, row.because]);
      await enqueueMails(
        tx,
        'mail_connector',
        `select $1::int as organization_no, format('mail_connector:%s:%s', $2::int, c.no) as key,
                jsonb_build_object('connector_no', $2::int, 'contact_no', c.no) as payload, now() as due_at
         from contacts c where c.organization_no = $1 and c.deleted_at is null`,
        [organizationNo, no],
      );
      return true;
    });
  }
}

/** The pause before the next attempt. It doubles from 10 s to 30 min, and varies randomly by 25 %, to spread the requests. */
const retryMs = (failures: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 16)) * (0.75 + Math.random() / 2);
