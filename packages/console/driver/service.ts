import { parseRound } from './parse_round.ts';
import type { Entry, ReadBlock, Round } from './round.ts';

/** With 10 s between two syncs, a phone with network shows a blocked stop within 30 s. */
const TIMEOUT_MS = 12_000;

/** `ended`: the link is wrong, expired or revoked. `away`: no response, or a temporary error. */
type RoundAnswer = Round | 'ended' | 'away';

export async function fetchRound(token: string): Promise<RoundAnswer> {
  try {
    const response = await call('/driver/v1/round', token);
    if (response.status === 401) return 'ended';
    return response.ok ? parseRound(await response.json()) : 'away';
  } catch {
    return 'away';
  }
}

/** Returns `sent` only after a status of success. The service will never accept a refused entry. */
export async function sendEntry(token: string, entry: Entry): Promise<'sent' | 'away' | { refused: string }> {
  const { id, stop, tankId, kind, volume, unit, reason, comment, note, filledTo, at } = entry;
  try {
    const response = await call(`/driver/v1/entries/${id}`, token, {
      stop,
      tank_id: tankId,
      kind,
      volume,
      unit,
      reason,
      comment,
      note,
      filled_to: filledTo ?? null,
      at,
    });
    if (response.ok) return 'sent';
    return isTemporary(response) ? 'away' : { refused: String(response.status) };
  } catch {
    return 'away';
  }
}

/** Returns whether the service accepted or refused the request. A refused request is not sent again. */
export async function sendBlockRead(token: string, { stop, since }: ReadBlock): Promise<boolean> {
  try {
    return !isTemporary(await call(`/driver/v1/stops/${stop}/block-read`, token, { since }));
  } catch {
    return false;
  }
}

const isTemporary = ({ status }: Response): boolean => status === 429 || status === 408 || status >= 500;

/** Sends a request: a GET, or a PUT with this body. */
function call(path: string, token: string, body?: object): Promise<Response> {
  return fetch(path, {
    ...(body !== undefined && { method: 'PUT', body: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      authorization: `Bearer ${token}`,
      accept: 'application/json',
    },
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
