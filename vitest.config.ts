import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/server.ts',
    pool: 'forks',
    maxWorkers: 3, // most tests wait for something most of the time, so that two cores can do more than two
    maxConcurrency: 40,
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // Code that runs in a child process (the command line, roles started as processes) is not counted.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
