import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Finished } from '../support/cli.ts';
import { runCommand } from '../support/cli_in_process.ts';
import { organizationCodeOf } from '../support/fleet.ts';
import { test } from '../support/manage.ts';
import { dayFromNow, givenTown } from '../support/rounds.ts';

test('an operator sets up trucks, plans a round and reads it', async ({ database, manage }) => {
  const { organizationNo } = await givenTown(database, manage);
  const code = await organizationCodeOf(database.owner, organizationNo);
  const run = (...args: string[]): Promise<Finished> =>
    runCommand([...args, '--organization', code], { DATABASE_URL: database.urls.operator });
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

  await run('depots', 'create', '--name', 'León', '--latitude', '21.12', '--longitude', '-101.68');
  const truck = ['--name', 'Pipa 7', '--depot', 'león', '--capacity', '3000', '--capacity-unit', 'litros'];
  const { stdout: created } = await run('trucks', 'create', ...truck);
  expect(created).toMatch(/^created the truck [0-9a-f-]{36}\n$/);
  expect((await run('trucks', 'create', ...truck.slice(2))).stderr).toContain('--name is required');
  await run('trucks', 'update', 'pipa 7', '--depot', 'Celaya', '--is-compensated', 'true');
  expect(await json('trucks', 'list')).toMatchObject([
    { name: 'Pipa 7', capacity: 3000, capacity_unit: 'liters', is_compensated: true },
    { name: 'Truck 2' },
  ]);
  const days = ['rounds', 'delivery-days', '--city', 'Celaya', '--days'];
  expect((await run(...days, 'mon,tue,wed,thu,fri,sat,sun')).stdout).toContain('trucks come to Celaya on: mon, tue');
  expect((await run(...days, 'someday')).stderr).toContain('Must be days such as tue,fri');

  const plan = ['--date', dayFromNow(1), '--truck', 'Pipa 7'];
  const { stdout: proposed } = await run('rounds', 'propose', ...plan);
  expect(proposed).toContain('3 stops');
  expect(proposed).toContain('Straight-line order, not a route.');
  expect((await json('rounds', 'create', ...plan, '--propose', '--dry-run')).stops).toBe(3);
  expect(await json('rounds', 'list')).toEqual([]);
  const { id } = await json('rounds', 'create', ...plan, '--propose', '--driver', 'Raúl Vega');
  expect(await json('rounds', 'list')).toMatchObject([
    { id, truck: 'Pipa 7', driver: 'Raúl Vega', state: 'planned', open: 3 },
  ]);

  const problem = JSON.parse((await run('rounds', 'vroom', id)).stdout);
  const numbers: number[] = problem.jobs.map((job: { id: number }) => job.id);
  const folder = await mkdtemp(join(tmpdir(), 'rounds-'));
  const file = join(folder, 'solution.json');
  const steps = numbers.toReversed().map((number) => ({ type: 'job', id: number }));
  await writeFile(file, JSON.stringify({ code: 0, routes: [{ vehicle: 1, steps }] }));
  expect((await run('rounds', 'order', id, '--solution', file)).stdout).toContain('ordered the 3 stops');
  await rm(folder, { recursive: true });
  const shown = await json('rounds', 'show', id);
  expect(shown.stops.slice(0, 2).map(({ number }: { number: number }) => number)).toEqual(numbers.toReversed());
  expect((await run('rounds', 'state', id, 'cancelled')).stdout).toBe(`the round ${id} is cancelled now\n`);
  expect((await run('rounds', 'state', id, 'done')).stderr).toContain('a round that is cancelled cannot be done');
  const { stdout: audit } = await run('audit');
  expect(audit).toContain(id);
  expect((await run('drivers', 'delete', 'Raúl Vega')).stdout).toMatch(/^deleted the driver/);
  expect(await json('drivers', 'list')).toEqual([]);
});
