import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { malformed, preconditionFailed, preconditionRequired } from '../../http/problem.ts';

/** What If-Match and If-None-Match ask for. */
export interface Condition {
  /** Undefined: nothing is asked. */
  ifMatch: '*' | readonly string[] | undefined;
  /** `If-None-Match: *`: the object must not exist. */
  mustBeNew: boolean;
}

/** 128 bits of SHA-256 over everything that a caller can write, with its id: the same whoever has written it. */
export const etagOf = (values: readonly unknown[]): string =>
  `"${hash('sha256', JSON.stringify(values), 'buffer').subarray(0, 16).toString('base64url')}"`;

/** A proxy that compresses answers makes ETags weak. The prefix is ignored: ours are always strong. */
const ENTITY_TAG = /^(?:W\/)?("[\x21\x23-\x7e]*")$/;

/** Throws 400 for a header that is no list of ETags. */
export function readCondition(headers: IncomingHttpHeaders, isWrite: boolean): Condition {
  const given = headers['if-match']?.trim();
  const mustBeNew = isWrite && headers['if-none-match']?.trim() === '*';
  if (given === undefined || given === '*') return { ifMatch: given, mustBeNew };
  const tags = given.split(',').map((tag) => ENTITY_TAG.exec(tag.trim())?.[1]);
  if (tags.includes(undefined)) throw malformed('If-Match must be the ETag of an object, with its quotes, or *.');
  return { ifMatch: tags.filter((tag) => tag !== undefined), mustBeNew };
}

/** Throws 428 or 412. Call it under the lock. `etag` is that of the object as it is now; undefined: there is none. */
export function checkCondition(
  { ifMatch, mustBeNew }: Condition,
  etag: string | undefined,
  { isRequired }: { isRequired: boolean },
): void {
  if (isRequired && ifMatch === undefined) throw preconditionRequired();
  if (mustBeNew && etag !== undefined) throw preconditionFailed('The object exists already.');
  if (ifMatch === undefined) return;
  if (etag === undefined) throw preconditionFailed('There is no such object.');
  if (ifMatch !== '*' && !ifMatch.includes(etag))
    throw preconditionFailed('The object has changed since you read it. Read it again, and repeat the change.');
}
