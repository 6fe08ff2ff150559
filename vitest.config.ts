import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findUnitTests } from './test/support/unit_tests.ts';

/** Vitest begins with large files. Fault runs are small files that take a minute, and at the end they would run alone. */
class FaultsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array
    const sorted = await super.sort(files);
    const { faults = [], others = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      moduleId.includes('/test/faults/') ? 'faults' : 'others',
    );
    return [...faults, ...others];
  }
}

const unitTests = findUnitTests();

export default defineConfig({
  test: {
    projects: [
      // `npm run test:unit`: what needs no other program. It starts no engine.
      { extends: true, test: { name: 'unit', include: unitTests, pool: 'threads', isolate: false } },
      {
        extends: true,
        test: {
          name: 'engines',
          include: ['test/**/*.test.ts'],
          exclude: unitTests,
          globalSetup: 'test/support/server.ts',
          isolate: false, // the files of a worker share their modules: a third less CPU time
        },
      },
    ],
    pool: 'forks',
    maxWorkers: 3, // most tests wait for something most of the time, so that two cores can do more than two
    maxConcurrency: 40,
    sequence: { sequencer: FaultsFirst },
    // They end a test that hangs. What has to be fast is measured in the test, so that a stalled machine fails nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
