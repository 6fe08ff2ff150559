import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/server.ts',
    pool: 'forks',
    maxConcurrency: 40,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
