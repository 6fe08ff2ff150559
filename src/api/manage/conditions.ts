import type { IncomingHttpHeaders } from 'node:http';
import { malformed, preconditionFailed, preconditionRequired } from '../../http/problem.ts';

type Tags = '*' | readonly string[] | undefined;

/** The condition of If-Match and If-None-Match. */
export interface Condition {
  /** Whether the operation needs If-Match. */
  isRequired: boolean;
  /** Undefined if there is no condition. */
  ifMatch: Tags;
  /** `*` means that the object must not exist. Otherwise it must have none of these ETags. */
  ifNoneMatch: Tags;
}

/**
 * A proxy that compresses responses adds the prefix W/ to ETags. It is ignored, because our ETags are always strong.
 */
const ENTITY_TAG = /^(?:W\/)?("[\x21\x23-\x7e]*")$/;

/** Throws 400 for a header that is not a list of ETags. */
export const parseCondition = (
  headers: IncomingHttpHeaders,
  { isRequired }: Pick<Condition, 'isRequired'>,
): Condition => ({
  isRequired,
  ifMatch: tagsOf('If-Match', headers['if-match']?.trim()),
  ifNoneMatch: tagsOf('If-None-Match', headers['if-none-match']?.trim()),
});

function tagsOf(header: string, given: string | undefined): Tags {
  if (given === undefined || given === '*') return given;
  const tags = given.split(',').map((tag) => ENTITY_TAG.exec(tag.trim())?.[1]);
  if (tags.includes(undefined)) throw malformed(`${header} must be the ETag of an object, with its quotes, or *.`);
  return tags.filter((tag) => tag !== undefined);
}

/** The length of the ETag of a whole response, with its quotes. ETags of objects are shorter. */
const RESPONSE_TAG_LENGTH = 29;

/**
 * Throws 428 or 412. To be called while the object is locked. `etag` is the ETag of the current object; undefined if
 * there is no object.
 */
export function checkCondition({ isRequired, ifMatch, ifNoneMatch }: Condition, etag: string | undefined): void {
  if (isRequired && ifMatch === undefined) throw preconditionRequired();
  if (ifNoneMatch === '*' && etag !== undefined)
    throw preconditionFailed(
      'The object exists already, and If-None-Match: * only creates. To replace it, send the request without If-None-Match.',
    );
  if (etag !== undefined && ifNoneMatch?.includes(etag))
    throw preconditionFailed(
      'The object has the ETag in If-None-Match, which means that it must not. To replace this version, send the ETag as If-Match.',
    );
  if (ifMatch === undefined) return;
  if (etag === undefined)
    throw preconditionFailed(
      'There is no such object, and If-Match only replaces one. To create it, send the request without If-Match.',
    );
  if (ifMatch !== '*' && !ifMatch.includes(etag) && ifMatch.some((tag) => tag.length === RESPONSE_TAG_LENGTH))
    throw preconditionFailed(
      'This is the ETag of an answer of /v1 or /fleet/v1. Send the `etag` that /manage/v1 and /fleet/v1/changes return with the object.',
    );
  if (ifMatch !== '*' && !ifMatch.includes(etag))
    throw preconditionFailed('The object has changed since you read it. Read it again, and repeat the change.');
}

/** Returns a check that compares the condition with the ETag of an object. Throws 428 or 412. */
export const compare =
  <T extends object>(condition: Condition, etag: (object: T) => string) =>
  (current: T | undefined): void =>
    checkCondition(condition, current && etag(current));
