import type { Db } from '../db/pool.ts';
import { type CheckFinding, finding, warning } from './finding.ts';

const OLDEST_SERVER = 15;
const NEWEST_SERVER = 18;

export async function checkServer(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return rows.flatMap(({ version }) => serverFindings(version));
}

/** `version` is PostgreSQL's server_version_num: 150008 is 15.8. */
export function serverFindings(version: number): CheckFinding[] {
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST_SERVER && major <= NEWEST_SERVER) return [];
  return [
    (major < OLDEST_SERVER ? finding : warning)(
      `the server is PostgreSQL ${major}.${version % 10_000}; Tankwatch supports PostgreSQL ${OLDEST_SERVER} to ${NEWEST_SERVER}`,
      major < OLDEST_SERVER
        ? `upgrade the server with pg_upgrade to PostgreSQL ${NEWEST_SERVER}`
        : 'upgrade Tankwatch to a release that supports this version, or use a supported server',
    ),
  ];
}

const MAX_SKEW_MS = 2_000;

export async function checkClock(db: Db): Promise<CheckFinding[]> {
  const sentMs = Date.now();
  const { rows } = await db.query<{ at_ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at_ms',
  );
  const receivedMs = Date.now();
  return rows.flatMap(({ at_ms }) => clockFindings(sentMs, at_ms, receivedMs));
}

/** The database read its clock between sending and receiving, so a slow network does not look like a wrong clock. */
export function clockFindings(sentMs: number, databaseMs: number, receivedMs: number): CheckFinding[] {
  const aheadMs = Math.max(sentMs - databaseMs, 0) - Math.max(databaseMs - receivedMs, 0);
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return [];
  const skew = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return [
    warning(
      `this machine's clock is ${skew} the database's`,
      'synchronize both clocks with a time service such as chrony or systemd-timesyncd',
    ),
  ];
}
