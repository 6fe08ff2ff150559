import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { isWhole, QUICK_TESTS, TRIED_BY } from './whole_tests.ts';

/** Leaves out the long tests of a file, if `.ci/run` says so. */
beforeEach(({ task, skip }) => {
  const name = relative('test', task.file.filepath).replace('.test.ts', '');
  const quick = QUICK_TESTS[name];
  const isLong = name in TRIED_BY || (quick !== undefined && !task.name.startsWith(quick));
  if (isLong && !isWhole(name)) skip();
});
