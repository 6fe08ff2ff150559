import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/server.ts',
    pool: 'forks',
    maxWorkers: 3, // most tests wait for something most of the time, so that two cores can do more than two
    maxConcurrency: 40,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
