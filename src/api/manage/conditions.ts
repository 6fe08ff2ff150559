import type { IncomingHttpHeaders } from 'node:http';
import { malformed, preconditionFailed, preconditionRequired } from '../../http/problem.ts';

/** The condition of If-Match and If-None-Match. */
export interface Condition {
  /** Undefined if there is no condition. */
  ifMatch: '*' | readonly string[] | undefined;
  /** `If-None-Match: *`: the object must not exist. */
  mustBeNew: boolean;
}

/** A proxy that compresses responses makes ETags weak. The prefix is ignored: ours are always strong. */
const ENTITY_TAG = /^(?:W\/)?("[\x21\x23-\x7e]*")$/;

/** Throws 400 for a header that is not a list of ETags. */
export function parseCondition(headers: IncomingHttpHeaders): Condition {
  const given = headers['if-match']?.trim();
  const mustBeNew = headers['if-none-match']?.trim() === '*';
  if (given === undefined || given === '*') return { ifMatch: given, mustBeNew };
  const tags = given.split(',').map((tag) => ENTITY_TAG.exec(tag.trim())?.[1]);
  if (tags.includes(undefined)) throw malformed('If-Match must be the ETag of an object, with its quotes, or *.');
  return { ifMatch: tags.filter((tag) => tag !== undefined), mustBeNew };
}

/** The length of an ETag of a whole answer, with its quotes. That of an object is shorter. */
const ANSWER_TAG_LENGTH = 29;

/** Throws 428 or 412. To be called under the lock. `etag` is that of the current object; undefined if there is none. */
export function checkCondition(
  { ifMatch, mustBeNew }: Condition,
  etag: string | undefined,
  { isRequired }: { isRequired: boolean },
): void {
  if (isRequired && ifMatch === undefined) throw preconditionRequired();
  if (mustBeNew && etag !== undefined) throw preconditionFailed('The object exists already.');
  if (ifMatch === undefined) return;
  if (etag === undefined) throw preconditionFailed('There is no such object.');
  if (ifMatch !== '*' && !ifMatch.includes(etag) && ifMatch.some((tag) => tag.length === ANSWER_TAG_LENGTH))
    throw preconditionFailed(
      'This is the ETag of an answer of /v1 or /fleet/v1. Send the `etag` that /manage/v1 and /fleet/v1/changes return with the object.',
    );
  if (ifMatch !== '*' && !ifMatch.includes(etag))
    throw preconditionFailed('The object has changed since you read it. Read it again, and repeat the change.');
}

/** Compares If-Match, which must be sent, with the ETag of an object that is about to be changed. Throws 428 or 412. */
export const compare =
  <T>(condition: Condition, etag: (object: T) => string) =>
  (current: T): void =>
    checkCondition(condition, etag(current), { isRequired: true });
