import type { Operation } from '../operation.ts';
import { listCustomersOperation, retrieveCustomerOperation } from './customers.ts';
import { listTanksOperation, retrieveTankOperation } from './tanks.ts';
import { listTelemetryOperation } from './telemetry.ts';

export const V1_OPERATIONS: readonly Operation[] = [
  listCustomersOperation,
  retrieveCustomerOperation,
  listTanksOperation,
  retrieveTankOperation,
  listTelemetryOperation,
];
