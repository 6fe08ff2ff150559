import { createHmac } from 'node:crypto';
import { recordCommand } from '../catalog/audit_log.ts';
import type { ChangeContext } from '../catalog/change_context.ts';
import type { Db, Tx } from '../db/pool.ts';
import { ChangeRefusedError, NoSuchObjectError } from '../values/change_refusal.ts';
import { isSameSecret } from '../values/is_same_secret.ts';
import { DAY_MS } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';
import type { RoundState } from './round.ts';

/** The page that the link of a driver opens. */
export const DRIVER_PAGE = '/driver/';

/** How long a link shows the round after its day: until 03:00, when a late driver is home. */
export const READ_LONGER_HOURS = 3;
/**
 * How long a link accepts queued entries after it stops showing the round, so that a phone with a flat battery loses
 * nothing.
 */
export const SEND_LONGER_MS = 7 * DAY_MS;

/** What a driver may do with a link: read the round of one day, and send entries. */
export interface DriverLink {
  roundId: string;
  /**
   * The link generation of the round when the link was made. The link is invalid once the round has a higher
   * generation.
   */
  generation: number;
  /** The time until which the link shows the round, in milliseconds since 1970. */
  readUntilMs: number;
}

/**
 * Returns `<round>.<generation>.<expiry>.<signature>`. The signature alone makes a link valid, so nothing of it is
 * stored.
 */
export function signDriverLink(secret: string, { roundId, generation, readUntilMs }: DriverLink): string {
  const expires = Math.floor(readUntilMs / 1_000);
  return [roundId, generation, expires, sign(secret, roundId, generation, expires)].join('.');
}

/**
 * Returns undefined if the token is malformed or none of the secrets has signed it. Does not check whether it has
 * expired.
 */
export function verifyDriverLink(secrets: readonly string[], token: string): DriverLink | undefined {
  const [roundId = '', generation = '', expires = '', signature = '', ...more] = token.split('.');
  if (!isUuid(roundId) || !/^\d{1,9}$/.test(generation) || !/^\d{1,11}$/.test(expires) || more.length > 0)
    return undefined;
  const isSigned = secrets.some((secret) =>
    isSameSecret(signature, sign(secret, roundId, Number(generation), Number(expires))),
  );
  return isSigned ? { roundId, generation: Number(generation), readUntilMs: Number(expires) * 1_000 } : undefined;
}

interface LinkedRound {
  no: number;
  id: string;
  state: RoundState;
  generation: number;
  read_until: string;
}

/** Reads the fields of a round that its links need. Throws NoSuchObjectError. */
export async function findLinkedRound(db: Db, organizationNo: number, id: string): Promise<LinkedRound> {
  const { rows } = await db.query<LinkedRound>(
    `select no, id, state, link_generation as generation, day_ends_at + interval '${READ_LONGER_HOURS} hours' as read_until
     from rounds where organization_no = $1 and id = $2`,
    [organizationNo, isUuid(id) ? id : null],
  );
  const [round] = rows;
  if (round === undefined) throw new NoSuchObjectError('round');
  return round;
}

/**
 * Makes a link for the driver of a round. Links that were made before stay valid: the phone that has one may be without
 * network.
 */
export async function createDriverLink(
  { tx, organizationNo }: ChangeContext,
  id: string,
  secret: string,
): Promise<{ round: LinkedRound; token: string; sendUntil: string }> {
  const round = await findLinkedRound(tx, organizationNo, id);
  const { no, id: roundId, state, generation } = round;
  const readUntilMs = Date.parse(round.read_until);
  if (state === 'done' || state === 'cancelled' || readUntilMs <= Date.now())
    throw new ChangeRefusedError('round_over', 'the round is over: its link would show nothing');
  await recordCommand(tx, { organizationNo, object: 'round', action: 'issue', fields: ['link'], objectNos: [no] });
  const token = signDriverLink(secret, { roundId, generation, readUntilMs });
  return { round, token, sendUntil: new Date(readUntilMs + SEND_LONGER_MS).toISOString() };
}

/** Ends all links of a round that were made before. */
export async function endDriverLinks({ tx, organizationNo }: ChangeContext, id: string): Promise<void> {
  const { no } = await findLinkedRound(tx, organizationNo, id);
  await tx.query('update rounds set link_generation = link_generation + 1 where no = $1', [no]);
}

/**
 * Ends all links that show a round or accept entries, after a restore: the backup does not contain which were ended since.
 * The generations jump, because a round may have had the next one already. Returns the number of rounds.
 */
export async function endAllDriverLinks(tx: Tx): Promise<number> {
  const { rowCount } = await tx.query(
    `update rounds set link_generation = link_generation + 1000
     where day_ends_at + interval '${READ_LONGER_HOURS} hours' + interval '${SEND_LONGER_MS} milliseconds' > now()`,
  );
  return rowCount ?? 0;
}

/**
 * The signed text of a link in a mail begins with another word than `driver`, and its key is derived from LINK_SECRET.
 * So a link of one kind is never valid as a link of the other.
 */
function sign(secret: string, roundId: string, generation: number, expires: number): string {
  return createHmac('sha256', secret).update(`driver\n${roundId}\n${generation}\n${expires}`).digest('base64url');
}
