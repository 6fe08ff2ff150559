import type { Db } from '../../db/pool.ts';
import type { VerdictCode } from '../verdict_texts.ts';
import type { EntryRow } from './customer_ledger.ts';

interface LedgerListing {
  limit: number;
  verdict: VerdictCode | null;
  /** Lists only the notes of this truck, by its name. */
  truck: string | null;
  since: string | null;
}

export interface ListedEntry
  extends Pick<
    EntryRow,
    'at' | 'reason' | 'is_unlike_earlier' | 'note_litres' | 'gauge_litres' | 'from_litres' | 'to_litres'
  > {
  notes: string | null;
  tanks: string | null;
  customer: string;
  truck: string | null;
  verdict: VerdictCode;
}

/** The ledger for the command line, newest first. Notes that are not in a ledger yet are missing for some seconds. */
export async function listLedger(
  db: Db,
  organizationNo: number,
  { limit, verdict, truck, since }: LedgerListing,
): Promise<ListedEntry[]> {
  const { rows } = await db.query<ListedEntry>(
    `select e.at,
            (select string_agg(concat_ws('-', nullif(n.series, ''), n.number), ' + ' order by n.at, n.no)
             from delivery_notes n where n.no = any (e.note_nos)) as notes,
            (select string_agg(coalesce(t.custom_id, t.name), ' + ' order by t.no)
             from tanks t where t.no = any (e.tank_nos) and t.deleted_at is null) as tanks,
            c.name as customer, k.name as truck, e.verdict, e.reason, e.is_unlike_earlier,
            coalesce(e.note_litres, e.written_litres) as note_litres, e.gauge_litres, e.from_litres, e.to_litres
     from ledger_entries e
     join customers c on c.no = e.customer_no
     left join trucks k on k.no = e.truck_no
     where e.organization_no = $1 and ($2::text is null or e.verdict = $2) and ($3::text is null or lower(k.name) = lower($3))
       and e.at >= coalesce($4::timestamptz, '-infinity')
     order by e.at desc, e.id desc limit $5`,
    [organizationNo, verdict, truck, since, limit],
  );
  return rows;
}
