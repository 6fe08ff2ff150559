import { expect } from 'vitest';
import { TANK_STATUSES } from '../../src/status/tank_statuses.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { readPages } from '../support/lists.ts';
import { test } from '../support/test.ts';
import { givenBigFleet } from './console_fleet.ts';

interface ListedStatus {
  tank: { id: string };
  status: string[];
  threshold: { likely_at: string | null } | null;
}

const dueMs = ({ status, threshold }: ListedStatus): number =>
  status.includes('low') ? 0 : Date.parse(threshold?.likely_at ?? '9999-12-31T00:00:00Z');

test('the pages of the fleet, its counts, the CSV file and the refill list agree', async ({ database, api }) => {
  const { key, code, tanks } = await givenBigFleet(database);
  const walk = async (query: string): Promise<ListedStatus[]> => {
    const pages = await readPages<{ data: ListedStatus[]; next: string | null }>(
      async (after) => (await api.call(`/fleet/v1/tanks?size=17${query}${after}`, { key })).json,
    );
    return pages.flatMap(({ data }) => data);
  };
  const all = await walk('');
  expect(all.map(({ tank }) => tank.id).toSorted()).toEqual(tanks.map(({ id }) => id).toSorted());

  const { json: summary } = await api.call('/fleet/v1/summary', { key });
  expect(summary.total).toBe(tanks.length);
  expect(summary.counts.silent).toBe(tanks.length / 10);
  const csvLines = async (query: string): Promise<number> =>
    (await api.call(`/fleet/v1/tanks.csv${query}`, { key })).text.trim().split(/\r?\n/).length - 1;
  expect(await csvLines('')).toBe(tanks.length);
  for (const status of TANK_STATUSES) {
    const listed = await walk(`&status=${status}`);
    expect([status, listed.length, await csvLines(`?status=${status}`)]).toEqual([
      status,
      summary.counts[status],
      summary.counts[status],
    ]);
    expect(listed.every((tank) => tank.status.includes(status))).toBe(true);
  }

  const { stdout, stderr } = await runCommand(
    ['tanks', 'forecast', '--organization', code, '--limit', '1000', '--json'],
    { DATABASE_URL: database.urls.operator },
  );
  expect(stderr).toBe('');
  const refillList: { tank_id: string }[] = JSON.parse(stdout);
  // Both order low tanks by the time they are empty, and the others by the time they reach their threshold. The fleet
  // orders by day, so that a reading moves a tank rarely. Here its tanks are sorted by the hour, as the console does.
  const silent = new Set(all.filter(({ status }) => status.includes('silent')).map(({ tank }) => tank.id));
  const sortedFleet = all
    .toSorted((a, b) => dueMs(a) - dueMs(b))
    .flatMap(({ tank }) => (silent.has(tank.id) ? [] : [tank.id]));
  const refillOrder = refillList.flatMap(({ tank_id: id }) => (silent.has(id) ? [] : [id]));
  expect(refillOrder).toHaveLength(tanks.length - silent.size);
  expect(sortedFleet).toEqual(refillOrder);
});
