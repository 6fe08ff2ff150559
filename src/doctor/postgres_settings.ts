import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import { amount as counted } from '../values/text_format.ts';
import { type CheckFinding, finding, note, warning } from './finding.ts';

export interface ServerSetting {
  name: string;
  /** The value as an operator writes it, such as 5min. */
  shown: string;
  /** The value as a number, in bytes or seconds if the setting has a unit. Null for words. */
  amount: number | null;
}

interface Requirement {
  name: string;
  isMet: (setting: ServerSetting) => boolean;
  /** The value in deploy/postgresql.conf. */
  shipped: string;
  reason: string;
  isBroken?: true;
  /** The smallest installation to which the setting matters. By default it matters to every installation. */
  from?: Partial<InstallationSize>;
}

/** The size of an installation, which decides whether a setting matters. */
export interface InstallationSize {
  tanks: number;
  /** The number of open connections of Tankwatch. */
  connections: number;
  /** The number of partitions of telemetry. */
  partitions: number;
}

/** With a reading an hour, 10,000 tanks write 1.8 GB of WAL a day without compression. */
const MANY_TANKS: Partial<InstallationSize> = { tanks: 10_000 };
/** In a smaller installation, the default settings vacuum every table within minutes. */
const VERY_MANY_TANKS: Partial<InstallationSize> = { tanks: 100_000 };

const KIB = 1_024;
const MIB = 1_024 * KIB;
const GIB = 1_024 * MIB;
const MINUTE_S = 60;

const atLeast =
  (min: number) =>
  ({ amount }: ServerSetting): boolean =>
    amount !== null && amount >= min;
const atMost =
  (max: number) =>
  ({ amount }: ServerSetting): boolean =>
    amount !== null && amount <= max;
const isOn = ({ shown }: ServerSetting): boolean => shown === 'on';

/** The limits leave room for smaller machines: the shipped values are larger. The figures are those of bench/results/performance.md. */
const REQUIREMENTS: readonly Requirement[] = [
  {
    name: 'fsync',
    isMet: isOn,
    shipped: 'on',
    reason: 'a power failure damages the database',
    isBroken: true,
  },
  {
    name: 'full_page_writes',
    isMet: isOn,
    shipped: 'on',
    reason: 'a power failure damages the database',
    isBroken: true,
  },
  {
    name: 'synchronous_commit',
    isMet: ({ shown }) => shown !== 'off',
    shipped: 'on',
    reason: 'a power failure loses acknowledged readings',
    isBroken: true,
  },
  {
    name: 'autovacuum',
    isMet: isOn,
    shipped: 'on',
    reason: 'tables grow without limit, and PostgreSQL stops when it runs out of transaction ids',
    isBroken: true,
  },
  {
    name: 'wal_compression',
    isMet: ({ shown }) => shown !== 'off',
    shipped: 'zstd',
    reason: 'a reading late in the month costs 7.3 KB of WAL; with zstd 3.4 KB',
    from: MANY_TANKS,
  },
  {
    name: 'checkpoint_timeout',
    isMet: atLeast(15 * MINUTE_S),
    shipped: '60min',
    reason:
      'of a tank that reports 14 times a day, a reading costs 4.2 KB of compressed WAL with a checkpoint every 5 minutes, and 1.4 KB every 60 minutes',
    from: MANY_TANKS,
  },
  {
    name: 'max_wal_size',
    isMet: atLeast(4 * GIB),
    shipped: '16GB',
    reason: 'checkpoints begin before checkpoint_timeout as soon as half of it is written',
    from: MANY_TANKS,
  },
  {
    name: 'max_slot_wal_keep_size',
    isMet: atLeast(1),
    shipped: '32GB',
    reason:
      'a replica that stays away holds the write-ahead log until the disk of the primary is full, and then no reading is stored',
    from: MANY_TANKS,
  },
  {
    name: 'shared_buffers',
    isMet: atLeast(256 * MIB),
    shipped: 'a quarter of the memory',
    reason: 'every reading needs about 3 pages that are not in memory',
    from: MANY_TANKS,
  },
  {
    name: 'max_connections',
    isMet: atLeast(150),
    shipped: '200',
    reason:
      'three machines with all roles use up to 144 connections; when none is free, roles and operators cannot connect',
    from: { connections: 61, ...MANY_TANKS },
  },
  {
    name: 'max_locks_per_transaction',
    isMet: atLeast(128),
    shipped: '256',
    reason: 'a statement over all readings of a tank locks every partition of telemetry and its index',
    from: { partitions: 61, ...MANY_TANKS },
  },
  {
    name: 'autovacuum_vacuum_scale_factor',
    isMet: atMost(0.1),
    shipped: '0.05',
    reason: 'with five million tanks, a million dead rows stay in tank_states before it is vacuumed',
    from: VERY_MANY_TANKS,
  },
  {
    name: 'autovacuum_vacuum_insert_scale_factor',
    isMet: atMost(0.1),
    shipped: '0.05',
    reason: 'readings are counted with index-only scans, which read the table for pages that are not vacuumed yet',
    from: MANY_TANKS,
  },
  {
    name: 'autovacuum_vacuum_cost_limit',
    isMet: atLeast(1_000),
    shipped: '2000',
    reason: 'vacuum changes at most 4 MB a second, too slow for tables of 100 GB',
    from: VERY_MANY_TANKS,
  },
  {
    name: 'random_page_cost',
    isMet: atMost(2),
    shipped: '1.1',
    reason: 'the planner reads whole tables instead of an index, as it should on rotating disks only',
    from: MANY_TANKS,
  },
];

/** Compares the server with deploy/postgresql.conf. */
export async function checkSettings(db: Db): Promise<CheckFinding[]> {
  return [...settingFindings(await readServerSettings(db), await readSize(db)), ...(await checkpointFindings(db))];
}

export async function readServerSettings(db: Db): Promise<ServerSetting[]> {
  const { rows } = await db.query<ServerSetting>(
    `select name, current_setting(name) as shown,
            case when vartype in ('integer', 'real') then
              setting::float8 * case unit when '8kB' then 8192 when 'kB' then 1024 when 'MB' then 1048576
                                            when 'min' then 60 when 'ms' then 0.001 else 1 end end as amount
     from pg_settings where name = any ($1)`,
    [REQUIREMENTS.map(({ name }) => name)],
  );
  return rows;
}

/** Reads the size. Tanks are counted only up to the largest requirement. There are none before the first migration. */
async function readSize(db: Db): Promise<InstallationSize> {
  const { rows } = await db.query<InstallationSize & { is_migrated: boolean }>(
    `select to_regclass('tanks') is not null as is_migrated, 0 as tanks,
            (select count(*)::int from pg_stat_activity
             where datname = current_database() and application_name like 'tankwatch %') as connections,
            (select count(*)::int from pg_inherits where inhparent = to_regclass('telemetry')) as partitions`,
  );
  const { is_migrated: isMigrated, ...size } = onlyRow(rows);
  if (!isMigrated) return size;
  const { rows: found } = await db.query<{ tanks: number }>(
    'select count(*)::int as tanks from (select from tanks where deleted_at is null limit 100000) as first_tanks',
  );
  return { ...size, ...onlyRow(found) };
}

export function settingFindings(settings: readonly ServerSetting[], size: InstallationSize): CheckFinding[] {
  const missed = REQUIREMENTS.flatMap((requirement) => {
    const setting = settings.find(({ name }) => name === requirement.name);
    return setting === undefined || requirement.isMet(setting) ? [] : [{ ...requirement, shown: setting.shown }];
  });
  const later = missed.filter(({ from }) => from !== undefined && !reaches(size, from));
  return [
    ...missed
      .filter((requirement) => !later.includes(requirement))
      .map(({ name, shown, shipped, reason, isBroken }) =>
        (isBroken ? finding : warning)(
          `${name} is ${shown}: ${reason}`,
          `set ${name} to ${shipped}, as in deploy/postgresql.conf, and restart PostgreSQL`,
        ),
      ),
    ...(later.length === 0 ? [] : [laterNote(later, size)]),
  ];
}

const reaches = (size: InstallationSize, from: Partial<InstallationSize>): boolean =>
  size.tanks >= (from.tanks ?? Infinity) ||
  size.connections >= (from.connections ?? Infinity) ||
  size.partitions >= (from.partitions ?? Infinity);

function laterNote(later: readonly Requirement[], { tanks }: InstallationSize): CheckFinding {
  const names = later.map(({ name }) => name).join(', ');
  const first = Math.min(...later.map(({ from }) => from?.tanks ?? Infinity));
  return note(
    `with ${counted(tanks, 'tanks')} the settings of PostgreSQL are good enough; from ${first.toLocaleString('en')} tanks on, take those of deploy/postgresql.conf for ${names}`,
  );
}

/** The share of early checkpoints is reported from this number of checkpoints on. */
const MIN_CHECKPOINTS = 10;
const MAX_REQUESTED_SHARE = 0.5;

/** Finds checkpoints that began early because max_wal_size was reached. */
async function checkpointFindings(db: Db): Promise<CheckFinding[]> {
  const { rows } = await db.query<{ has_view: boolean }>(
    `select to_regclass('pg_stat_checkpointer') is not null as has_view`,
  );
  const counters = rows[0]?.has_view
    ? 'num_timed as timed, num_requested as requested from pg_stat_checkpointer'
    : 'checkpoints_timed as timed, checkpoints_req as requested from pg_stat_bgwriter';
  const { rows: counts } = await db.query<{ timed: number; requested: number; max_wal_size: string }>(
    `select current_setting('max_wal_size') as max_wal_size, ${counters}
     -- Backups and "drop database" request checkpoints too. Over a day they are few.
     where stats_reset < now() - interval '1 day'`,
  );
  return counts.flatMap((count) => earlyFindings(count.timed, count.requested, count.max_wal_size));
}

export function earlyFindings(timed: number, requested: number, maxWalSize: string): CheckFinding[] {
  const total = timed + requested;
  if (total < MIN_CHECKPOINTS || requested / total <= MAX_REQUESTED_SHARE) return [];
  return [
    warning(
      `${requested} of ${total} checkpoints began before checkpoint_timeout: each one makes the next change of every page write the whole page to the WAL`,
      `raise max_wal_size (now ${maxWalSize}) and reload PostgreSQL; after that, reset the counters with pg_stat_reset_shared`,
    ),
  ];
}
