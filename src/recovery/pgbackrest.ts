import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { parseJson } from '../values/json.ts';
import { UserError } from '../values/user_error.ts';
import type { SystemUser } from './system_user.ts';

/** How pgBackRest is called. */
export interface PgBackRest {
  stanza: string;
  /** If undefined, pgBackRest uses its default, /etc/pgbackrest.conf. */
  configFile: string | undefined;
  /** The user that may read the repository. */
  user: SystemUser;
  /** The password of the superuser, for a PostgreSQL that asks for it also on its socket. */
  password?: string | undefined;
}

export interface Backup {
  label: string;
  endedAt: string;
  /** The size of the database in the backup. */
  bytes: number;
}

/** The part of `pgbackrest info --output=json` that is read here. */
/** The codes of `info` for a stanza that exists: it is in order, it has no backup yet, or its repositories differ. */
const EXISTING_STANZA: ReadonlySet<number> = new Set([0, 2, 4, 5]);

const Info = Type.Array(
  Type.Object({
    name: Type.String(),
    status: Type.Optional(Type.Object({ code: Type.Number() })),
    backup: Type.Array(
      Type.Object({
        label: Type.String(),
        error: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
        timestamp: Type.Object({ stop: Type.Number() }),
        info: Type.Object({ size: Type.Number() }),
      }),
    ),
  }),
);

/** The newest complete backup; undefined if there is none. */
export async function newestBackup(pgBackRest: PgBackRest): Promise<Backup | undefined> {
  const output = await runPgBackRest(pgBackRest, ['info', '--output=json']);
  const info: unknown = parseJson(output);
  if (!Value.Check(Info, info)) throw new UserError('`pgbackrest info` printed something unknown; update Tankwatch.');
  const backups = info.find(({ name }) => name === pgBackRest.stanza)?.backup ?? [];
  const newest = backups
    .filter(({ error }) => error !== true)
    .toSorted((a, b) => b.timestamp.stop - a.timestamp.stop)[0];
  return (
    newest && {
      label: newest.label,
      endedAt: new Date(newest.timestamp.stop * 1_000).toISOString(),
      bytes: newest.info.size,
    }
  );
}

/** Whether pgBackRest is installed and knows the stanza. */
export const hasStanza = (pgBackRest: PgBackRest): Promise<boolean> =>
  runPgBackRest(pgBackRest, ['info', '--output=json']).then(
    (output) => {
      const info: unknown = parseJson(output);
      // pgBackRest also lists a stanza that was never created, with the status 1.
      return (
        Value.Check(Info, info) &&
        info.some(({ name, status }) => name === pgBackRest.stanza && EXISTING_STANZA.has(status?.code ?? 0))
      );
    },
    () => false,
  );

/** Makes a full backup if there is none, otherwise a backup of what has changed. */
export const runBackup = async (pgBackRest: PgBackRest): Promise<void> => {
  await runPgBackRest(pgBackRest, ['backup']);
};

/**
 * Restores the newest backup into a folder, up to the end of the archived WAL. The restored server must not archive,
 * because its WAL would be mixed with the WAL of production.
 */
export async function restoreNewest(pgBackRest: PgBackRest, dataFolder: string, tablespaces: string): Promise<void> {
  await runPgBackRest(pgBackRest, [
    'restore',
    `--pg1-path=${dataFolder}`,
    `--tablespace-map-all=${tablespaces}`,
    '--archive-mode=off',
  ]);
}

async function runPgBackRest(
  { stanza, configFile, user, password }: PgBackRest,
  args: readonly string[],
): Promise<string> {
  const common = [`--stanza=${stanza}`, ...(configFile === undefined ? [] : [`--config=${configFile}`])];
  try {
    const { stdout } = await promisify(execFile)('pgbackrest', [...common, ...args], {
      ...user.ids,
      cwd: '/',
      env: { ...user.environment, ...(password === undefined ? {} : { PGPASSWORD: password }) },
      maxBuffer: 64 * 1_048_576,
    });
    return stdout;
  } catch (error) {
    throw new UserError(`pgbackrest ${args[0]} failed: ${reasonOf(error)}.`, { cause: error });
  }
}

/** pgBackRest writes its reason to standard output or standard error, after a line with its version. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const output = ['stderr', 'stdout'].map((name) => String(Reflect.get(error, name) ?? '')).join('\n');
  const reasons = output.split('\n').filter((line) => /ERROR|WARN/.test(line));
  const advice = /password/.test(output)
    ? '; let its user connect without a password (pg_hba.conf), or set PGPASSWORD'
    : '';
  return (reasons.join('; ') || error.message).slice(0, 1_000) + advice;
}
