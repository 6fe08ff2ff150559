import type { Tx } from '../db/pool.ts';

/** A change of the data of an organization: the transaction, and who makes the change. */
export interface ChangeContext {
  tx: Tx;
  organizationNo: number;
  /** The console roles of a person, `key` for a key with the scope `manage`, or `operator` for a command. */
  callerRoles: readonly string[];
  /** True if the transaction is rolled back. New rows must not use up internal numbers. */
  isDryRun: boolean;
}

/** A change by the operator of the installation, who has rights that the people of an organization do not have. */
export const operatorChange = (tx: Tx, organizationNo: number, { isDryRun = false } = {}): ChangeContext => ({
  tx,
  organizationNo,
  callerRoles: ['operator'],
  isDryRun,
});
