import type { Command } from 'commander';
import { type InstallationStatus, readStatus } from '../doctor/status.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../values/time.ts';
import { type CommonOptions, readCommand } from './command.ts';

export function statusCommand(): Command {
  return readCommand(
    'status',
    'show in one screen what runs: roles, versions, stream, last reading, last backup, next certificate; the exit code is 1 if a role or a server is not ready',
    'status',
  ).action(async (options: CommonOptions) => {
    const status = await readStatus(process.env);
    console.log(options.json ? JSON.stringify(status) : describeStatus(status, Date.now()));
    if (!isReady(status)) process.exitCode = 1;
  });
}

const isReady = ({ running, database, stream }: InstallationStatus): boolean =>
  [running, database, stream].every((part) => !('problem' in part)) &&
  'roles' in running &&
  Object.values(running.roles).every(Boolean);

export function describeStatus(status: InstallationStatus, nowMs: number): string {
  const { version, running, database, stream, next_certificate: certificate } = status;
  const ago = (at: string | null): string => (at === null ? 'never' : `${at}, ${age(nowMs - Date.parse(at))} ago`);
  const lines: [string, string][] = [
    [
      'release',
      'version' in running && running.version !== version
        ? `${version}; ${running.version ?? 'an older one'} runs`
        : version,
    ],
    [
      'roles',
      'problem' in running
        ? `none runs here: ${running.problem}`
        : Object.entries(running.roles)
            .map(([role, ready]) => `${role} ${ready ? 'ready' : 'NOT READY'}`)
            .join(', '),
    ],
  ];
  if ('problem' in database) lines.push(['PostgreSQL', `NOT READY: ${database.problem}`]);
  else {
    const { pending_migrations: pending } = database;
    lines.push([
      'PostgreSQL',
      `${database.version}, ${(database.bytes / 1e9).toFixed(2)} GB, tables of ${database.migration ?? 'none'}${pending > 0 ? `; ${pending} MIGRATIONS PENDING` : ''}`,
    ]);
  }
  lines.push([
    'stream',
    'problem' in stream
      ? `NOT READY: ${stream.problem}`
      : `nats-server ${stream.version}, ${stream.waiting_messages.toLocaleString('en')} messages wait, ${((100 * stream.bytes) / stream.max_bytes).toFixed(1)} % full`,
  ]);
  if (!('problem' in database))
    lines.push(
      ['last reading', ago(database.last_reading_at)],
      ['last backup', ago(database.last_backup_at)],
      ['last drill', ago(database.last_good_drill_at)],
    );
  lines.push(['certificate', describeCertificate(certificate, nowMs)]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join('\n');
}

function describeCertificate(certificate: InstallationStatus['next_certificate'], nowMs: number): string {
  if (certificate === null) return 'none: no address has TLS';
  if ('problem' in certificate) return `unknown: ${certificate.problem}`;
  const leftMs = Date.parse(certificate.ends_at) - nowMs;
  return `${certificate.name} ${leftMs > 0 ? `ends in ${age(leftMs)}` : 'HAS ENDED'}, at ${certificate.ends_at}`;
}

function age(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.max(0, Math.round(ms / 1_000))} seconds`;
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} minutes`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} hours` : `${Math.floor(ms / DAY_MS)} days`;
}
