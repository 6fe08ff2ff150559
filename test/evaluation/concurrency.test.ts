import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { lockOrganization } from '../../src/catalog/organizations.ts';
import { transaction } from '../../src/db/pool.ts';
import { TimerScan } from '../../src/evaluation/fire_timers.ts';
import { Reevaluator } from '../../src/evaluation/reevaluator.ts';
import { BatchIngester } from '../../src/ingest/batch_ingester.ts';
import {
  evaluationsOf,
  falling,
  givenTankNos,
  markFromTheBeginning,
  readingsOf,
  settle,
} from '../support/evaluation.ts';
import { test } from '../support/test.ts';

const TANKS = 60;
const ROUNDS = 40;

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);

test('bulk changes of settings, two writers, re-evaluation and timers do not deadlock and end in the right states', async ({
  database,
}) => {
  const { organizationNo, nos } = await givenTankNos(database, TANKS);
  const readingsByTank = new Map(nos.map((no) => [no, readingsOf(no, falling(70, 2, 20))]));
  const stopping = new AbortController();
  const repeatUntilStopped = async (work: () => Promise<unknown>): Promise<void> => {
    while (!stopping.signal.aborted) await work();
  };
  const changeSettings = (): Promise<unknown> =>
    transaction(database.operator, async (tx) => {
      await lockOrganization(tx, organizationNo);
      await tx.query(
        `update tanks t set min_fill_alert_percentage = n.percentage
         from unnest($1::int[], $2::int[]) as n (no, percentage) where t.no = n.no`,
        [shuffled(nos), nos.map(() => 20 + Math.floor(Math.random() * 40))],
      );
    });
  // Each writer stores half of the readings of every tank, so that both change the same tanks.
  const write = async (half: number): Promise<void> => {
    const ingester = new BatchIngester(database.writer);
    for (let round = 0; round < ROUNDS; round++) {
      const batch = [...readingsByTank.values()].flatMap((readings) =>
        readings.slice(round * 2 + half, round * 2 + half + 1),
      );
      await ingester.ingestReadings(shuffled(batch));
    }
  };
  const reevaluators = [new Reevaluator(database.writer), new Reevaluator(database.writer)];
  const timers = new TimerScan(database.writer);
  const background = [
    ...reevaluators.map((reevaluator) => repeatUntilStopped(() => reevaluator.reevaluateBatch(Date.now()))),
    repeatUntilStopped(() => timers.fireBatch(Date.now())),
    repeatUntilStopped(async () => {
      await changeSettings();
      await sleep(20);
    }),
  ];
  try {
    await Promise.all([write(0), write(1)]);
  } finally {
    stopping.abort();
    await Promise.all(background); // throws if one of them was the victim of a deadlock
  }
  await settle(database);
  const evaluated = await evaluationsOf(database, nos);
  await markFromTheBeginning(database, nos);
  await settle(database);
  expect(await evaluationsOf(database, nos)).toEqual(evaluated);
});
