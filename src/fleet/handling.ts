import type { HandledCondition, Section } from './sections.ts';

/** Who takes care of a condition of a tank, and until when. */
export interface HandledFields {
  condition: HandledCondition;
  acknowledgement_id: string | null;
  until: string;
  comment: string | null;
  /** The name of the person; null for a program, a deleted contact, and for owners. */
  name: string | null;
  since: string;
  /** A low tank returns at this level. Null: the level does not count. */
  returns_at_percentage: number | null;
}

export interface NoteFields {
  id: string;
  text: string;
  prints: boolean;
}

/** What people do about a tank. */
export interface HandlingColumns {
  handled: HandledFields[] | null;
  muted_until: string | null;
  notes: NoteFields[] | null;
}

/** For rows `f` of fleet_tanks with `HANDLED_BITS_JOIN`. */
export const HANDLING_COLUMNS = `handling.handled, handling.muted_until, case when f.has_notes then (
    select json_agg(json_build_object('id', n.id, 'text', n.text, 'prints', n.prints) order by n.no desc)
    from tank_notes n where n.tank_no = f.tank_no and n.deleted_at is null
  ) end as notes`;

/**
 * Joins the bits of the handled conditions to rows `f` of fleet_tanks. Nearly all tanks have none: for null, PostgreSQL does not
 * call the function. A condition beside it would be asked after the call, 0.25 ms for each tank.
 */
export const HANDLED_BITS_JOIN =
  'left join lateral handling_of(case when f.handled <> 0 then f.tank_no end) as handling on true';

/** Who asks: an owner sees that somebody takes care of a low tank, and neither comments, names, notes nor mutes. */
export type Audience = 'organization' | 'owner';

export const audienceOf = ({ customerNo }: { customerNo: number | null }): Audience =>
  customerNo === null ? 'organization' : 'owner';

interface Handling {
  handled: HandledFields[];
  muted_until: string | null;
  notes: NoteFields[];
}

export function handlingFor(audience: Audience, { handled, muted_until, notes }: HandlingColumns): Handling {
  if (audience === 'organization') return { handled: handled ?? [], muted_until, notes: notes ?? [] };
  const low = (handled ?? []).filter(({ condition }) => condition === 'low');
  const withoutDetails = low.map((one) => ({ ...one, acknowledgement_id: null, comment: null, name: null }));
  return { handled: withoutDetails, muted_until: null, notes: [] };
}

/** For a loss, an owner sees what to do, whoever handles it. */
export const sectionFor = (
  audience: Audience,
  { section, is_losing }: { section: Section | null; is_losing: boolean },
): Section | null => (audience === 'owner' && is_losing ? 'losing' : section);
