import { onlyRow } from './only_row.ts';
import type { Tx } from './pool.ts';

/** Takes an advisory lock until the transaction ends. Returns false if another transaction has it. */
export async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock(hashtext($1)) as locked', [
    name,
  ]);
  return onlyRow(rows).locked;
}
