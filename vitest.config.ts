import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findUnitTests } from './test/support/unit_tests.ts';

/**
 * The files that take longest, the longest first. Vitest knows only the size of a file that it has not run before, and a file
 * that runs for a minute at the end runs alone.
 */
const SLOW_FILES = [
  'docs/commands',
  'setup/init',
  'docs/readme',
  'console/console_looks',
  'faults/chaos',
  'manage/matrix',
  'faults/ingest',
  'console/worst_moment',
  'mistakes/startup',
  'mistakes/commands',
  'docs/integrators',
  'faults/fuzz',
  'console/map',
  'console/first_hour',
  'api/replicas',
  'scripts/tarball',
  'faults/abuse',
  'mail/digests',
  'worker/hold',
  'backups/drill',
  'router/cells',
  'client/faults',
  'faults/reconnect',
  'console/today_counts',
  'console/console',
  'cli/doctor',
  'console/act_handle',
  'evaluation/evaluation',
  'console/customers',
  'privacy/deleted_customer',
  'deploy',
  'demo/demo',
  'client/package',
  'client/readme',
].map((name) => `/test/${name}.test.ts`);

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array
    const sorted = await super.sort(files);
    const slow = SLOW_FILES.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
    const others = sorted.filter((file) => !slow.includes(file));
    // A worker is used again only if the next file is of the same project.
    const isUnit = ({ project }: TestSpecification): boolean => project.name === 'unit';
    return [...slow, ...others.filter((file) => !isUnit(file)), ...others.filter(isUnit)];
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
    setupFiles: 'test/support/random_seed.ts',
    pool: 'forks',
    maxWorkers: 4, // many tests wait for something much of the time, so that two cores can do more than two
    maxConcurrency: 40,
    sequence: { sequencer: SlowFilesFirst },
    // They end a test that hangs. What has to be fast is measured in the test, so that a stalled machine fails nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000, interval: 100 } },
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
