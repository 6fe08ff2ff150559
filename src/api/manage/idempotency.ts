import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { onlyRow } from '../../db/only_row.ts';
import type { Tx } from '../../db/pool.ts';
import {
  gone,
  idempotencyKeyInProgress,
  idempotencyKeyMissing,
  idempotencyKeyReused,
  malformed,
  tooManyAnswerBytes,
  tooManyIdempotencyKeys,
} from '../../http/problem.ts';
import { openSecret, sealSecret } from '../../keys/sealed_secret.ts';
import { errorCode, LOCK_TIMEOUT } from '../../values/error_code.ts';
import { Closed } from '../schemas/values.ts';
import type { ManageResponse } from './manage_operation.ts';
import type { VerifiedCaller } from './transactions.ts';

/** The Idempotency-Key of a request, and a hash of the request, which detects another request with the same key. */
export interface IdempotencyKey {
  key: string;
  fingerprint: Buffer;
}

/** A response that is sent, and stored if the request has a key. */
export interface StoredResponse {
  status: number;
  /** The body as JSON. Empty if there is no body. */
  text: string;
  etag: string | null;
  isReplayed: boolean;
}

/**
 * The limit per caller. A caller that needs more should use PUT or bulk requests, which can be repeated without a key.
 */
export const MAX_KEYS_PER_CALLER = 100_000;
/**
 * The limit of the stored responses of an organization in a day. 100,000 responses of 1 to 2 KB are 200 MB; the
 * response with a round of 200 stops has 48 KB.
 */
const MAX_RESPONSE_BYTES_PER_DAY = 512 * 1_048_576;

/** The function delete_old_idempotency_keys deletes older ones. */
export const KEPT_HOURS = 24;

const SealedResponse = Compile(Closed({ text: Type.String(), etag: Type.Union([Type.String(), Type.Null()]) }));

/** Undefined if the request has no key. Throws 400 if the request needs a key, or if the key is malformed. */
export function parseIdempotencyKey(
  headers: IncomingHttpHeaders,
  request: { method: string; target: string; body: string },
  { isRequired }: { isRequired: boolean },
): IdempotencyKey | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined && isRequired) throw idempotencyKeyMissing();
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw malformed('Idempotency-Key must have 1 to 255 printable ASCII characters.');
  const { method, target, body } = request;
  const fingerprint = createHash('sha256').update(`${method} ${target}\n`).update(body).digest();
  return { key, fingerprint };
}

/**
 * Claims the key for this transaction, or returns the stored response. If two requests with the same key arrive at the
 * same time, the second request waits for the first, and continues if the first is rolled back. After 2 s
 * (lock_timeout), the second request is refused.
 */
export async function claimKey(
  tx: Tx,
  { organizationNo, name: caller }: VerifiedCaller,
  { key, fingerprint }: IdempotencyKey,
  secretsKeys: readonly string[],
): Promise<StoredResponse | undefined> {
  const values = [organizationNo, caller, key];
  const { rowCount } = await tx
    .query(
      // An older key counts as new, even if its row is not deleted yet.
      `insert into idempotency_keys as k (organization_no, caller, key, fingerprint) values ($1, $2, $3, $4)
       on conflict (organization_no, caller, key) do update
       set fingerprint = excluded.fingerprint, created_at = now(), status = null, answer = null, object = null, object_no = null
       where k.created_at < now() - interval '${KEPT_HOURS} hours'`,
      [...values, fingerprint],
    )
    .catch((error: unknown) => {
      throw errorCode(error) === LOCK_TIMEOUT ? idempotencyKeyInProgress() : error;
    });
  if (rowCount) {
    await refuseTooMany(tx, organizationNo, caller);
    return undefined;
  }
  const { rows } = await tx.query<{ fingerprint: Buffer; status: number; answer: string | null }>(
    'select fingerprint, status, answer from idempotency_keys where organization_no = $1 and caller = $2 and key = $3',
    values,
  );
  const stored = onlyRow(rows);
  if (!stored.fingerprint.equals(fingerprint)) throw idempotencyKeyReused();
  if (stored.answer === null) throw gone('The object of this request was deleted, and its answer with it.');
  const response: unknown = JSON.parse(openSecret(secretsKeys, stored.answer, contextOf(caller, key)));
  if (!SealedResponse.Check(response)) throw new TypeError('a stored response has an unknown form');
  return { status: stored.status, ...response, isReplayed: true };
}

/** Counts by the primary key, in which the keys of one caller are adjacent. It takes 10 ms at the limit. */
async function refuseTooMany(tx: Tx, organizationNo: number, caller: string): Promise<void> {
  const { rows } = await tx.query(
    'select from idempotency_keys where organization_no = $1 and caller = $2 order by key offset $3 limit 1',
    [organizationNo, caller, MAX_KEYS_PER_CALLER],
  );
  if (rows.length > 0) throw tooManyIdempotencyKeys(MAX_KEYS_PER_CALLER);
}

/**
 * Stores the response under a claimed key, in the transaction of the change. Throws 429 if the responses of the day are
 * too large.
 */
export async function storeResponse(
  tx: Tx,
  { organizationNo, name: caller }: VerifiedCaller,
  { key }: IdempotencyKey,
  { status, text, etag }: StoredResponse,
  about: ManageResponse['about'],
  [secretsKey = '']: readonly string[],
): Promise<void> {
  const sealed = sealSecret(secretsKey, JSON.stringify({ text, etag }), contextOf(caller, key));
  const { rows } = await tx.query<{ quota: number | null }>(
    `update idempotency_keys set status = $4, answer = $5, object = $6, object_no = $7
     where organization_no = $1 and caller = $2 and key = $3
     returning exceeded_quota($1, 'answer_bytes', octet_length($5), $8) as quota`,
    [organizationNo, caller, key, status, sealed, about?.object ?? null, about?.no ?? null, MAX_RESPONSE_BYTES_PER_DAY],
  );
  if (onlyRow(rows).quota !== null) throw tooManyAnswerBytes(MAX_RESPONSE_BYTES_PER_DAY);
}

const contextOf = (caller: string, key: string): string => `the answer to ${caller} with the key ${key}`;
