import { FLEET_OPERATIONS } from './fleet/operations.ts';
import type { Operation } from './operation.ts';
import { V1_OPERATIONS } from './v1/operations.ts';

/** Everything that an API key can read. */
export const OPERATIONS: readonly Operation[] = [...V1_OPERATIONS, ...FLEET_OPERATIONS];
