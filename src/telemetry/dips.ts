import type { Db, Tx } from '../db/pool.ts';
import { UserError } from '../values/user_error.ts';

/** A level that a person read from the dial of a tank without a sensor. */
export interface Dip {
  organizationNo: number;
  tankNo: number;
  atMs: number;
  fillPercentage: number;
}

/**
 * Records a dip with the actor of the transaction. After the commit it cannot be lost: a writer stores it among the
 * readings within about a second (see store_dips.ts).
 */
export async function recordDip(tx: Tx, dip: Dip): Promise<void> {
  const { organizationNo, tankNo, atMs, fillPercentage } = dip;
  const fromMs = await manualSince(tx, organizationNo, tankNo);
  if (fromMs === null) throw hasSensor();
  if (atMs < fromMs) throw new UserError('the tank had a sensor at that time.');
  await tx.query(
    `insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
     values ($1, $2, to_timestamp($3::float8 / 1000), $4)`,
    [organizationNo, tankNo, atMs, fillPercentage],
  );
}

/**
 * Sets whether the use of a tank without a sensor follows that of similar tanks. If not, its level is not estimated
 * between dips.
 */
export async function setUsePredictable(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  isUsePredictable: boolean,
): Promise<void> {
  if ((await manualSince(tx, organizationNo, tankNo)) === null) throw hasSensor();
  await tx.query('update estimated_tanks set is_told = $2 where tank_no = $1 and is_told <> $2', [
    tankNo,
    isUsePredictable,
  ]);
}

const hasSensor = (): UserError =>
  new UserError(
    'this tank has a sensor. Only a tank without one takes dips; its device is `manual` when it is created or assigned.',
  );

/** Since when the tank has no sensor; null if it has one. */
async function manualSince(db: Db, organizationNo: number, tankNo: number): Promise<number | null> {
  const { rows } = await db.query<{ from_ms: number }>(
    `select date_part('epoch', manual_from) * 1000 as from_ms from estimated_tanks
     where tank_no = $1 and organization_no = $2 and manual_to = 'infinity'`,
    [tankNo, organizationNo],
  );
  return rows[0]?.from_ms ?? null;
}

/**
 * The largest number of dips that the owner of a tank may send in a day (UTC). More are treated as a mistake or misuse,
 * and are refused.
 */
export const MAX_OWNER_DIPS_PER_DAY = 5;

/** Counts a dip of the owner. Returns false if the limit of the day is reached. */
export async function countOwnerDip(tx: Tx, tankNo: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update estimated_tanks
     set owner_dips = case when owner_dips_on = (now() at time zone 'UTC')::date then owner_dips + 1 else 1 end,
         owner_dips_on = (now() at time zone 'UTC')::date
     where tank_no = $1 and (owner_dips_on < (now() at time zone 'UTC')::date or owner_dips < $2)`,
    [tankNo, MAX_OWNER_DIPS_PER_DAY],
  );
  return rowCount === 1;
}
