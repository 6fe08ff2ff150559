import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, InvalidValuesError, NoSuchObjectError } from '../values/change_refusal.ts';
import { DAY_MS } from '../values/time.ts';

/** A level that a person read from the dial of a tank without a sensor. */
export interface Dip {
  organizationNo: number;
  tankNo: number;
  atMs: number;
  fillPercentage: number;
  /** The customer who sends the dip from the customer's page. Null if a person of the organization or a program sends it. */
  ownerNo: number | null;
}

/** The largest age of a dip that an owner sends. The organization can send older ones. */
const OWNER_WITHIN_MS = DAY_MS;

/**
 * Records a dip with the actor of the transaction. After the commit it cannot be lost: a writer stores it among the
 * readings within about a second (see store_dips.ts).
 */
export async function recordDip(tx: Tx, dip: Dip): Promise<void> {
  const { organizationNo, tankNo, atMs, fillPercentage, ownerNo } = dip;
  if (ownerNo !== null) {
    if (atMs < Date.now() - OWNER_WITHIN_MS)
      throw new InvalidValuesError([{ field: 'created_at', reason: 'must be within the last 24 hours' }]);
  }
  // The tank is locked, so that it is not deleted and gets no sensor or other owner meanwhile. For an owner, the tanks of
  // other owners do not exist.
  const { rowCount } = await tx.query(
    `select from tanks where organization_no = $1 and no = $2 and deleted_at is null
       and owner_no = coalesce($3::int, owner_no) for share`,
    [organizationNo, tankNo, ownerNo],
  );
  if (!rowCount) throw new NoSuchObjectError('tank');
  const fromMs = await readManualFromMs(tx, organizationNo, tankNo);
  if (atMs < fromMs) throw new ChangeRefusedError('tank_had_sensor', 'the tank had a sensor at that time');
  await tx.query(
    `insert into waiting_dips (organization_no, tank_no, at, fill_percentage)
     values ($1, $2, to_timestamp($3::float8 / 1000), $4)`,
    [organizationNo, tankNo, atMs, fillPercentage],
  );
  if (ownerNo !== null) await countOwnerDip(tx, tankNo);
}

/** Sets whether the use of a tank without a sensor follows that of similar tanks. If not, its level is not estimated between dips. */
export async function setUsePredictable(
  tx: Tx,
  organizationNo: number,
  tankNo: number,
  isUsePredictable: boolean,
): Promise<void> {
  await readManualFromMs(tx, organizationNo, tankNo);
  await tx.query('update estimated_tanks set is_told = $2 where tank_no = $1 and is_told <> $2', [
    tankNo,
    isUsePredictable,
  ]);
}

/** Reads the time from which the tank has no sensor. Throws if the tank has one. */
async function readManualFromMs(db: Db, organizationNo: number, tankNo: number): Promise<number> {
  const { rows } = await db.query<{ from_ms: number }>(
    `select date_part('epoch', manual_from) * 1000 as from_ms from estimated_tanks
     where tank_no = $1 and organization_no = $2 and manual_to = 'infinity'`,
    [tankNo, organizationNo],
  );
  if (rows[0] === undefined) throw new ChangeRefusedError('tank_has_sensor', 'this tank has a sensor');
  return rows[0].from_ms;
}

/**
 * The largest number of dips that the owner of a tank may send in a day (UTC). More are treated as a mistake or misuse, and are refused.
 */
export const MAX_OWNER_DIPS_PER_DAY = 5;

async function countOwnerDip(tx: Tx, tankNo: number): Promise<void> {
  const { rowCount } = await tx.query(
    `update estimated_tanks
     set owner_dips = case when owner_dips_on = (now() at time zone 'UTC')::date then owner_dips + 1 else 1 end,
         owner_dips_on = (now() at time zone 'UTC')::date
     where tank_no = $1 and (owner_dips_on < (now() at time zone 'UTC')::date or owner_dips < $2)`,
    [tankNo, MAX_OWNER_DIPS_PER_DAY],
  );
  const fact = `the level of this tank was sent ${MAX_OWNER_DIPS_PER_DAY} times today`;
  if (rowCount !== 1) throw new ChangeRefusedError('too_many_dips', fact);
}
