import type { ChangeContext } from '../catalog/change_context.ts';
import { onlyRow } from '../db/only_row.ts';
import { type PrintedStops, printedStops } from './pure/rounds/printed_round.ts';
import { existingRound } from './rounds.ts';

/** The last sheet of a round, as the column `rounds.printed` has it. */
export interface PrintedSheet {
  at: string;
  /** The actor, as in the audit log. */
  by: string;
  stops: PrintedStops;
}

/**
 * Stores that a round was printed, and what was on the sheet, so that everybody in the office sees when the paper is
 * old. The plan does not change, and neither does its version.
 */
export async function recordPrint(
  { tx, organizationNo }: ChangeContext,
  id: string,
): Promise<{ no: number; at: string; replaces: string | null }> {
  const { no, object } = await existingRound(tx, organizationNo, id, { isLocked: true });
  const { rows: before } = await tx.query<{ at: string | null }>(
    `select printed ->> 'at' as at from rounds where no = $1`,
    [no],
  );
  const at = new Date().toISOString();
  await tx.query(
    `update rounds set printed = jsonb_build_object('at', $2::text, 'by', current_actor(), 'stops', $3::jsonb) where no = $1`,
    [no, at, JSON.stringify(printedStops(object.stops))],
  );
  return { no, at, replaces: onlyRow(before).at };
}
