import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { explain } from '../../src/cli/explain_error.ts';
import { explainDatabaseError } from '../../src/db/database_errors.ts';

/** An error as Node throws it. */
const systemError = (code: string, more: { syscall: string; path?: string }): Error =>
  Object.assign(new Error(`${code}: ${more.syscall}`), { code, ...more });

test('a file that cannot be written is named with what to do', async () => {
  const failed = await mkdir('/dev/null/new').catch((error: unknown) => error);
  expect(explain(failed)).toBe(
    'tankwatch: a part of /dev/null/new is a file, not a folder (ENOTDIR); choose another place',
  );
  expect(explain(systemError('EACCES', { syscall: 'open', path: '/etc/x' }))).toContain('may not use /etc/x (EACCES)');
  expect(explain(systemError('EPERM', { syscall: 'chown', path: '/etc/x' }))).toContain('may not use /etc/x (EPERM)');
});

test('a full disk is explained, although Node does not name the file', () => {
  let failed: unknown;
  try {
    writeFileSync('/dev/full', 'x');
  } catch (error) {
    failed = error;
  }
  expect(explain(failed)).toContain('is full (ENOSPC); free some space');
});

test('an error of a process or a socket is not explained as one of a file, and keeps its stack trace', () => {
  for (const error of [
    systemError('EPERM', { syscall: 'kill' }),
    systemError('EACCES', { syscall: 'spawn pg_dump', path: 'pg_dump' }),
    systemError('EPERM', { syscall: 'write' }),
    systemError('EACCES', { syscall: 'listen' }),
    systemError('ENOSPC', { syscall: 'watch', path: '/etc/x' }),
  ])
    expect(explain(error)).toBe(error);
});

test('a deadlock, and a note that a driver writes during its import, is explained, because the command can be run again', () => {
  const deadlock = Object.assign(new DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' });
  const noteOfDriver = Object.assign(new DatabaseError('duplicate key', 0, 'error'), {
    code: '23505',
    constraint: 'one_note_per_number',
  });
  for (const error of [deadlock, noteOfDriver])
    expect(explain(error)).toBe('tankwatch: others changed the same data at this moment; run the command again');
});

test('a login without rights is told which role it needs: the connector has the login of the worker', () => {
  const refused = Object.assign(new Error('permission denied'), { code: '42501' });
  const neededBy = (applicationName: string) =>
    explainDatabaseError(refused, { url: 'postgres://localhost/tankwatch', applicationName })?.sentence;
  expect(neededBy('tankwatch connector state')).toContain('grant tankwatch_worker to the login');
  expect(neededBy('tankwatch writer')).toContain('grant tankwatch_writer to the login');
  expect(neededBy('tankwatch')).toContain('grant tankwatch_operator to the login');
});
