import type { Pool } from 'pg';
import { onlyRow } from '../db/only_row.ts';
import type { Db } from '../db/pool.ts';
import type { StatusLogger } from '../health/outage.ts';
import { RepeatedWork } from '../health/repeated_work.ts';

const PAUSE_MS = 2_000;
/** The number of tanks per transaction. Their rows in fleet_tanks are locked until it ends. */
const BATCH_TANKS = 100;
/** The number of acknowledged tanks that are checked in one pass, about 5 ms. Expired times are found by an index in every pass. */
const PASS_TANKS = 1_000;

/**
 * Records acknowledgements and mutes that have expired, and those of a thousand acknowledged tanks after `afterNo` that
 * have ended for another reason. Reads and mails do not depend on this task: they use the same views directly. Returns the
 * number of tanks, and the tank after which the next pass begins.
 */
export async function recordExpiredHandling(db: Db, afterNo = 0): Promise<{ ended: number; lastNo: number }> {
  let total = 0;
  for (;;) {
    const { rows } = await db.query<{ ended: number; last_no: number | null }>({
      name: 'record_ends',
      text: `with checked as materialized (
           select distinct tank_no from acknowledgements where ended_at is null and tank_no > $1 order by tank_no limit ${PASS_TANKS}
         ), over as (
           select e.tank_no from checked
           -- offset 0 looks up tank by tank; otherwise PostgreSQL would compute all acknowledgements.
           cross join lateral (
             select o.tank_no from tanks_to_end o where o.tank_no = checked.tank_no offset 0
           ) as e
           union
           select tank_no from acknowledgements where ended_at is null and until <= now()
           union
           select tank_no from mutes where ended_at is null and until <= now()
           order by tank_no limit ${BATCH_TANKS}
         )
         select case when exists (select from over) then end_handling(array(select tank_no from over)) else 0 end as ended,
                (select max(tank_no) from checked having count(*) = ${PASS_TANKS}) as last_no`,
      values: [afterNo],
    });
    const { ended, last_no } = onlyRow(rows);
    total += ended;
    if (ended < BATCH_TANKS) return { ended: total, lastNo: last_no ?? 0 };
  }
}

/** Records expired acknowledgements and mutes every 2 seconds. More than a thousand acknowledged tanks are checked in several passes. */
export function startHandlingExpiryLoop(pool: Pool, logger: StatusLogger): RepeatedWork {
  let afterNo = 0;
  return new RepeatedWork(logger, 'recording ends of acknowledgements and mutes', PAUSE_MS, async () => {
    afterNo = (await recordExpiredHandling(pool, afterNo)).lastNo;
    return PAUSE_MS;
  });
}
