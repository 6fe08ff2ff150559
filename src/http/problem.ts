import { type Static, Type } from 'typebox';
import { SET_API_SECRETS_KEY } from '../values/api_secrets_key.ts';

export const ParameterError = Type.Object({
  param: Type.String({ description: 'Name of the parameter.' }),
  code: Type.String({ description: 'Error code, for programs. Codes do not change.' }),
  detail: Type.String({ description: 'What is wrong and which values are valid, for people.' }),
});
export type ParameterError = Static<typeof ParameterError>;

/** The body of every error (RFC 9457, application/problem+json). */
export const ProblemBody = Type.Object({
  type: Type.String({ description: 'URN of the kind of problem. It does not change.' }),
  title: Type.String({ description: 'The kind of problem, for people.' }),
  status: Type.Integer({ description: 'The HTTP status.' }),
  detail: Type.String({ description: 'What happened and what to do.' }),
  code: Type.String({ description: 'The kind of problem, for programs. Codes do not change.' }),
  request_id: Type.String({ description: 'ID of the request. Quote it when you ask for help.' }),
  errors: Type.Optional(Type.Array(ParameterError, { description: 'The invalid parameters, at most 20.' })),
  conflicting_id: Type.Optional(Type.String({ description: 'ID of the object that prevents the change.' })),
});
export type ProblemBody = Static<typeof ProblemBody>;

export const PROBLEMS = {
  malformed_request: { status: 400, title: 'Malformed request' },
  idempotency_key_missing: { status: 400, title: 'The header Idempotency-Key is missing' },
  unauthorized: { status: 401, title: 'Missing or invalid API key' },
  forbidden: { status: 403, title: 'The API key is not allowed to do this' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'The change contradicts other data' },
  quota_exceeded: { status: 409, title: 'The organization has reached its quota' },
  not_open: { status: 409, title: 'The condition is not true any more' },
  idempotency_key_in_progress: { status: 409, title: 'A request with this Idempotency-Key is in progress' },
  gone: { status: 410, title: 'Not valid any more' },
  precondition_failed: { status: 412, title: 'The condition of the request is not true' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid_parameters: { status: 422, title: 'Invalid parameters' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  precondition_required: { status: 428, title: 'The header If-Match is missing' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Service unavailable' },
  changes_not_set_up: { status: 503, title: 'Changes are not set up' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

interface ProblemExtras {
  headers?: Readonly<Record<string, string>>;
  errors?: readonly ParameterError[];
  conflictingId?: string | undefined;
  /** Logged, never sent to the caller. */
  cause?: unknown;
}

/** An error response. The functions below create it, callers throw it, and `sendError` sends it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ParameterError[] | undefined;
  readonly conflictingId: string | undefined;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause });
    this.code = code;
    this.headers = extras.headers ?? {};
    this.errors = extras.errors;
    this.conflictingId = extras.conflictingId;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  body(requestId: string): ProblemBody {
    const { status, title } = PROBLEMS[this.code];
    return {
      type: `urn:tankwatch:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      request_id: requestId,
      ...(this.errors ? { errors: [...this.errors] } : {}),
      ...(this.conflictingId === undefined ? {} : { conflicting_id: this.conflictingId }),
    };
  }
}

export const malformed = (detail: string, cause?: unknown) => new Problem('malformed_request', detail, { cause });

/** `schemes` are the authentication schemes in the header WWW-Authenticate. */
export const unauthorized = (detail: string, schemes: readonly string[] = ['ApiKey']) =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': schemes.join(', ') } });

export const forbidden = (scope: string) =>
  new Problem(
    'forbidden',
    `This API key does not have the scope "${scope}". Ask the operator of this service for a key that has it.`,
  );

export const narrowedKeyForbidden = () =>
  new Problem(
    'forbidden',
    'This API key is narrowed to one customer and cannot send readings. Use a key that is not narrowed.',
  );

const tooMany = (detail: string, retryAfterSeconds: number) =>
  new Problem('rate_limited', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });

/** For reads that need a key of the whole organization. */
export const organizationOnly = (what: string) =>
  new Problem('forbidden', `This API key is narrowed to one customer. ${what} a key of the organization.`);

export const ownersOnly = () => new Problem('forbidden', 'Only a customer who has signed in by mail can do this.');

/** For operations on data of one person, such as browser notifications. */
export const personOnly = () =>
  new Problem('forbidden', 'Only a person of the organization who has signed in can do this.');

export const foreignOrigin = () =>
  new Problem('forbidden', 'The Origin header names another site. Only pages of this service may send this request.');

/** For changes by a person in the console whose role does not allow them. */
export const forbiddenRole = () =>
  new Problem('forbidden', 'Your role does not allow this. Ask an administrator of your organization.');

/** For changes of console roles, and of people who have one, by an API key. */
export const peopleOnly = () =>
  new Problem('forbidden', 'An API key can neither give console roles nor change people who have one.');

/** `conflictingId`: the object that prevents the change. */
export const conflict = (detail: string, conflictingId?: string) => new Problem('conflict', detail, { conflictingId });

/** For an acknowledgement of a condition that is not open. */
export const notOpen = (fact: string) =>
  new Problem('not_open', `${fact} Read the tank again, and send only conditions that are open.`);

export const idempotencyKeyMissing = () =>
  new Problem(
    'idempotency_key_missing',
    'Send a new value in the header Idempotency-Key with every new request, and the same one when you repeat a request.',
  );

export const idempotencyKeyInProgress = () =>
  new Problem(
    'idempotency_key_in_progress',
    'A request with this Idempotency-Key is in progress. Repeat this one later.',
    { headers: { 'retry-after': '2' } },
  );

export const idempotencyKeyReused = () =>
  new Problem(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another method, path or body. Use a new one for each new request.',
  );

/** `quota` is a number with its unit, such as "1000000 tanks". */
export const quotaReached = (quota: string) =>
  new Problem(
    'quota_exceeded',
    `Your organization may have ${quota}. Nothing was changed. The operator of this service can raise it.`,
  );

export const tooManyAnswerBytes = (maxBytes: number) =>
  tooMany(
    `The stored answers to requests with an Idempotency-Key have ${maxBytes / 1_048_576} MiB today, all that your organization may use. Use PUT or bulk requests.`,
    3_600,
  );

export const tooManyIdempotencyKeys = (maxKeys: number) =>
  tooMany(`You have used ${maxKeys} values of Idempotency-Key in 24 hours. Use PUT or bulk requests.`, 3_600);

export const preconditionRequired = () =>
  new Problem(
    'precondition_required',
    'Send the ETag of the object that you have read in the header If-Match, or "*" to overwrite whatever there is.',
  );

export const preconditionFailed = (detail: string) => new Problem('precondition_failed', detail);

export const payloadTooLarge = (maxBytes: number) =>
  new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes.`);

/** Too many changes of one sender are waiting. */
export const tooManyChanges = () => tooMany('Too many of your changes wait for their turn. Send fewer at once.', 1);

/** A change has waited too long for others of its organization. */
export const changesTakeLong = () =>
  tooMany('Other changes of your organization, such as a bulk or an import, take long. Send this one again.', 1);

/**
 * For a link, a code or a stored response that is no longer valid. A link that never existed gets the same response.
 */
export const gone = (detail: string) => new Problem('gone', detail);

/** The text is the same for objects that do not exist and objects that the caller must not see. */
export const notFound = (object: string) => new Problem('not_found', `No such ${object}.`);

export const methodNotAllowed = (method: string, allow: string) =>
  new Problem('method_not_allowed', `${method} is not allowed here. Use ${allow}.`, { headers: { allow } });

export const unsupportedMediaType = (
  detail = 'The body of a GET request must have the type application/x-www-form-urlencoded.',
) => new Problem('unsupported_media_type', detail);

/**
 * The largest number of listed errors, so that a request or a line of a bulk with thousands of wrong parameters gets a
 * short response.
 */
export const MAX_LISTED_ERRORS = 20;

export const listedErrors = (errors: readonly ParameterError[]): ParameterError[] => errors.slice(0, MAX_LISTED_ERRORS);

export function invalidParameters(errors: readonly ParameterError[]): Problem {
  const listed = listedErrors(errors);
  const omitted = errors.length - listed.length;
  const details = listed.map((error) => `${error.param}: ${error.detail}`);
  if (omitted > 0) details.push(`${omitted} more errors are not listed.`);
  return new Problem('invalid_parameters', details.join(' '), { errors: listed });
}

/** No operation has as many parameters. A request with more is refused before any parameter is checked. */
export const MAX_PARAMETERS = 32;

export const tooManyParameters = () =>
  new Problem('invalid_parameters', `A request may have at most ${MAX_PARAMETERS} parameters.`);

export const rateLimited = ({ of, resetSeconds }: { of: 'key' | 'organization'; resetSeconds: number }) =>
  tooMany(
    `${of === 'key' ? 'This API key' : 'Your organization'} exceeded its rate limit. Try again in ${resetSeconds} s.`,
    resetSeconds,
  );

export const tooManyStreams = () => tooMany('Too many streams are open. Close one, or try again in 60 s.', 60);

export const tooManyReadings = (readingsPerSecond: number, retryAfterSeconds: number) =>
  tooMany(
    `Your organization may send ${readingsPerSecond} readings per second and has sent more. Send this request again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  );

export const tooManyFailedLogins = (retryAfterSeconds: number) =>
  tooMany(
    `Too many requests without a valid API key came from your address. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  );

/** For too many requests with the driver's link of one round, from all phones together. */
export const linkSendsTooMuch = (retryAfterSeconds: number) =>
  tooMany(`This link sent too many requests. Try again in ${retryAfterSeconds} s.`, retryAfterSeconds);

export const tooManyDriverEntries = () => new Problem('conflict', 'This round has too many entries. Call the office.');

export const tooManyMails = (retryAfterSeconds: number) =>
  tooMany(
    `Too many sign-in mails were requested from your network. Use one of them, or try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  );

export const unavailable = (detail: string, cause: unknown) =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause });

/** Has no Retry-After, because an operator must set up changes first. */
export const changesNotSetUp = () =>
  new Problem('changes_not_set_up', `Nothing can be changed over HTTP yet. ${SET_API_SECRETS_KEY}`);

/** Too many requests of one sender are waiting, to start or for the database. */
export const tooManyAtOnce = () =>
  new Problem(
    'unavailable',
    'You have too many requests in progress. Send fewer at once, and this one again in a second.',
    { headers: { 'retry-after': '1' } },
  );

export const internalError = (cause: unknown) =>
  new Problem('internal_error', 'The request failed. The error is logged with the request id.', { cause });
