import type { Readers, Statement } from '../db/readers.ts';

/** What people did after an event that began a condition of a tank, and when the condition ended. */
export interface FollowUp {
  /** The people who took on the condition, in the order of time. */
  handled: { name: string | null; comment: string | null; since: string }[];
  refilled_at: string | null;
  ended_at: string | null;
}

const FOLLOW_UPS: Statement = {
  name: 'follow_ups',
  text: 'select event_no::text as event_no, followed from follow_ups_of($1::bigint[])',
};

/** Adds the follow-ups to rows of events. They are null for owners, who see no names of people. */
export async function withFollowUps<Row extends { no: string }>(
  readers: Readers,
  rows: readonly Row[],
  { isOwner }: { isOwner: boolean },
): Promise<(Row & { followed: FollowUp | null })[]> {
  const found = isOwner
    ? []
    : await readers.query<{ event_no: string; followed: FollowUp }>(FOLLOW_UPS, [rows.map(({ no }) => no)]);
  const byNo = new Map(found.map(({ event_no, followed }) => [event_no, followed]));
  return rows.map((row) => ({ ...row, followed: byNo.get(row.no) ?? null }));
}
