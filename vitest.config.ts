import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/server.ts',
    pool: 'forks',
    maxWorkers: 3, // most tests wait for something most of the time, so that two cores can do more than two
    maxConcurrency: 40,
    sequence: { sequencer: FaultsFirst },
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // A shared machine sometimes stalls for seconds, and some guarantees are times. CI repeats a failed test and the
    // report names it ("retry x1"). Locally a failure stays a failure.
    retry: process.env['CI'] === undefined ? 0 : 2,
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
