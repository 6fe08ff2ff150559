import type { Caller } from '../../src/keys/key_verifier.ts';

/** The holder of a key of the organization 1 with the default limits. `differences` replace values. */
export const givenCaller = (differences: Partial<Caller>): Caller => ({
  keyNo: 1,
  keyPrefix: 'prefix',
  organizationNo: 1,
  customerNo: null,
  scopes: ['read'],
  requestsPerSecond: 100,
  burst: 1_000,
  isSession: false,
  contactNo: null,
  roles: [],
  ...differences,
});
