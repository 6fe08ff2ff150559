import { isoTimeSql } from '../db/iso_time.ts';
import { actorNameSql } from './actor_name.ts';
import type { HandledCondition, Section } from './sections.ts';

/** Who handles a condition of a tank, and until when. */
export interface HandledFields {
  condition: HandledCondition;
  acknowledgement_id: string | null;
  until: string;
  comment: string | null;
  /** The name of the person; null for a program, a deleted contact, and for owners. */
  name: string | null;
  since: string;
  /** The level at which a low tank returns. Null if the level does not matter. */
  returns_at_percentage: number | null;
}

export interface NoteFields {
  id: string;
  text: string;
  prints: boolean;
  /** The name of the person who wrote it; null for a program or a deleted contact. */
  name: string | null;
  since: string;
}

/** Who muted a tank, why and until when. */
export interface MuteFields {
  until: string;
  since: string;
  name: string | null;
  reason: string | null;
}

/** The handling of a tank: acknowledgements, mute and note. */
export interface HandlingColumns {
  handled: HandledFields[] | null;
  muted_until: string | null;
  muted: MuteFields | null;
  notes: NoteFields[] | null;
}

/** SQL: the name of the contact who did something. Nearly all tanks have no mute and no note, so this is rarely read. */
const nameSql = (actor: string): string => actorNameSql(actor, 'f.organization_no');

/** The columns for rows `f` of fleet_tanks with `HANDLED_BITS_JOIN`. */
export const HANDLING_COLUMNS = `handling.handled, handling.muted_until, case when handling.muted_until is not null then (
    select json_build_object('until', ${isoTimeSql('m.until')}, 'since', ${isoTimeSql('m.created_at')},
                             'name', ${nameSql('m.muted_by')}, 'reason', m.reason)
    from muted_tanks m where m.tank_no = f.tank_no
  ) end as muted, case when f.has_notes then (
    select json_agg(json_build_object('id', n.id, 'text', n.text, 'prints', n.prints,
                                      'name', ${nameSql('n.written_by')}, 'since', ${isoTimeSql('n.created_at')}) order by n.no desc)
    from tank_notes n where n.tank_no = f.tank_no and n.deleted_at is null
  ) end as notes`;

/**
 * Joins the bits of the handled conditions to rows `f` of fleet_tanks. Nearly all tanks have none: for null, PostgreSQL
 * does not call the function. A separate condition would be evaluated after the call, 0.25 ms for each tank.
 */
export const HANDLED_BITS_JOIN =
  'left join lateral handling_of(case when f.handled <> 0 then f.tank_no end) as handling on true';

/** The reader of a tank status. An owner sees that a low tank is handled, but no comments, names, notes or mutes. */
export type Audience = 'organization' | 'owner';

export const audienceOf = ({ customerNo }: { customerNo: number | null }): Audience =>
  customerNo === null ? 'organization' : 'owner';

export interface Handling extends Pick<HandlingColumns, 'muted_until' | 'muted'> {
  handled: HandledFields[];
  notes: NoteFields[];
}

export function handlingFor(audience: Audience, { handled, muted_until, muted, notes }: HandlingColumns): Handling {
  if (audience === 'organization') return { handled: handled ?? [], muted_until, muted, notes: notes ?? [] };
  const low = (handled ?? []).filter(({ condition }) => condition === 'low');
  const withoutDetails = low.map((fields) => ({ ...fields, acknowledgement_id: null, comment: null, name: null }));
  return { handled: withoutDetails, muted_until: null, muted: null, notes: [] };
}

/** The section of a tank. An owner sees a loss even if it is handled. */
export const sectionFor = (
  audience: Audience,
  { section, is_losing }: { section: Section | null; is_losing: boolean },
): Section | null => (audience === 'owner' && is_losing ? 'losing' : section);
