import type { Db, Tx } from '../db/pool.ts';
import { Refusal } from './refusal.ts';
import { onlyRow } from './rows.ts';

export interface NewOrganization {
  /** Short and public, beginning with the installation's cell: part of every device's user name. */
  code: string;
  name: string;
}

export async function createOrganization(tx: Tx, organization: NewOrganization): Promise<number> {
  const { rows } = await tx.query<{ no: number }>(
    'insert into organizations (code, name) values ($1, $2) returning no',
    [organization.code, organization.name],
  );
  return onlyRow(rows).no;
}

export async function findOrganization(db: Db, code: string): Promise<number | undefined> {
  const { rows } = await db.query<{ no: number }>('select no from organizations where code = $1', [code]);
  return rows[0]?.no;
}

/**
 * Every change to an organization's catalog begins here. The counters' triggers take the same lock; taking it before
 * any row keeps two operators from waiting for each other in a circle.
 */
export async function lockOrganization(tx: Tx, organizationNo: number): Promise<void> {
  const { rowCount } = await tx.query('select from organizations where no = $1 for no key update', [organizationNo]);
  if (!rowCount) throw new Refusal(`there is no organization ${organizationNo}.`);
}
