import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readConstants } from '../../bench/capacity/constants.ts';
import { planStage, planStages } from '../../bench/capacity/plan.ts';
import { renderPlan } from '../../bench/capacity/render.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEMAND = { tanks: 100e6, readingsPerDay: 4, years: 5 };

test('the plan in docs/operators/scale.md is the output of the command that stands above it', async () => {
  const text = await readFile(join(ROOT, 'docs/operators/scale.md'), 'utf8');
  const constants = await readConstants();
  const [, command, shown] = /<!-- begin: npm run capacity -- (.+?) -->\n(.+?)<!-- end -->/s.exec(text) ?? [];
  expect(command).toBe('--tanks 100e6 --per-day 4 --years 5');
  // To update it: npm run -s capacity -- --tanks 100e6 --per-day 4 --years 5
  expect(shown).toBe(`${renderPlan(DEMAND, planStages(DEMAND, constants), constants)}\n`);
});

test('npm run capacity prints the same plan as text and as JSON, and refuses a wrong number', async () => {
  const run = (...options: string[]) =>
    promisify(execFile)(process.execPath, [join(ROOT, 'scripts/capacity.ts'), ...options]);
  const json: unknown = JSON.parse((await run('--tanks', '100e6', '--json')).stdout);
  const constants = await readConstants();
  expect(json).toMatchObject({ demand: DEMAND, constants, stages: planStages(DEMAND, constants) });
  await expect(run('--tanks', '1.5')).rejects.toMatchObject({ code: 2 });
});

test('a plan needs a cell for every five million tanks, and the copies and years multiply the disk', async () => {
  const constants = await readConstants();
  const stageOf = (tanks: number, years = 5) => planStage({ tanks, readingsPerDay: 4, years }, constants);
  expect(stageOf(2_000)).toMatchObject({ kind: 'one machine', cells: 1 });
  expect(stageOf(5_000_000)).toMatchObject({ kind: 'replicas', cells: 1 });
  expect(stageOf(5_000_001)).toMatchObject({ kind: 'cells', cells: 2 });
  const perYear = constants.packed_reading_bytes.value * 4 * 365 * 5e6;
  expect(stageOf(5e6, 6).database.packedGb - stageOf(5e6, 5).database.packedGb).toBeCloseTo(perYear / 1e9);
  expect(stageOf(100e6).totalDiskTb).toBeCloseTo(20 * stageOf(5e6).totalDiskTb);
});
