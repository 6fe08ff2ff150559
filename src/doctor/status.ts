import type { Pool } from 'pg';
import packageJson from '../../package.json' with { type: 'json' };
import { migrationState, readMigrations } from '../db/migrate.ts';
import { onlyRow } from '../db/only_row.ts';
import { withPool } from '../db/with_pool.ts';
import { readBackupTimes } from '../recovery/drill_record.ts';
import { type DoctorConfig, readDoctorConfig } from '../settings/command_settings.ts';
import { localAddress } from '../settings/local_address.ts';
import { readMetricsConfig } from '../settings/role_settings.ts';
import type { Environment } from '../settings/setting_reader.ts';
import { reasonOf } from '../values/error_reason.ts';
import { certificateEnds } from './certificates.ts';
import { waitingMessages } from './stream.ts';

/** The time limit of each part of the status, so that a server that hangs does not delay the other parts. */
const LIMIT_MS = 10_000;

/** A part that could not be read, and why. */
export interface UnknownPart {
  problem: string;
}

export interface RolesStatus {
  /** The release that runs. */
  version: string | null;
  /** Whether each role is ready. */
  roles: Record<string, boolean>;
}

export interface DatabaseStatus {
  version: string;
  migration: string | null;
  /** The number of migrations of this release that are not applied. */
  pending_migrations: number;
  bytes: number;
  last_reading_at: string | null;
  last_backup_at: string | null;
  last_good_drill_at: string | null;
}

export interface StreamFigures {
  version: string;
  name: string;
  messages: number;
  waiting_messages: number;
  bytes: number;
  max_bytes: number;
}

export interface InstallationStatus {
  /** The release of this command. */
  version: string;
  running: RolesStatus | UnknownPart;
  database: DatabaseStatus | UnknownPart;
  stream: StreamFigures | UnknownPart;
  next_certificate: { name: string; ends_at: string } | UnknownPart | null;
}

/** Reads everything at the same time. */
export async function readStatus(environment: Environment): Promise<InstallationStatus> {
  const config = readDoctorConfig(environment);
  const [running, database, stream, certificate] = await Promise.all([
    orProblem(readRoles(environment)),
    orProblem(readDatabase(config)),
    orProblem(readStream(config)),
    orProblem(readCertificate(config)),
  ]);
  return { version: packageJson.version, running, database, stream, next_certificate: certificate };
}

async function orProblem<T>(part: Promise<T>): Promise<T | UnknownPart> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<UnknownPart>((resolve) => {
    timer = setTimeout(() => resolve({ problem: `no answer within ${LIMIT_MS / 1_000} s` }), LIMIT_MS);
  });
  try {
    return await Promise.race([part, late]);
  } catch (error) {
    return { problem: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the metrics that this machine serves. With `tankwatch up` and `all`, one process serves them for all roles. */
export async function readRoles(environment: Environment): Promise<RolesStatus> {
  const { host, port } = readMetricsConfig(environment);
  const response = await fetch(`http://${localAddress(host, port)}/metrics`, { signal: AbortSignal.timeout(LIMIT_MS) });
  const text = await response.text();
  const ready = [...text.matchAll(/^tankwatch_ready\{role="(\w+)"\} (\d)$/gm)];
  return {
    version: /^tankwatch_build_info\{version="([^"]+)"\}/m.exec(text)?.[1] ?? null,
    roles: Object.fromEntries(ready.map(([, role = '', value]) => [role, value === '1'])),
  };
}

const readDatabase = ({ databaseUrl: url, databaseSetting: setting }: DoctorConfig): Promise<DatabaseStatus> =>
  withPool({ url, setting, applicationName: 'tankwatch status' }, readDatabaseStatus);

async function readDatabaseStatus(pool: Pool): Promise<DatabaseStatus> {
  const { rows } = await pool.query<Pick<DatabaseStatus, 'version' | 'bytes' | 'last_reading_at'>>(
    // tank_states has a row for each tank and no index on latest_at: a million rows take a second.
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
            (select max(latest_at) from tank_states) as last_reading_at`,
  );
  const { applied, pending } = await migrationState(pool, await readMigrations());
  const { backup_at, good_drill_at } = await readBackupTimes(pool);
  return {
    ...onlyRow(rows),
    migration: applied.at(-1) ?? null,
    pending_migrations: pending.length,
    last_backup_at: backup_at,
    last_good_drill_at: good_drill_at,
  };
}

async function readStream({ stream: config }: DoctorConfig): Promise<StreamFigures | UnknownPart> {
  if (config === null) return { problem: 'set OPERATOR_NATS_URL' };
  const { inspectStream } = await import('../stream/inspect.ts');
  const inspection = await inspectStream(config);
  try {
    const [stream, consumer] = [await inspection.streamInfo(), await inspection.consumerInfo()];
    if (stream === undefined) return { problem: `the stream ${config.name} does not exist` };
    const { messages, bytes } = stream.state;
    return {
      version: inspection.version,
      name: config.name,
      messages,
      waiting_messages: waitingMessages(stream, consumer),
      bytes,
      max_bytes: stream.config.max_bytes,
    };
  } finally {
    await inspection.close();
  }
}

/** The certificate that ends first. Null without TLS. */
async function readCertificate(config: DoctorConfig): Promise<{ name: string; ends_at: string } | null> {
  const [first] = (await certificateEnds(config)).toSorted((a, b) => a.endMs - b.endMs);
  return first === undefined ? null : { name: first.name, ends_at: new Date(first.endMs).toISOString() };
}
