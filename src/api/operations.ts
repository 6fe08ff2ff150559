import { FLEET_OPERATIONS } from './fleet/operations.ts';
import type { Operation } from './operation.ts';
import { V1_OPERATIONS } from './v1/operations.ts';

/** All operations with which an API key can read: those of /v1 and /fleet/v1. */
export const OPERATIONS: readonly Operation[] = [...V1_OPERATIONS, ...FLEET_OPERATIONS];
