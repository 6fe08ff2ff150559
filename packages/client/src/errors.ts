import type { Problem } from './types.ts';

/** The base of all errors that this client throws for a call, except for the reason of an aborted `signal`. */
export class TankwatchError extends Error {
  /** The id of the call in the log of the service. Quote it when you ask for help. */
  readonly requestId: string;

  constructor(message: string, requestId: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.requestId = requestId;
  }
}

/** No complete response arrived: the connection was refused, reset or cut off, or it is not from Tankwatch. */
export class ConnectionError extends TankwatchError {}

/** No complete response arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** The service, or a proxy in front of it, returned an error. */
export class ApiError extends TankwatchError {
  readonly status: number;
  /** The error code, for programs. Codes do not change. Undefined if the response is not from the service. */
  readonly code: string | undefined;
  /** The invalid parameters, at most 20. */
  readonly errors: NonNullable<Problem['errors']>;
  /** The id of the object that prevents the change, if the response names one. */
  readonly conflictingId: string | undefined;
  /** The value of Retry-After, if the response has one. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Problem | undefined, requestId: string, retryAfterSeconds: number | undefined) {
    super(problem?.detail ?? `the response has status ${status} and no details`, requestId);
    this.status = status;
    this.code = problem?.code;
    this.errors = problem?.errors ?? [];
    this.conflictingId = problem?.conflicting_id;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400: malformed request. */
export class BadRequestError extends ApiError {}
/** 401: the key is missing, malformed, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {}
/** 403: the key does not have the scope that the call needs, or is narrowed to one customer. */
export class PermissionError extends ApiError {}
/** 404: the object does not exist, or this key cannot see it. */
export class NotFoundError extends ApiError {}
/** 409: the change contradicts other data, such as a key that another object has, or the organization reached its quota. */
export class ConflictError extends ApiError {}
/** 412: the object has changed since you read it, or it exists already although the call was to create it. */
export class ChangedError extends ApiError {}
/** 422: `errors` lists up to 20 invalid parameters. It is empty if the Idempotency-Key was used for another request. */
export class InvalidParametersError extends ApiError {}
/** 429: the key or its organization sent too many requests or readings, or too many of its changes wait. */
export class RateLimitError extends ApiError {}
/** 500 and above. */
export class ServerError extends ApiError {}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ChangedError,
  422: InvalidParametersError,
  429: RateLimitError,
};

export const apiErrorOf = (status: number): typeof ApiError =>
  BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
