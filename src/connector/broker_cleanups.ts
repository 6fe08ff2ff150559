import type { Pool } from 'pg';
import { openConnectorSecret } from '../connectors/connector_secrets.ts';
import { parseSettings } from '../connectors/connector_settings.ts';
import { DEFAULT_DISCOVERY_PREFIX, takeBackTanks, topicsOf } from '../connectors/home_assistant.ts';
import type { StatusLogger } from '../health/outage.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import { MINUTE_MS } from '../values/time.ts';

/** A failed cleanup is tried again after this time. */
const RETRY_MINUTES = 1;
/** After this time without success, a cleanup is given up. */
const KEPT_DAYS = 1;
/** The number of cleanups in one pass. */
const BATCH_CLEANUPS = 10;

interface BrokerCleanup {
  connector_no: number;
  id: string;
  settings: unknown;
  sealed_secret: string | null;
  published: string[];
  /** The tanks that other connectors of the organization publish to the same broker. */
  kept: string[];
}

export interface CleanupOptions {
  pool: Pool;
  addresses: AddressConfig;
  secretsKeys: readonly string[];
  logger: StatusLogger;
}

/** Takes back the tanks that removed connectors have published to brokers. */
export async function cleanBrokers(options: CleanupOptions, signal: AbortSignal): Promise<void> {
  const { pool, logger } = options;
  await pool.query(`delete from broker_cleanups where created_at < now() - interval '${KEPT_DAYS} day'`);
  // The statement postpones the next attempt, so that another process rarely tries at the same time, which would be harmless.
  const { rows } = await pool.query<BrokerCleanup>(
    `with due as (
       select b.connector_no from broker_cleanups b where b.next_attempt_at <= now() order by b.next_attempt_at limit ${BATCH_CLEANUPS}
       for update skip locked
     )
     update broker_cleanups b set next_attempt_at = now() + interval '${RETRY_MINUTES} minute'
     from due join connectors c on c.no = due.connector_no
     where b.connector_no = due.connector_no
     returning b.connector_no, c.id, b.settings, b.sealed_secret, b.published, array(
       select jsonb_array_elements_text(s.memory -> 'published')
       from connectors o join connector_states s on s.connector_no = o.no
       where o.organization_no = c.organization_no and o.kind = 'home_assistant' and o.deleted_at is null
         and o.settings ->> 'url' = b.settings ->> 'url'
         and coalesce(o.settings ->> 'discovery_prefix', $1) = coalesce(b.settings ->> 'discovery_prefix', $1)
     ) as kept`,
    [DEFAULT_DISCOVERY_PREFIX],
  );
  for (const { connector_no: no, id, ...cleanup } of rows)
    try {
      // A broker that acknowledges nothing would otherwise stop all cleanups.
      await cleanBroker(id, cleanup, options, AbortSignal.any([signal, AbortSignal.timeout(5 * MINUTE_MS)]));
      await pool.query('delete from broker_cleanups where connector_no = $1', [no]);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ connector: id, reason }, 'the tanks of a removed connector could not be taken back yet');
    }
}

async function cleanBroker(
  id: string,
  { settings: stored, sealed_secret: sealed, published, kept }: Omit<BrokerCleanup, 'connector_no' | 'id'>,
  { addresses, secretsKeys }: CleanupOptions,
  signal: AbortSignal,
): Promise<void> {
  const settings = parseSettings('home_assistant', stored);
  if (typeof settings === 'string' || settings.kind !== 'home_assistant') return;
  const secret = openConnectorSecret(secretsKeys, id, sealed);
  const topics = topicsOf(id, settings);
  await takeBackTanks(
    { clientId: null, settings, secret, addresses },
    { topics, published, kept: new Set(kept) },
    signal,
  );
}
