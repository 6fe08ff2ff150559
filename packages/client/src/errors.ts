import type { Problem } from './types.ts';

/** What can go wrong between this client and the service. */
export class TankwatchError extends Error {
  /** The call's id in the service's log; quote it when you ask for help. */
  readonly requestId: string;

  constructor(message: string, requestId: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.requestId = requestId;
  }
}

/** No whole answer of the service arrived: refused, reset, cut off, or somebody else's. */
export class ConnectionError extends TankwatchError {}

/** No whole answer arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** The service, or a proxy before it, answered with an error. */
export class ApiError extends TankwatchError {
  readonly status: number;
  /** Stable, for programs; undefined where the answer is not the service's own. */
  readonly code: string | undefined;
  /** Every parameter that could not be followed. */
  readonly errors: NonNullable<Problem['errors']>;
  /** When to come back, where the answer said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Problem | undefined, requestId: string, retryAfterSeconds: number | undefined) {
    super(problem?.detail ?? `the answer has status ${status} and no explanation`, requestId);
    this.status = status;
    this.code = problem?.code;
    this.errors = problem?.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400: the request could not be read. */
export class BadRequestError extends ApiError {}
/** 401: the key is missing, malformed, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {}
/** 403: the key lacks the scope `read`. */
export class PermissionError extends ApiError {}
/** 404: no such object, or none that this key may see. */
export class NotFoundError extends ApiError {}
/** 422: `errors` names every parameter that cannot be followed. */
export class InvalidParametersError extends ApiError {}
/** 429: the key is used too often. */
export class RateLimitError extends ApiError {}
/** 500 and above. */
export class ServerError extends ApiError {}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  422: InvalidParametersError,
  429: RateLimitError,
};

export const apiErrorOf = (status: number): typeof ApiError =>
  BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
