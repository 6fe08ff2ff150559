import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { isUuid } from '../values/uuid7.ts';
import { deleteCustomers, RECORDED_CUSTOMER } from './customers.ts';
import { UNDO_DAYS } from './import_record.ts';
import { lockOrganization } from './organizations.ts';
import { deleteTanks, RECORDED_TANK } from './tanks.ts';
import { jsonOf, updateRow } from './upsert_rows.ts';

/** Why undoing an import does not restore or delete a row. */
export const KEPT_BECAUSE = [
  'changed_since',
  'has_readings',
  'has_deliveries',
  'owns_tanks',
  'device_taken',
  'external_key_taken',
] as const;
type KeptBecause = (typeof KEPT_BECAUSE)[number];

interface KeptRow {
  object: 'customer' | 'tank';
  id: string;
  name: string;
  because: KeptBecause;
}

export interface UndoneImport {
  /** New customers and tanks that were deleted. */
  deleted: number;
  /** Customers and tanks whose previous values were restored. */
  restored: number;
  kept: number;
  /** The first customers and tanks that stay as they are. */
  kept_rows: KeptRow[];
}

interface UndoOptions {
  organizationNo: number;
  /** Runs a change in a transaction. A dry run must roll it back. */
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  isDryRun?: boolean;
}

/** Small, because each row is restored by its own statement, and other changes of the organization wait meanwhile. */
const ROWS_PER_TRANSACTION = 500;
export const MAX_KEPT_ROWS = 100;

/** Tanks are undone first, because a customer that still owns tanks is not deleted. */
const OBJECTS = ['tank', 'customer'] as const;
type ObjectName = (typeof OBJECTS)[number];

/**
 * Deletes the rows that an import created and restores the rows that it changed, in several transactions. Rows that
 * were changed since stay as they are, and so do new tanks with readings or deliveries. An interrupted undo can be run
 * again. A dry run only decides.
 */
export async function undoImport(db: Db, id: string, options: UndoOptions): Promise<UndoneImport> {
  const { organizationNo, change, isDryRun = false } = options;
  const undone: UndoneImport = { deleted: 0, restored: 0, kept: 0, kept_rows: [] };
  if (isDryRun) {
    const importNo = await findUndoable(db, organizationNo, id);
    for (const object of OBJECTS)
      addTo(undone, object, await decide(db, object, { organizationNo, importNo }, { after: 0, limit: null }));
    return undone;
  }
  // Another undo may end between two transactions, and a later import may take the place of the record.
  const changeImport = <T>(work: (tx: Tx, importNo: number) => Promise<T>): Promise<T> =>
    change(async (tx) => {
      await lockOrganization(tx, organizationNo);
      return work(tx, await findUndoable(tx, organizationNo, id));
    });
  for (const object of OBJECTS) {
    for (let after = 0; ; ) {
      const decided = await changeImport(async (tx, importNo) => {
        const rows = await decide(tx, object, { organizationNo, importNo }, { after, limit: ROWS_PER_TRANSACTION });
        await takeBack(tx, { organizationNo, importNo }, object, rows);
        return rows;
      });
      addTo(undone, object, decided);
      const last = decided.at(-1);
      if (last === undefined) break;
      after = last.no;
    }
  }
  await changeImport(async (tx, importNo) => {
    await tx.query(
      'update imports set undone_at = now(), undone_by = current_actor() where organization_no = $1 and no = $2',
      [organizationNo, importNo],
    );
    await tx.query('delete from imported_rows where import_no = $1', [importNo]);
  });
  return undone;
}

async function findUndoable(db: Db, organizationNo: number, id: string): Promise<number> {
  if (!isUuid(id)) throw new NoSuchObjectError('import');
  const { rows } = await db.query<{ no: number; is_undone: boolean; is_recorded: boolean; is_late: boolean }>(
    `select no, undone_at is not null as is_undone, is_recorded,
            created_at <= now() - make_interval(days => $3) as is_late
     from imports where organization_no = $1 and id = $2`,
    [organizationNo, id, UNDO_DAYS],
  );
  const [found] = rows;
  if (found === undefined) throw new NoSuchObjectError('import');
  if (found.is_undone) throw new ChangeRefusedError('import_undone', 'this import was undone already');
  if (found.is_late)
    throw new ChangeRefusedError('import_not_recorded', `an import can be undone for ${UNDO_DAYS} days`);
  if (!found.is_recorded)
    throw new ChangeRefusedError('import_not_recorded', 'this import had too many rows, or many imports followed it');
  return found.no;
}

/** A row of an import, and what undoing does with it. */
interface DecidedRow {
  no: number;
  id: string;
  name: string;
  /** The values to restore. Null if the import created the object. */
  before: Record<string, unknown> | null;
  because: KeptBecause | null;
}

const contentOf = ({ columns, marks }: typeof RECORDED_TANK | typeof RECORDED_CUSTOMER): string =>
  jsonOf('t', [...columns, ...marks]);

/**
 * Why a tank stays as it is, or null if the import of it is undone. Gauges, notes and mutes of a new tank, even deleted
 * notes and ended mutes, count as a change.
 */
const KEPT_TANK = `case
    when not ${contentOf(RECORDED_TANK)} @> r.after
      or r.before is null and (exists (select from tank_notes n where n.tank_no = t.no)
        or exists (select from mutes m where m.tank_no = t.no)
        or exists (select from tank_gauges g where g.tank_no = t.no)) then 'changed_since'
    -- The level that the import itself stored does not keep its tank, also not while it waits for a writer.
    when r.before is null and (exists (select from tank_states s where s.tank_no = t.no and s.latest_at is not null
        and (s.latest_at, s.latest_fill_percentage) is distinct from (r.level_at, r.level_percentage))
      or (select sum(c.n) from telemetry_month_counters c where c.tank_no = t.no) > 1
      or exists (select from waiting_dips w where w.tank_no = t.no
        and (w.at, w.fill_percentage) is distinct from (r.level_at, r.level_percentage))) then 'has_readings'
    when r.before is null and (exists (select from delivery_notes d where d.tank_no = t.no)
      or exists (select from round_stops s where s.tank_no = t.no)) then 'has_deliveries'
    when exists (select from tanks o where o.organization_no = t.organization_no and o.no <> t.no
      and o.assigned_device_id = r.before ->> 'assigned_device_id') then 'device_taken'
    when exists (select from tanks o where o.organization_no = t.organization_no and o.no <> t.no
      and o.external_key = r.before ->> 'external_key') then 'external_key_taken'
  end`;

/** $1 the import, $2 the object after which to continue, $3 the number of rows, $4 the organization. */
const DECISIONS: Readonly<Record<ObjectName, string>> = {
  tank: `select t.no, t.id, concat_ws(' ', t.name, t.custom_id) as name, r.before, ${KEPT_TANK} as because
    from imported_rows r join tanks t on t.no = r.object_no
    where r.import_no = $1 and r.object = 'tank' and t.organization_no = $4 and t.deleted_at is null and t.no > $2
    order by t.no limit $3`,
  // A tank that the same import created does not count if the undo deletes it too.
  customer: `select t.no, t.id, t.name, r.before, case
      when not ${contentOf(RECORDED_CUSTOMER)} @> r.after then 'changed_since'
      when r.before is null and exists (
        select from tanks o where o.owner_no = t.no and o.deleted_at is null and not exists (
          select from imported_rows r join tanks t on t.no = r.object_no
          where r.import_no = $1 and r.object = 'tank' and r.object_no = o.no and r.before is null and ${KEPT_TANK} is null
        )) then 'owns_tanks'
      when r.before is null and exists (select from delivery_notes d where d.customer_no = t.no) then 'has_deliveries'
    end as because
    from imported_rows r join customers t on t.no = r.object_no
    where r.import_no = $1 and r.object = 'customer' and t.organization_no = $4 and t.deleted_at is null and t.no > $2
    order by t.no limit $3`,
};

async function decide(
  db: Db,
  object: ObjectName,
  { organizationNo, importNo }: { organizationNo: number; importNo: number },
  { after, limit }: { after: number; limit: number | null },
): Promise<DecidedRow[]> {
  const { rows } = await db.query<DecidedRow>(DECISIONS[object], [importNo, after, limit, organizationNo]);
  return rows;
}

async function takeBack(
  tx: Tx,
  { organizationNo, importNo }: { organizationNo: number; importNo: number },
  object: ObjectName,
  rows: readonly DecidedRow[],
): Promise<void> {
  const taken = rows.filter(({ because }) => because === null);
  const created = taken.filter(({ before }) => before === null).map(({ no }) => no);
  await (object === 'tank' ? deleteTanks : deleteCustomers)(tx, organizationNo, created);
  const [table, { columns }] =
    object === 'tank' ? (['tanks', RECORDED_TANK] as const) : (['customers', RECORDED_CUSTOMER] as const);
  for (const { no, before } of taken)
    if (before !== null) await updateRow(tx, table, { organizationNo, no }, columns, before);
  // An undo that is run again after an interruption must not find that these rows were changed since.
  await tx.query('delete from imported_rows where import_no = $1 and object = $2 and object_no = any ($3)', [
    importNo,
    object,
    taken.map(({ no }) => no),
  ]);
}

function addTo(undone: UndoneImport, object: ObjectName, rows: readonly DecidedRow[]): void {
  for (const { id, name, before, because } of rows) {
    if (because === null) undone[before === null ? 'deleted' : 'restored']++;
    else {
      undone.kept++;
      if (undone.kept_rows.length < MAX_KEPT_ROWS) undone.kept_rows.push({ object, id, name, because });
    }
  }
}
