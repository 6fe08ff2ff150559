import type { Pool } from 'pg';
import { onlyRow } from '../../db/only_row.ts';
import { isPermanentFailure } from '../../db/permanent_failures.ts';
import { type Db, type Tx, transaction } from '../../db/pool.ts';
import { inSlices } from '../../values/slices.ts';
import { copyRefills } from './copy_refills.ts';
import { customerLedger, type EntryRow, type SampleRow } from './customer_ledger.ts';
import {
  createMatchingParameters,
  LEDGER_VERSION,
  learnMatchingParameters,
  readBeginning,
  readMatchingParameters,
} from './learned_matching.ts';
import type { LedgerFailures } from './ledger_failures.ts';
import { readInputs } from './ledger_inputs.ts';

/** The number of customers per transaction, which takes about 100 ms. */
const BATCH_CUSTOMERS = 50;
const BATCH_MARKS = 500;
/** The interval of learning. It reads up to 40,000 rows, so it does not run after each refill. */
const LEARN_EVERY_MS = 60_000;
/** The number of organizations per pass. Each gets one batch, so that an import of one does not delay the others. */
const ORGANIZATIONS_PER_PASS = 100;

export interface LedgerOptions {
  /** The interval of learning; 0 to learn at once. */
  learnEveryMs?: number;
  /** Collects the failures of single organizations. Without it, the first error ends the pass. */
  failures?: LedgerFailures;
}

/**
 * Makes the ledgers that a change has marked, one batch of each organization. Returns the number of batches: 0 means
 * that nothing is left to do now. Each batch is one transaction that also deletes its marks, so a process that is
 * killed leaves no partial ledger.
 */
export async function makeDueLedgers(
  pool: Pool,
  { learnEveryMs = LEARN_EVERY_MS, failures }: LedgerOptions = {},
): Promise<number> {
  let batches = 0;
  for (const organizationNo of await dueOrganizations(pool, learnEveryMs, failures?.waiting ?? []))
    try {
      if (await transaction(pool, (tx) => makeBatch(tx, organizationNo, learnEveryMs))) batches++;
      failures?.worked(organizationNo);
    } catch (error) {
      if (failures === undefined || !isPermanentFailure(error)) throw error;
      failures.failed(organizationNo, error);
    }
  return batches;
}

/**
 * The organizations with marks, found by jumps along the index, and those whose parameters are due to be learned again.
 */
async function dueOrganizations(db: Db, learnEveryMs: number, without: readonly number[]): Promise<number[]> {
  const { rows } = await db.query<{ organization_no: number }>({
    name: 'due_ledgers',
    text: `with recursive marked (organization_no) as (
       (select organization_no from ledger_marks order by organization_no limit 1)
       union all
       select (select m.organization_no from ledger_marks m where m.organization_no > marked.organization_no
               order by m.organization_no limit 1)
       from marked where organization_no is not null
     )
     select organization_no from (
       select organization_no from marked where organization_no is not null
       union
       select organization_no from ledger_organizations
       where (is_outdated or version < $2) and learned_at <= now() - make_interval(secs => $1 / 1000.0)
     ) as due
     where organization_no <> all ($3::int[])
     order by random() limit ${ORGANIZATIONS_PER_PASS}`,
    values: [learnEveryMs, LEDGER_VERSION, without],
  });
  return rows.map(({ organization_no }) => organization_no);
}

/** Makes one batch. Returns whether anything was done. */
async function makeBatch(tx: Tx, organizationNo: number, learnEveryMs: number): Promise<boolean> {
  // Skips the organization while another worker makes its ledgers.
  const { rows: locks } = await tx.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('tankwatch ledger'), $1) as locked`,
    [organizationNo],
  );
  if (!onlyRow(locks).locked) return false;
  const stored = await readMatchingParameters(tx, organizationNo);
  const customerNos = await takeMarks(tx, organizationNo);
  // Read after the marks were taken: changes that are committed later have their own mark.
  const beginsAt = await readBeginning(tx, organizationNo);
  if (stored === null && beginsAt === null) return customerNos.length > 0;
  const known = stored ?? (await createMatchingParameters(tx, organizationNo));
  if (customerNos.length === 0) {
    if ((!known.isOutdated && known.version >= LEDGER_VERSION) || known.learnedMsAgo < learnEveryMs) return false;
    await learnMatchingParameters(tx, organizationNo, known);
    return true;
  }
  const from = beginsAt ?? 'infinity';
  await copyRefills(tx, customerNos, from);
  const made: { entries: EntryRow[]; samples: SampleRow[] }[] = [];
  for (const inputs of await readInputs(tx, organizationNo, customerNos, from))
    made.push(await inSlices(customerLedger(inputs, known)));
  const hasChanged = await storeLedgers(tx, organizationNo, customerNos, {
    entries: made.flatMap(({ entries }) => entries),
    samples: made.flatMap(({ samples }) => samples),
  });
  if ((hasChanged || beginsAt !== known.beginsAt) && !known.isOutdated)
    await tx.query('update ledger_organizations set is_outdated = true where organization_no = $1', [organizationNo]);
  return true;
}

/** Reads the next customers with marks, and deletes their marks. */
async function takeMarks(tx: Tx, organizationNo: number): Promise<number[]> {
  const { rows } = await tx.query<{ customer_no: number }>(
    `with next as materialized (
       select customer_no from (
         select customer_no, min(no) as no
         from (select no, customer_no from ledger_marks where organization_no = $1 order by no limit ${BATCH_MARKS}) as oldest
         group by customer_no
       ) as customers
       order by no limit ${BATCH_CUSTOMERS}
     ), deleted as (
       delete from ledger_marks m using next where m.organization_no = $1 and m.customer_no = next.customer_no
     )
     select customer_no from next`,
    [organizationNo],
  );
  return rows.map(({ customer_no }) => customer_no);
}

const COLUMNS = `at, verdict, reason, is_unlike_earlier, is_pinned, note_nos, refill_tank_nos, refill_ats, tank_nos, truck_no,
  driver_no, written_litres, note_litres, gauge_litres, from_litres, to_litres, is_compared, due_at`;
const columnsOf = (name: string): string => COLUMNS.replaceAll(/[a-z_]+/g, (column) => `${name}.${column}`);

/** Writes only the rows that differ. Returns whether there were any. */
async function storeLedgers(
  tx: Tx,
  organizationNo: number,
  customerNos: readonly number[],
  { entries, samples }: { entries: readonly EntryRow[]; samples: readonly SampleRow[] },
): Promise<boolean> {
  const { rows } = await tx.query<{ changes: number }>(
    `with given as materialized (select * from json_populate_recordset(null::ledger_entries, $3)),
     removed as (
       delete from ledger_entries e
       where e.customer_no = any ($2) and e.organization_no = $1 and not exists (select from given g where g.id = e.id)
       returning 1
     ), stored as (
       insert into ledger_entries as e (id, organization_no, customer_no, ${COLUMNS})
       select g.id, $1, g.customer_no, ${columnsOf('g')} from given g order by g.id
       on conflict (id) do update
       set customer_no = excluded.customer_no, made_at = now(),
           ${COLUMNS.replaceAll(/[a-z_]+/g, (column) => `${column} = excluded.${column}`)}
       where (${columnsOf('e')}) is distinct from (${columnsOf('excluded')})
       returning 1
     )
     select (select count(*) from removed) + (select count(*) from stored) as changes`,
    [organizationNo, customerNos, JSON.stringify(entries)],
  );
  const { rows: ofSamples } = await tx.query<{ changes: number }>(
    `with given as materialized (select * from json_populate_recordset(null::ledger_clock_samples, $3)),
     removed as (
       delete from ledger_clock_samples s
       where s.customer_no = any ($2) and not exists (select from given g where g.note_no = s.note_no)
       returning 1
     ), stored as (
       insert into ledger_clock_samples as s (note_no, organization_no, customer_no, truck_no, at, shift_ms)
       select note_no, $1, customer_no, truck_no, at, shift_ms from given order by note_no
       on conflict (note_no) do update
       set customer_no = excluded.customer_no, truck_no = excluded.truck_no, at = excluded.at, shift_ms = excluded.shift_ms
       where (s.customer_no, s.truck_no, s.at, s.shift_ms)
         is distinct from (excluded.customer_no, excluded.truck_no, excluded.at, excluded.shift_ms)
       returning 1
     )
     select (select count(*) from removed) + (select count(*) from stored) as changes`,
    [organizationNo, customerNos, JSON.stringify(samples)],
  );
  return onlyRow(rows).changes + onlyRow(ofSamples).changes > 0;
}

/** Marks the customers of notes that waited for their gauges, once all these gauges have reported. */
export async function markReportedNotes(db: Db): Promise<void> {
  await db.query(
    `insert into ledger_marks (organization_no, customer_no)
     select distinct e.organization_no, e.customer_no from ledger_entries e
     where e.verdict = 'waiting' and e.due_at < now() and not exists (
       select from tanks t left join tank_states s on s.tank_no = t.no
       where t.owner_no = e.customer_no and t.deleted_at is null and (t.no = any (e.tank_nos) or e.tank_nos = '{}')
         and (s.latest_at is null or s.latest_at < e.due_at)
     )`,
  );
}
