import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startIngestLoad } from '../../bench/load_client/ingest_load.ts';
import { startInstallation } from '../../engines/installation.ts';
import { untilDrained, verify } from '../../faults/verify.ts';
import { DAY_MS } from '../../src/values/time.ts';

/** Copies a folder with its owners and rights, which PostgreSQL checks. */
const copyFolder = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

test('when the database returns in an older state, running writers store the missing readings again by themselves', async () => {
  const installation = await startInstallation({ devices: 20 });
  onTestFinished(() => installation.stop());
  const { postgres, owner } = installation;
  await installation.start('gateway');
  const writers = [await installation.start('writer'), await installation.start('writer')];
  const load = startIngestLoad({
    url: installation.ingestUrl,
    key: installation.ingestKey,
    devices: installation.devices,
    startAtMs: Date.now() - 60 * DAY_MS,
    stepMs: 1_000,
    replayShare: 0,
    senders: 2,
    pauseMs: 50,
  });
  const countStored = async (): Promise<number> => {
    const { rows } = await owner.query<{ n: number }>('select count(*) as n from telemetry');
    return rows[0]?.n ?? 0;
  };
  const untilMoreThan = (n: number) => expect.poll(countStored).toBeGreaterThan(n);

  await untilMoreThan(500);
  await postgres.kill();
  const [data, backup] = [join(postgres.dataFolder, 'data'), join(postgres.dataFolder, 'backup')];
  await copyFolder(data, backup);
  await postgres.restart();
  await untilMoreThan((await countStored()) + 1_000);
  await load.stop();
  await untilDrained(installation);
  const storedBefore = await countStored();
  await postgres.kill();
  await rm(data, { recursive: true });
  await copyFolder(backup, data);
  await postgres.restart();

  await expect.poll(countStored).toBeGreaterThanOrEqual(storedBefore);
  const isReplayed = writers.some(({ log }) =>
    log.includes('processing the messages since its last confirmed position'),
  );
  expect(isReplayed).toBe(true);
  const failed = (await verify(installation, [load.record])).filter(({ ok }) => !ok);
  expect(failed).toEqual([]);
});
