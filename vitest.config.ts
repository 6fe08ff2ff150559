import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findUnitTests } from './test/support/unit_tests.ts';

/**
 * The files that take longest, the longest first. Vitest knows only the size of a file that it has not run before, and a file
 * that runs for a minute at the end runs alone.
 */
const SLOW_FILES = [
  'console/round_safety',
  'console/map',
  'docs/commands',
  'console/console_looks',
  'console/whole_day',
  'worker/outage',
  'api/replicas',
  'docs/integrators',
  'docs/readme',
  'setup/init',
  'faults/chaos',
  'worker/kill',
  'manage/matrix',
  'faults/ingest',
  'faults/abuse',
  'manage/kills',
  'db/released_schema',
  'scripts/tarball',
  'console/worst_moment',
  'console/rounds',
  'cli/doctor',
  'evaluation/evaluation',
  'mail/digests',
  'console/act_catalog',
  'demo/demo',
  'cli/cli',
  'doctor/services',
  'api/lifecycle',
  'console/dips',
  'console/driver',
  'docs/devices',
  'mistakes/startup',
  'console/map_background',
  'observe/alerts',
  'cli/doctor_drift',
  'faults/fuzz',
  'gateway/acknowledgement',
  'deploy',
  'console/act_tank',
  'recovery/drill',
  'writer/hung_database',
  'router/limits',
  'console/console',
  'console/act_mails',
  'client/walk',
  'gauges/fuzz',
  'cli/backup',
  'console/map_world',
  'writer/restored_database',
  'console/customers',
  'faults/reconnect',
  'fleet/live',
  'catalog/import_file',
  'worker/concurrency',
  'console/act_looks',
  'cli/restore',
  'db/migrate',
  'console/sign_in',
  'console/act_people',
  'gateway/certificate_reload',
  'privacy/deleted_customer',
  'deliveries/stored_ledger',
  'writer/poison',
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
    setupFiles: ['test/support/random_seed.ts', 'test/support/quick_tests.ts'],
    pool: 'forks',
    maxWorkers: 5, // many tests wait for something much of the time, so that two cores can do more than two
    maxConcurrency: 40,
    sequence: { sequencer: SlowFilesFirst },
    // They end a test that hangs. What has to be fast is measured in the test, so that a stalled machine fails nothing.
    testTimeout: 600_000,
    // A run of everything keeps two cores busy for a quarter of an hour. `.ci/run` names each test that passed only at its second try.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000, interval: 100 } },
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
