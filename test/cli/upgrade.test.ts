import { expect, test } from 'vitest';
import { describeWayBack } from '../../src/cli/upgrade.ts';

test('the instructions to go back to 0.3, which does not report its version, stop the backups that it cannot make', () => {
  const timer =
    '0.3 cannot make the nightly backups; to go back to it, also: systemctl disable --now backup-tankwatch.timer';
  const way = (version: string | null | undefined, isUnit: boolean): string[] =>
    describeWayBack(version, isUnit, '/saved/one.tar');
  expect(way(null, true)).toEqual([
    expect.stringContaining('To go back to the previous release: '),
    timer,
    expect.stringContaining('first: systemctl stop tankwatch; tankwatch restore /saved/one.tar'),
  ]);
  expect(way(undefined, true)).toContain(timer);
  expect(way('0.4.0', true)).not.toContain(timer);
  expect(way(null, false)).not.toContain(timer);
});
