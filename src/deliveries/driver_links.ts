import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../values/time.ts';
import { isUuid } from '../values/uuid7.ts';

/** The page that the link of a driver opens. */
export const DRIVER_PAGE = '/driver/';

/** After it shows nothing any more, a link still sends what its phone has queued: a flat battery loses nothing. */
export const SEND_LONGER_MS = 7 * DAY_MS;

/** What a driver may do with a link: read the round of one day, and send entries. */
export interface DriverLink {
  roundId: string;
  /** That of the round when the link was made. Another one ends the link. */
  generation: number;
  /** Until when it shows the round, in milliseconds since 1970. */
  readUntilMs: number;
}

/** Returns `<round>.<generation>.<expiry>.<signature>`. Nothing else makes a link valid, so nothing of it is stored. */
export function signDriverLink(secret: string, { roundId, generation, readUntilMs }: DriverLink): string {
  const expires = Math.floor(readUntilMs / 1_000);
  return [roundId, generation, expires, sign(secret, roundId, generation, expires)].join('.');
}

/** Returns undefined if the token is malformed or none of the secrets has signed it. Does not check whether it has expired. */
export function verifyDriverLink(secrets: readonly string[], token: string): DriverLink | undefined {
  const [roundId = '', generation = '', expires = '', signature = '', ...more] = token.split('.');
  if (!isUuid(roundId) || !/^\d{1,9}$/.test(generation) || !/^\d{1,11}$/.test(expires) || more.length > 0)
    return undefined;
  const given = Buffer.from(signature);
  const isSigned = secrets.some((secret) => {
    const expected = Buffer.from(sign(secret, roundId, Number(generation), Number(expires)));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? { roundId, generation: Number(generation), readUntilMs: Number(expires) * 1_000 } : undefined;
}

/** Links in mails begin with another word and are signed with keys derived from LINK_SECRET: none is valid as the other. */
function sign(secret: string, roundId: string, generation: number, expires: number): string {
  return createHmac('sha256', secret).update(`driver\n${roundId}\n${generation}\n${expires}`).digest('base64url');
}
