import { expect, test } from 'vitest';
import { backupFindings } from '../../src/doctor/backup.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';

const NOW_MS = Date.UTC(2026, 10, 18);
const ago = (ms: number): string => new Date(NOW_MS - ms).toISOString();
const problems = (backup_at: string | null, good_drill_at: string | null, ageMs = 30 * DAY_MS): string[] =>
  backupFindings({ backup_at, good_drill_at }, NOW_MS, ageMs).map(({ problem }) => problem);

test('doctor warns of a backup that is missing, old or never tried, and not in a new installation', () => {
  expect(problems(null, null, DAY_MS)).toEqual([]);
  expect(problems(null, null)).toEqual(['no backup was ever made']);
  expect(problems(ago(HOUR_MS), null)).toEqual(['no restore drill has ever succeeded']);
  expect(problems(ago(30 * HOUR_MS), ago(200 * DAY_MS))).toEqual([
    'the newest backup is 30 hours old',
    'no restore drill has succeeded since 2026-05-02',
  ]);
  expect(problems(ago(HOUR_MS), ago(DAY_MS))).toEqual([]);
});
