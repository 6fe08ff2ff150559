import { expect } from 'vitest';
import { deleteTank } from '../../src/catalog/tanks.ts';
import { transaction } from '../../src/db/pool.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import { mergeShares, splitIntoShares } from '../../src/writer/shares.ts';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { givenCustomer, givenTanks } from '../support/fleet.ts';
import { counterFaults, givenSender, type Sender } from '../support/ingest.ts';
import { type TestDatabase, test } from '../support/test.ts';

const AT_MS = Date.UTC(2025, 5, 1);
let messages = 0;

const run = (database: TestDatabase, ...args: string[]): Promise<Finished> =>
  runCommand(['rejected', ...args], { DATABASE_URL: database.urls.operator });
// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever was printed
const json = async (database: TestDatabase, ...args: string[]): Promise<any> => {
  const { code, stdout, stderr } = await run(database, ...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

/** Readings that have just been rejected: four of the device NEW, a conflict, a clock that is ahead, and unreadable bytes. */
async function givenRejected(database: TestDatabase): Promise<Sender> {
  const sender = await givenSender(database, ['OLD']);
  const { organizationNo } = sender;
  const reading = (deviceId: string, n: number, level = 40) => ({ organizationNo, deviceId, atMs: AT_MS + n, level });
  const rejection = { organizationNo, deviceId: 'OLD', detail: 'It is so.', format: '' };
  await new BatchIngester(database.writer).ingestBatch(
    mergeShares(
      splitIntoShares(
        {
          id: `0198a4f0-0000-7000-8000-${String(messages++).padStart(12, '0')}`,
          receivedAtMs: Date.now(),
          readings: [...[0, 1, 2, 2].map((n) => reading('NEW', n)), reading('OLD', 0), reading('OLD', 0, 41)],
          rejections: [
            { ...rejection, code: 'future', raw: Buffer.from('{"lvl":0.5}'), format: 'level=lvl&unit=fraction' },
            { ...rejection, code: 'malformed', raw: Buffer.from('\u001b[2J\nno') },
          ],
          health: [],
        },
        1,
      ),
    ),
  );
  return sender;
}

test('readings are listed newest first, counted by reason, and shown as they were sent', async ({ database }) => {
  const { organizationCode } = await givenRejected(database);
  const only = ['--organization', organizationCode];
  const [listed, counted, filtered] = await Promise.all([
    json(database, 'list', ...only),
    json(database, 'list', ...only, '--counts'),
    run(database, 'list', ...only, '--code', 'unknown_device', '--device', 'NEW', '--limit', '1'),
  ]);
  expect(listed.map(({ code }: { code: string }) => code)).toEqual([
    'conflict',
    ...Array(4).fill('unknown_device'),
    'malformed',
    'future',
  ]);
  expect(listed[0]).toEqual({
    no: expect.any(Number),
    organization: organizationCode,
    device_id: 'OLD',
    code: 'conflict',
    detail: 'The tank already has 40 at 2025-06-01T00:00:00.000Z, not 41; a stored reading is never changed.',
    received_at: expect.stringMatching(/Z$/),
    settlement: null,
  });
  expect(counted).toEqual([
    { code: 'unknown_device', n: 4 },
    { code: 'conflict', n: 1 },
    { code: 'future', n: 1 },
    { code: 'malformed', n: 1 },
  ]);
  expect(filtered.stdout).toMatch(/^no +organization +device_id +code +detail .*\n\d+ .* NEW +unknown_device .*\n$/);

  const malformed = listed.find(({ code }: { code: string }) => code === 'malformed');
  const [shown, text] = await Promise.all([
    json(database, 'show', String(malformed.no)),
    run(database, 'show', String(malformed.no)),
  ]);
  expect(shown).toMatchObject({ code: 'malformed', raw: '\u001b[2J\nno', settled_at: null, place: 7 });
  expect(text.stdout).toContain('raw: \\u001b[2J\\u000ano\n'); // control characters are escaped for the terminal
});

test('after the device was assigned a replay stores what it can and keeps the rest with its reason', async ({
  database,
}) => {
  const { organizationNo, organizationCode, tankNos } = await givenRejected(database);
  const only = ['--organization', organizationCode];
  const stored = async () =>
    (
      await database.owner.query(
        'select fill_percentage from telemetry where tank_no <> $1 and tank_no = any (select no from tanks where organization_no = $2)',
        [tankNos[0], organizationNo],
      )
    ).rowCount;
  const before = await run(database, 'replay', ...only, '--code', 'unknown_device');
  expect([before.code, before.stdout]).toEqual([0, '0 stored, 0 duplicates, 4 rejected again\n']);
  expect(before.stderr).toMatch(
    /^\d+: unknown_device: The device "NEW" was not assigned to a tank at .*; assign it first\.\n/,
  );

  const owner = await givenCustomer(database.operator, organizationNo);
  await givenTanks(database.operator, organizationNo, owner.no, [{ assigned_device_id: 'NEW' }]);
  const dry = await run(database, 'replay', ...only, '--dry-run');
  expect(dry.stdout).toBe('4 stored, 1 duplicates, 2 rejected again\n(a dry run: nothing was changed)\n');
  expect(await stored()).toBe(0);
  expect(await json(database, 'replay', ...only, '--as', 'olga')).toEqual({ stored: 4, duplicates: 1, rejected: 2 });
  expect([await stored(), await counterFaults(database)]).toEqual([3, []]);

  const [open, all] = await Promise.all([json(database, 'list', ...only), json(database, 'list', ...only, '--all')]);
  expect(open.map(({ code }: { code: string }) => code)).toEqual(['conflict', 'malformed']);
  expect(all.map(({ settlement }: { settlement: string }) => settlement)).toEqual([
    null,
    ...Array(4).fill('replayed'),
    null,
    'replayed',
  ]);
  expect(await json(database, 'show', String(all[1].no))).toMatchObject({
    settlement: 'replayed',
    settled_by: 'olga',
    settled_at: expect.stringMatching(/Z$/),
  });
});

test('thousands are replayed in several batches, and those of a deleted tank are deleted with it', async ({
  database,
}) => {
  const { organizationNo, organizationCode, tankNos } = await givenSender(database, ['GONE']);
  const level = 50;
  const readings = Array.from({ length: 2_500 }, (_, n) => ({
    organizationNo,
    deviceId: 'LATE',
    atMs: AT_MS + n,
    level,
  }));
  const gone = { organizationNo, deviceId: 'GONE', atMs: AT_MS, level: 101 };
  await new BatchIngester(database.writer).ingestBatch(
    mergeShares(
      splitIntoShares(
        {
          id: '0198a4f0-0000-7000-9000-000000000000',
          receivedAtMs: AT_MS,
          readings: [...readings, gone],
          rejections: [],
          health: [],
        },
        1,
      ),
    ),
  );
  await transaction(database.operator, (tx) => deleteTank(tx, organizationNo, tankNos[0] ?? 0));
  const owner = await givenCustomer(database.operator, organizationNo);
  await givenTanks(database.operator, organizationNo, owner.no, [{ assigned_device_id: 'LATE' }]);
  expect(await json(database, 'replay', '--organization', organizationCode)).toEqual({
    stored: 2_500,
    duplicates: 0,
    rejected: 0,
  });
  expect(await counterFaults(database)).toEqual([]);
});

test('discarded readings stay on record, and only selected readings are discarded', async ({ database }) => {
  const { organizationCode } = await givenRejected(database);
  const { organizationCode: other } = await givenRejected(database);
  const only = ['--organization', organizationCode];
  const [first] = await json(database, 'list', ...only, '--code', 'conflict');
  const dry = await run(database, 'discard', ...only, '--dry-run');
  expect(dry.stdout).toBe('discarded 7\n(a dry run: nothing was changed)\n');
  expect(await json(database, 'discard', '--no', String(first.no))).toEqual({ discarded: 1 });
  expect((await run(database, 'discard', ...only, '--code', 'conflict')).stdout).toBe('discarded 0\n');
  expect((await run(database, 'discard', ...only, '--device', 'NEW')).stdout).toBe('discarded 4\n');
  const [open, theirs, all] = await Promise.all([
    json(database, 'list', ...only),
    json(database, 'list', '--organization', other),
    json(database, 'list', ...only, '--all', '--counts'),
  ]);
  expect([open.length, theirs.length]).toEqual([2, 7]);
  expect(all.map(({ n }: { n: number }) => n)).toEqual([4, 1, 1, 1]);
});

test('mistakes end with 1 and a sentence', async ({ database }) => {
  const mistakes: [string[], string][] = [
    [['discard'], 'select readings with --no, --organization, --code or --device'],
    [['show', '999999999'], 'there is no rejected reading 999999999; list them with: tankwatch rejected list'],
    [['show', 'x'], 'Must be a number from: tankwatch rejected list'],
    [['list', '--organization', 'a0nobody'], 'there is no organization a0nobody'],
    [['list', '--code', 'ugly'], 'Allowed choices are malformed'],
    [['replay', '--no', '-1'], 'Must be a number from'],
  ];
  const outcomes = await Promise.all(mistakes.map(([args]) => run(database, ...args)));
  for (const [index, { code, stderr }] of outcomes.entries()) {
    expect([code, stderr]).toEqual([1, expect.stringContaining(mistakes[index]?.[1] ?? '')]);
    expect(stderr).not.toMatch(/ {4}at /);
  }
});
