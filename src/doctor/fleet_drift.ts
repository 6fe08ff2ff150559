import type { Db, Tx } from '../db/pool.ts';
import { checkDrift } from './drift.ts';
import type { CheckContext, CheckFinding } from './finding.ts';

/** A tank whose row of fleet_tanks or fleet_levels is missing, superfluous, or has another owner, city or use case. */
interface Drift {
  /** The number of the tank. */
  no: number;
  kind: 'missing' | 'superfluous' | 'different';
}

export const checkFleet = (context: CheckContext): Promise<CheckFinding[]> =>
  checkDrift<Drift>(context, {
    what: 'tank',
    findDrift,
    sentence: ({ kind, no }) => SENTENCES[kind](no),
    remedy: 'run tankwatch doctor --fix, which copies the tanks to the fleet reads and evaluates them again',
    restore: restoreRows,
  });

const SENTENCES: Readonly<Record<Drift['kind'], (tankNo: number) => string>> = {
  missing: (tankNo) => `tank ${tankNo} is missing in the fleet reads`,
  superfluous: (tankNo) => `tank ${tankNo} is deleted, but still in the fleet reads`,
  different: (tankNo) => `tank ${tankNo} has another owner, city or use in the fleet reads`,
};

async function findDrift(db: Db): Promise<Drift[]> {
  const { rows } = await db.query<Drift>(
    `select tank_no as no, case when t.row is null then 'superfluous' when f.is_complete then 'different' else 'missing' end as kind
     from (
       select no as tank_no, (organization_no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')) as row
       from tanks where deleted_at is null
     ) as t
     full join (
       select tank_no, (l.organization_no, f.organization_no, f.owner_no, f.city, f.use_case) as row,
              l.organization_no is not null and f.organization_no is not null as is_complete
       from fleet_levels l full join fleet_tanks f using (tank_no)
     ) as f using (tank_no)
     where t.row is distinct from f.row
     order by tank_no`,
  );
  return rows;
}

/** Locks the tanks first, like a change of the catalog. A re-evaluation then writes the states of the tanks. */
async function restoreRows(tx: Tx, tankNos: readonly number[]): Promise<void> {
  await tx.query('select from tanks where no = any ($1) order by no for no key update', [tankNos]);
  for (const table of ['fleet_levels', 'fleet_tanks'] as const) {
    await tx.query(`select from ${table} where tank_no = any ($1) order by tank_no for update`, [tankNos]);
    await tx.query(
      `delete from ${table} f where f.tank_no = any ($1)
         and not exists (select from tanks t where t.no = f.tank_no and t.deleted_at is null)`,
      [tankNos],
    );
  }
  await tx.query(
    `insert into fleet_levels (tank_no, organization_no)
     select no, organization_no from tanks where no = any ($1) and deleted_at is null order by no
     on conflict (tank_no) do update set organization_no = excluded.organization_no`,
    [tankNos],
  );
  await tx.query(
    `insert into fleet_tanks (tank_no, organization_no, owner_no, city, use_case)
     select no, organization_no, owner_no, coalesce(city, ''), coalesce(use_case, '')
     from tanks where no = any ($1) and deleted_at is null order by no
     on conflict (tank_no) do update
     set organization_no = excluded.organization_no, owner_no = excluded.owner_no, city = excluded.city,
         use_case = excluded.use_case`,
    [tankNos],
  );
  await tx.query(
    `insert into reevaluations (tank_no, organization_no, settings_from, settings_to)
     select t.no, t.organization_no, now(), now() from tanks t join tank_states s on s.tank_no = t.no
     where t.no = any ($1) and t.deleted_at is null order by t.no
     on conflict (tank_no) do nothing`,
    [tankNos],
  );
}
