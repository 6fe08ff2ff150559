import type { Db } from '../db/pool.ts';
import { isUuid } from '../values/uuid7.ts';
import type { AcknowledgedCondition } from './sections.ts';

/** The largest number of acknowledgements that are listed. */
const MAX_LISTED_ACKNOWLEDGEMENTS = 200;

export type EndReason = 'resolved' | 'new_event' | 'worse' | 'expired' | 'withdrawn' | 'replaced';

/** A record that a person handles a condition of a tank. */
export interface Acknowledgement {
  id: string;
  object: 'acknowledgement';
  tank_id: string;
  condition: AcknowledgedCondition;
  until: string;
  comment: string | null;
  returns_at_percentage: number | null;
  acknowledged_by: string;
  name: string | null;
  created_at: string;
  ended_at: string | null;
  ended_because: EndReason | null;
}

export interface StoredAcknowledgement {
  no: number;
  tankNo: number;
  object: Acknowledgement;
}

/** An acknowledgement that has expired counts as ended even if the worker has not recorded it: `ended_at` is then null. */
const COLUMNS = `a.no, a.tank_no, a.id, 'acknowledgement' as object, t.id as tank_id, a.condition, a.until, a.comment,
  a.returns_at as returns_at_percentage, a.acknowledged_by, h.name, a.created_at, a.ended_at,
  coalesce(a.ended_because, case when h.acknowledgement_id is null then e.over_because end) as ended_because`;
const JOINS = `join tanks t on t.no = a.tank_no
  left join handled_conditions h on a.ended_at is null and h.tank_no = a.tank_no and h.acknowledgement_id = a.id
  left join acknowledgement_ends e on a.ended_at is null and e.no = a.no`;
type Row = Acknowledgement & { no: number; tank_no: number };

const acknowledgementOf = ({ no, tank_no, ...object }: Row): StoredAcknowledgement => ({ no, tankNo: tank_no, object });

export async function findAcknowledgement(
  db: Db,
  organizationNo: number,
  id: string,
): Promise<StoredAcknowledgement | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from acknowledgements a ${JOINS} where a.organization_no = $1 and a.id = $2`,
    [organizationNo, id],
  );
  return rows[0] && acknowledgementOf(rows[0]);
}

/** The acknowledgements of a tank, newest first. */
export async function listAcknowledgements(db: Db, tankNo: number): Promise<Acknowledgement[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from acknowledgements a ${JOINS} where a.tank_no = $1 order by a.no desc limit ${MAX_LISTED_ACKNOWLEDGEMENTS}`,
    [tankNo],
  );
  return rows.map((row) => acknowledgementOf(row).object);
}
