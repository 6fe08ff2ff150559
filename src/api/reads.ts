import { listCustomers, retrieveCustomer } from './customers.ts';
import type { Read } from './read.ts';
import { listTanks, retrieveTank } from './tanks.ts';
import { listTelemetry } from './telemetry.ts';

/** The whole public interface. */
export const READS: readonly Read[] = [listCustomers, retrieveCustomer, listTanks, retrieveTank, listTelemetry];
