import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { isWhole, QUICK_TESTS } from './whole_tests.ts';

/** Leaves out the tests of a file but the quick one, if `.ci/run` says so. */
beforeEach(({ task, skip }) => {
  const name = relative('test', task.file.filepath).replace('.test.ts', '');
  const quick = QUICK_TESTS[name];
  if (quick !== undefined && !isWhole(name) && !task.name.startsWith(quick)) skip();
});
