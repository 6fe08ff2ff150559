import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findUnitTests } from './test/support/unit_tests.ts';

/**
 * The slowest files, the slowest first. Without this list, Vitest orders files that it has not run before by their size, and a file
 * of a minute could start last and run alone.
 */
const SLOW_FILES = [
  'docs/commands',
  'console/console_looks',
  'faults/connectors',
  'faults/duty',
  'console/map',
  'console/round_safety',
  'console/whole_day',
  'setup/backup',
  'setup/init',
  'docs/readme',
  'docs/integrators',
  'console/console',
  'api/replicas',
  'faults/ingest',
  'manage/matrix',
  'db/released_schema',
  'faults/chaos',
  'console/driver',
  'worker/kill',
  'docs/sync',
  'console/worst_moment',
  'worker/outage',
  'telemetry/export_readings',
  'doctor/services',
  'console/act_catalog',
  'cli/doctor_drift',
  'api/lifecycle',
  'mail/digests',
  'scripts/tarball',
  'manage/kills',
  'console/act_looks',
  'console/rounds',
  'cli/restore',
  'api/openapi',
  'console/dips',
  'console/map_background',
  'cli/doctor',
  'demo/demo',
  'console/act_handle',
  'gateway/acknowledgement',
  'console/act_tank',
  'mistakes/startup',
  'fleet/pg_upgrade',
  'console/act_mails',
  'faults/fuzz',
  'console/today_counts',
  'console/act_change',
  'api/static_files',
  'faults/reconnect',
  'privacy/deleted_customer',
  'db/migrate',
  'gauges/fuzz',
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
      // `npm run test:unit` runs these files only. They start no other program.
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
    setupFiles: ['test/support/random_seed.ts', 'test/support/quick_tests.ts'],
    pool: 'forks',
    // Most tests wait much of the time. With seven workers, browsers on two cores were too slow for their deadlines.
    maxWorkers: 5,
    maxConcurrency: 40,
    sequence: { sequencer: SlowFilesFirst },
    // These timeouts only end a test that hangs: the longest test takes 180 s. If something has to be fast, the test measures it
    // and subtracts the delays of the machine.
    testTimeout: 400_000,
    // With CI=true, a failed test runs once more, because a full run keeps two cores busy for a quarter of an hour. `.ci/run` names
    // each test that passed only at its second run.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 240_000, interval: 100 } },
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
