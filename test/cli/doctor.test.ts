import { describe, expect } from 'vitest';
import { databaseUrl } from '../../engines/logins.ts';
import { programEnvironment } from '../../engines/process.ts';
import { describeCheck, diagnose, reportOf } from '../../src/cli/doctor.ts';
import { openPool } from '../../src/db/pool.ts';
import { checkPrivileges } from '../../src/doctor/check_privileges.ts';
import { clockFindings, serverFindings } from '../../src/doctor/server.ts';
import { readExpectedTriggers } from '../../src/doctor/triggers.ts';
import { type Ran, runProgram } from '../support/client.ts';
import { examineAs, problems, test } from '../support/installation.ts';
import { givenOtherDatabase, type TestDatabase } from '../support/test.ts';

test('a healthy installation has no findings', async ({ installation }) => {
  expect(await installation.ask()).toEqual([]);
});

test('the list of triggers is that of a freshly migrated database', async ({ database }) => {
  const { rows: triggers } = await database.owner.query<{ line: string }>(
    `select format('%s %s', tgrelid::regclass, tgname) as line from pg_trigger where not tgisinternal`,
  );
  expect(triggers.map((row) => row.line).toSorted()).toEqual(await readExpectedTriggers());
});

describe('doctor names what a person broke, with a remedy that works', () => {
  const faults: [name: string, inject: string, problem: string, remedy: string, repair: string][] = [
    [
      'a missing grant',
      'revoke select on tanks from tankwatch_api',
      'privileges: tankwatch_api lacks select on tanks',
      'as the owner: grant select on tanks to tankwatch_api',
      'grant select on tanks to tankwatch_api',
    ],
    [
      'a grant too many',
      'grant insert, update on customers to tankwatch_api',
      'privileges: tankwatch_api has insert, update on customers, which it must not have',
      'as the owner: revoke insert, update on customers from tankwatch_api, public',
      'revoke insert, update on customers from tankwatch_api, public',
    ],
    [
      'a grant too many on one column',
      'grant update (name) on customers to tankwatch_api',
      'privileges: tankwatch_api has update (name) on customers, which it must not have',
      'as the owner: revoke update (name) on customers from tankwatch_api, public',
      'revoke update (name) on customers from tankwatch_api, public',
    ],
    [
      'a column that the gateway cannot read',
      'revoke select (burst) on api_keys from tankwatch_gateway',
      'privileges: tankwatch_gateway lacks select (burst) on api_keys',
      'as the owner: grant select (burst) on api_keys to tankwatch_gateway',
      'grant select (burst) on api_keys to tankwatch_gateway',
    ],
    [
      'a column that the gateway must not read',
      'grant select (name) on api_keys to tankwatch_gateway',
      'privileges: tankwatch_gateway has select (name) on api_keys, which it must not have',
      'as the owner: revoke select (name) on api_keys from tankwatch_gateway, public',
      'revoke select (name) on api_keys from tankwatch_gateway, public',
    ],
    [
      'a table of which the gateway must read some columns only',
      'grant select on organizations to tankwatch_gateway',
      'privileges: tankwatch_gateway has select on organizations, which it must not have',
      'as the owner: revoke select on organizations from tankwatch_gateway, public',
      // Revoking the right on a table revokes it on all columns too.
      'revoke select on organizations from tankwatch_gateway; grant select (no, code, readings_per_second, deleted_at) on organizations to tankwatch_gateway',
    ],
    [
      'the api writing to a table of the installation itself',
      'create table notes (note text); grant select, delete on notes to tankwatch_api',
      'privileges: tankwatch_api has delete on notes, which it must not have',
      'as the owner: revoke delete on notes from tankwatch_api, public',
      'revoke delete on notes from tankwatch_api, public; drop table notes',
    ],
    [
      'a missing right to call a function',
      'revoke execute on function ensure_telemetry_month from tankwatch_writer',
      'privileges: tankwatch_writer lacks execute on ensure_telemetry_month',
      'as the owner: grant execute on function ensure_telemetry_month to tankwatch_writer',
      'grant execute on function ensure_telemetry_month to tankwatch_writer',
    ],
    [
      'temporary tables for everybody',
      `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
      'privileges: every role may create temporary tables in this database',
      'run tankwatch migrate, which revokes the privilege',
      `do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$`,
    ],
    [
      'tables for everybody',
      'grant create on schema public to public',
      'privileges: every role may create tables in this database',
      'as the owner: revoke create on schema public from public',
      'revoke create on schema public from public',
    ],
    [
      'a disabled trigger',
      'alter table tanks disable trigger count_new_tanks',
      'triggers: the trigger count_new_tanks on tanks is disabled',
      'as the owner: alter table tanks enable trigger count_new_tanks; then run tankwatch doctor --fix to count rows written in the meantime',
      'alter table tanks enable trigger count_new_tanks',
    ],
    [
      'a missing trigger',
      'alter trigger record_key_change on api_keys rename to renamed',
      'triggers: the trigger record_key_change on api_keys is missing',
      'as the owner: create the trigger again as in the file of migrations/ that creates it; then run tankwatch doctor --fix to count rows written in the meantime',
      'alter trigger renamed on api_keys rename to record_key_change',
    ],
    [
      'an index that was never finished',
      `update pg_index set indisvalid = false where indexrelid = 'customers_by_email'::regclass`,
      'indexes: the index customers_by_email on customers is not valid',
      'as the owner: reindex index concurrently customers_by_email',
      'reindex index customers_by_email',
    ],
    [
      'a constraint that is not validated',
      'alter table tanks add constraint is_new check (no > 0) not valid',
      'indexes: the constraint is_new on tanks is not validated',
      'as the owner: alter table tanks validate constraint is_new',
      'alter table tanks validate constraint is_new; alter table tanks drop constraint is_new',
    ],
    [
      'a table that has used half of its internal numbers',
      `create table numbers_before as select last_value, is_called from tanks_no_seq;
       select setval('tanks_no_seq', max_value / 2 + 1) from pg_sequences where sequencename = 'tanks_no_seq'`,
      'internal numbers: 50 % of the internal numbers of tanks.no are used',
      'find out what takes them, and give the table more numbers: see docs/operators/scale.md, "When internal numbers are used up"',
      `select setval('tanks_no_seq', last_value, is_called) from numbers_before; drop table numbers_before`,
    ],
    [
      'a table that has no internal number left',
      `create table numbers_before as select last_value, is_called from tanks_no_seq;
       select setval('tanks_no_seq', max_value) from pg_sequences where sequencename = 'tanks_no_seq'`,
      'internal numbers: all internal numbers of tanks.no are used, so no row can be added',
      'find out what takes them, and give the table more numbers: see docs/operators/scale.md, "When internal numbers are used up"',
      `select setval('tanks_no_seq', last_value, is_called) from numbers_before; drop table numbers_before`,
    ],
    [
      'a job that no worker runs',
      `select graphile_worker.add_job('notify_events', run_at => '2026-03-01T03:10:00Z')`,
      'worker: 1 job overdue by more than ten minutes, the oldest since 2026-03-01T03:10:00.000Z',
      'check that tankwatch worker is running, with SMTP_URL if mails are wanted; see its log',
      'delete from graphile_worker._private_jobs',
    ],
    [
      'states of a newer release after a rollback',
      `insert into reevaluations (tank_no, organization_no, waits_for_version, next_attempt_at)
       select no, organization_no, 99, 'infinity' from tanks order by no limit 1`,
      'evaluation: a newer release wrote the states of 1 tank (version 99): without that release they raise no alerts',
      'run the writers of that release again; they evaluate these tanks without further action',
      'delete from reevaluations',
    ],
    [
      'a writer that does not evaluate',
      `insert into reevaluations (tank_no, organization_no, next_attempt_at)
       select no, organization_no, '2026-03-01T03:10:00Z' from tanks order by no limit 1`,
      'evaluation: re-evaluation of 1 tank is overdue since 2026-03-01T03:10:00.000Z',
      'check that tankwatch writer is running with EVENTS=on, and see its log',
      'delete from reevaluations',
    ],
    [
      'an edited migration',
      `update schema_migrations set sha256 = 'x' || sha256 where name = '0002_catalog.sql'`,
      'migrations: 0002_catalog.sql was changed after it was applied',
      'restore the file of this release; put changes into a new migration',
      `update schema_migrations set sha256 = substr(sha256, 2) where name = '0002_catalog.sql'`,
    ],
    [
      'a migration of a newer release',
      `insert into schema_migrations (name, sha256) values ('9999_future.sql', '')`,
      'migrations: the database has migrations that are not part of this release: 9999_future.sql',
      'a newer release has migrated the database; upgrade this installation to that release',
      `delete from schema_migrations where name = '9999_future.sql'`,
    ],
    [
      'a detached partition, whose counters --fix must leave alone',
      'alter table telemetry detach partition telemetry_2025_02',
      'partitions: telemetry_2025_02 is not attached to telemetry, so its readings are not listed',
      `as the owner: alter table telemetry attach partition telemetry_2025_02 for values from ('2025-02-01T00:00:00.000Z') to ('2025-03-01T00:00:00.000Z'); or drop it if it is not needed`,
      `alter table telemetry attach partition telemetry_2025_02 for values from ('2025-02-01T00:00:00.000Z') to ('2025-03-01T00:00:00.000Z')`,
    ],
    [
      'a lost partition, whose counters --fix must leave alone',
      'alter table telemetry detach partition telemetry_2025_02; alter table telemetry_2025_02 rename to kept',
      'partitions: telemetry_2025_02 is missing, but telemetry_month_counters counts 2,301 readings in 2025-02',
      `restore telemetry_2025_02 from a backup and attach it; if the readings are lost: select ensure_telemetry_month('2025-02-01T00:00:00.000Z'), then tankwatch doctor --fix`,
      `alter table kept rename to telemetry_2025_02;
       alter table telemetry attach partition telemetry_2025_02 for values from ('2025-02-01') to ('2025-03-01')`,
    ],
  ];

  /** Two faults of the same object cannot be made at once. */
  const later = faults.filter(([name]) =>
    [
      'a grant too many on one column',
      'a table that has no internal number left',
      'a writer that does not evaluate',
      'a lost partition, whose counters --fix must leave alone',
    ].includes(name),
  );
  for (const made of [faults.filter((fault) => !later.includes(fault)), later]) {
    test(`it finds ${made.length} faults at once, and --fix claims nothing that it did not do`, async ({
      database,
      installation,
    }) => {
      for (const [, inject] of made) await database.owner.query(inject);
      const expected = made.map(([, , problem, remedy]) => `${problem}: ${remedy}`).toSorted();
      const found = await installation.ask();
      const named = problems(found).map((problem, index) => `${problem}: ${found[index]?.remedy}`);
      expect(named.toSorted()).toEqual(expected);
      const fixing = await installation.ask(true);
      expect(problems(fixing).toSorted()).toEqual(problems(found).toSorted());
      for (const [, , , , repair] of made.toReversed()) await database.owner.query(repair);
      expect(await installation.ask()).toEqual([]);
    });
  }

  test('it finds tanks that cannot be evaluated, and --fix lets writers retry', async ({ database, installation }) => {
    await database.owner.query(
      `insert into reevaluations (tank_no, organization_no, attempts, failing_since, last_error, next_attempt_at)
       select no, organization_no, 9, '2026-03-01T03:10:00Z', 'the tank state is damaged', now() + interval '1 hour'
       from tanks order by no limit 2`,
    );
    const [found, ...others] = await installation.ask(true);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ check: 'evaluation', fixed: false });
    expect(found?.problem).toMatch(
      /^2 tanks cannot be evaluated since 2026-03-01T03:10:00\.000Z: the tank state is damaged \(for example the tank [0-9a-f-]{36}\)/,
    );
    expect(found?.remedy).toContain('upgrade the writers');
    const { rows } = await database.owner.query('select from reevaluations where next_attempt_at <= now()');
    expect(rows).toHaveLength(2);
    await database.owner.query('delete from reevaluations');
    expect(await installation.ask()).toEqual([]);
  });

  test('it finds a migration that was not applied, and checks nothing else until then', async ({
    database,
    installation,
  }) => {
    const { rows } = await database.owner.query<{ name: string; sha256: string }>(
      `delete from schema_migrations where name = '0010_audit.sql' returning name, sha256`,
    );
    await database.owner.query('alter table tanks disable trigger count_new_tanks');
    expect(await installation.ask()).toEqual([
      {
        check: 'migrations',
        severity: 'broken',
        problem: 'migrations are pending: 0010_audit.sql',
        remedy: 'run tankwatch migrate, then tankwatch doctor again',
        fixed: false,
      },
    ]);
    await database.owner.query('alter table tanks enable trigger count_new_tanks');
    await database.owner.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      rows[0]?.name,
      rows[0]?.sha256,
    ]);
    expect(await installation.ask()).toEqual([]);
  });

  test('it finds a missing role', async ({ database }) => {
    // Roles belong to the whole server, which other tests share. So only this transaction sees the role gone.
    const tx = await database.owner.connect();
    await tx.query('begin; alter role tankwatch_writer rename to tankwatch_gone');
    const faultsInside = await checkPrivileges(tx);
    await tx.query('rollback');
    tx.release();
    expect(faultsInside).toEqual([
      {
        problem: 'the role tankwatch_writer is missing',
        remedy:
          'as a superuser: create role tankwatch_writer nologin; then grant it the privileges in migrations/privileges.txt',
        fixed: false,
      },
    ]);
  });
});

describe('pure comparisons', () => {
  test('servers from 15 to 18 are supported', () => {
    expect([150_000, 150_008, 169_999, 180_003].flatMap(serverFindings)).toEqual([]);
    expect(serverFindings(140_012)).toEqual([
      {
        problem: 'the server is PostgreSQL 14.12; Tankwatch supports PostgreSQL 15 to 18',
        remedy: 'upgrade the server with pg_upgrade to PostgreSQL 18',
        fixed: false,
      },
    ]);
    expect(serverFindings(190_000)[0]?.remedy).toMatch(/^upgrade Tankwatch/);
  });

  test('clocks may differ by two seconds, however slow the network is', () => {
    expect(clockFindings(10_000, 12_000, 10_000)).toEqual([]);
    expect(clockFindings(10_000, 14_000, 19_000)).toEqual([]);
    expect(clockFindings(10_000, 6_500, 10_020)[0]?.problem).toBe(
      "this machine's clock is 3.5 s ahead of the database's",
    );
    expect(clockFindings(10_000, 12_021, 10_020)[0]?.problem).toBe(
      "this machine's clock is 2.0 s behind the database's",
    );
  });
});

test('bad settings, and a database that is not there, are findings too', async ({ database }) => {
  const ask = async (environment: Record<string, string>): Promise<string[]> =>
    problems(await diagnose(environment, { fix: false, onChecked: () => {}, onProgress: () => {} }));
  expect(await ask({ SLOT: 'A' })).toEqual([
    expect.stringMatching(/^configuration: invalid configuration:\n.*DATABASE_URL must be set.*\n.*SLOT must be/),
  ]);
  expect(await ask({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' })).toEqual([
    'database: the database cannot be reached: nothing listens at 127.0.0.1:1, where PostgreSQL should be (ECONNREFUSED)',
  ]);
  expect(await ask({ DATABASE_URL: databaseUrl(database.ownerUrl, 'not_there') })).toEqual([
    expect.stringMatching(
      /^database: the database cannot be reached: PostgreSQL at .* has no such database \(database "not_there" does not exist\)$/,
    ),
  ]);
});

test('a check that a login may not make says so, and the others are made', async ({ database, installation }) => {
  expect(await installation.ask()).toEqual([]);
  const found = problems(await examineAs(database.urls.api));
  expect(found).toEqual([
    `logins: the login ${database.name}_api of the operator has more rights than it needs: it is a member of tankwatch_api`,
    'internal numbers: the check failed: permission denied for function sequence_use',
    'notifications: the check failed: permission denied for table notification_holds',
    'worker: the check failed: permission denied for function job_status',
    'backup: the check failed: permission denied for table organizations',
    'webhooks: the check failed: permission denied for table webhook_endpoints',
    'issuers: the check failed: permission denied for table issuers',
    'evaluation: the check failed: permission denied for table reevaluations',
    'weather: the check failed: permission denied for table organizations',
    'continuous check: the check failed: permission denied for table counter_check',
  ]);
});

test('a login with more rights than its role is named, for this command and for every role that is connected', async ({
  database,
  installation,
}) => {
  const connected = [
    openPool({ url: database.ownerUrl, applicationName: 'tankwatch gateway' }),
    openPool({ url: database.urls.writer, applicationName: 'tankwatch writer evaluation' }),
    openPool({ url: database.urls.writer, applicationName: 'tankwatch worker queue' }),
  ];
  for (const pool of connected) await pool.query('select');
  const user = (url: string): string => new URL(url).username;
  const found = await installation.ask();
  expect(problems(found)).toEqual([
    `logins: the login ${user(database.ownerUrl)} of the gateway has more rights than it needs: it is a superuser`,
    `logins: the login ${user(database.urls.writer)} of the worker has more rights than it needs: it is a member of tankwatch_writer`,
  ]);
  expect(found[0]?.remedy).toBe(
    'create a login whose only role is tankwatch_gateway, as in deploy/logins.sql, and set GATEWAY_DATABASE_URL to it',
  );
  await Promise.all(connected.map((pool) => pool.end()));
  expect(problems(await examineAs(database.ownerUrl))).toEqual([
    `logins: the login ${user(database.ownerUrl)} of the operator has more rights than it needs: it is a superuser`,
  ]);
});

test('an empty database has everything pending and nothing else', async ({ database }) => {
  const [finding, ...others] = await examineAs(await givenOtherDatabase(database, { isMigrated: false }));
  expect([finding?.problem, others]).toEqual([expect.stringMatching(/^migrations are pending: 0001_roles.sql, /), []]);
});

test('a check that takes long says so meanwhile', async ({ database, installation }) => {
  expect(await installation.ask()).toEqual([]);
  const lines: string[] = [];
  const blocker = await database.owner.connect();
  await blocker.query('begin; lock table device_assignments in access exclusive mode');
  const onProgress = (line: string): void => {
    lines.push(line);
    if (line.startsWith('device')) void blocker.query('rollback');
  };
  const diagnosis = diagnose(
    { DATABASE_URL: database.urls.operator },
    { fix: false, progressAfterMs: 300, onChecked: () => {}, onProgress },
  );
  expect(await diagnosis).toEqual([]);
  blocker.release();
  expect(lines).toContain('device assignments: still running after 0 s');
});

describe('the command', () => {
  /** Runs the command in a program of its own, without the other commands of main.ts. */
  const doctor = (database: TestDatabase, args: string[]): Promise<Ran> => {
    const module = new URL('../../src/cli/doctor.ts', import.meta.url).href;
    const program = `import { doctorCommand } from '${module}'; await doctorCommand().parseAsync(process.argv.slice(1), { from: 'user' });`;
    const env = { ...programEnvironment(), DATABASE_URL: database.urls.operator };
    return runProgram(process.execPath, ['--input-type=module', '-e', program, '--', ...args], { env });
  };

  test('ends with 2 while something is broken and with 0 once it is fixed, for people and for scripts', async ({
    database,
    installation,
  }) => {
    const healthy = await doctor(database, ['--json']);
    expect([healthy.code, healthy.stderr, JSON.parse(healthy.stdout)]).toEqual([
      0,
      '',
      {
        healthy: true,
        status: 'ok',
        findings: [],
        notes: [],
        not_checked: expect.arrayContaining([{ check: 'stream', reason: 'set OPERATOR_NATS_URL or NATS_URL' }]),
      },
    ]);

    await database.owner.query('update telemetry_month_counters set n = 9 where tank_no = $1 and month = $2', [
      installation.tankNo,
      '2025-01-01',
    ]);
    const problem = `tank ${installation.tankNo} has 3 readings in 2025-01, but telemetry_month_counters says 9`;
    const wrong = await doctor(database, []);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(
      /^ok {4}configuration\n-- {4}stream: not checked: [^]*\nok {4}database\nok {4}server\n/,
    );
    expect(wrong.stdout).toContain(`\nWRONG telemetry counters: ${problem}\n      run tankwatch doctor --fix`);

    const fixed = await doctor(database, ['--fix', '--json']);
    expect([fixed.code, JSON.parse(fixed.stdout)]).toEqual([
      0,
      {
        healthy: true,
        status: 'ok',
        findings: [
          {
            check: 'telemetry counters',
            severity: 'broken',
            problem,
            remedy: expect.stringContaining('--fix'),
            fixed: true,
          },
        ],
        notes: [],
        not_checked: expect.any(Array),
      },
    ]);
    expect((await doctor(database, [])).stdout).not.toMatch(/WRONG|fixed/);
  });

  test('has help with an example', async ({ database }) => {
    expect((await doctor(database, ['--help'])).stdout).toMatch(/Example:\n {2}tankwatch doctor --fix/);
  });

  test('is not healthy if one finding is left', () => {
    const finding = {
      check: 'clock',
      severity: 'broken',
      problem: 'it is slow',
      remedy: 'wind it',
      fixed: false,
    } as const;
    const warning = { ...finding, severity: 'warning' } as const;
    expect(reportOf([{ ...finding, fixed: true }]).healthy).toBe(true);
    expect(reportOf([{ ...finding, fixed: true }, finding]).healthy).toBe(false);
    expect(describeCheck('clock', [finding, { ...finding, fixed: true }])).toBe(
      'WRONG clock: it is slow\n      wind it\nfixed clock: it is slow',
    );
    expect([reportOf([]), reportOf([warning]), reportOf([warning, finding])].map(({ status }) => status)).toEqual([
      'ok',
      'warning',
      'broken',
    ]);
    expect(describeCheck('clock', [warning])).toBe('warn  clock: it is slow\n      wind it');
    expect(describeCheck('clock', { notChecked: 'set CLOCK' })).toBe('--    clock: not checked: set CLOCK');
    expect(describeCheck('clock', undefined)).toBe('--    clock: not checked, because of the problem above');
  });
});
