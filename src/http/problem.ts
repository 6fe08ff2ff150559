import { type Static, Type } from 'typebox';

/** One parameter that cannot be followed. */
export const ParameterError = Type.Object({
  param: Type.String({ description: 'Name of the parameter.' }),
  code: Type.String({ description: 'Stable, for programs.' }),
  detail: Type.String({ description: 'What is wrong and what would be right, for people.' }),
});
export type ParameterError = Static<typeof ParameterError>;

/** The body of every error (RFC 9457, application/problem+json). */
export const ProblemBody = Type.Object({
  type: Type.String({ description: 'Identifies the kind of problem; stable.' }),
  title: Type.String({ description: 'The kind of problem, for people.' }),
  status: Type.Integer({ description: 'The HTTP status again.' }),
  detail: Type.String({ description: 'What happened this time.' }),
  code: Type.String({ description: 'The kind of problem, for programs; stable.' }),
  request_id: Type.String({ description: 'Quote it when you ask for help.' }),
  errors: Type.Optional(Type.Array(ParameterError, { description: 'Every parameter that cannot be followed.' })),
});
export type ProblemBody = Static<typeof ProblemBody>;

/** The catalogue: everything that can go wrong, by code. */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'The request could not be read' },
  unauthorized: { status: 401, title: 'A valid API key is needed' },
  forbidden: { status: 403, title: 'The API key lacks the needed scope' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'The method is not offered here' },
  unsupported_media_type: { status: 415, title: 'The body has a type that is not read' },
  invalid_parameters: { status: 422, title: 'Some parameters cannot be followed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot answer right now' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

interface ProblemExtras {
  headers?: Readonly<Record<string, string>>;
  errors?: readonly ParameterError[];
  /** Goes to the log, never to the caller. */
  cause?: unknown;
}

/** An answer that is an error. Thrown by name, rendered in one place. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ParameterError[] | undefined;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause });
    this.code = code;
    this.headers = extras.headers ?? {};
    this.errors = extras.errors;
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
    };
  }
}

export const malformed = (detail: string, cause?: unknown) => new Problem('malformed_request', detail, { cause });

export const unauthorized = (detail: string) =>
  new Problem('unauthorized', detail, { headers: { 'www-authenticate': 'ApiKey' } });

export const forbidden = (scope: string) =>
  new Problem('forbidden', `This API key does not have the scope "${scope}".`);

export const narrowedKeyForbidden = () =>
  new Problem('forbidden', 'This API key is narrowed to one customer and cannot send readings; use one that is not.');

/** The same words for what never existed and for what the caller may not see. */
export const notFound = (what: string) => new Problem('not_found', `No such ${what}.`);

export const methodNotAllowed = (method: string, allow: string) =>
  new Problem('method_not_allowed', `${method} is not offered here; use one of ${allow}.`, { headers: { allow } });

export const unsupportedMediaType = () =>
  new Problem(
    'unsupported_media_type',
    'A GET may carry its parameters in a body of type application/x-www-form-urlencoded, and of no other type.',
  );

export const invalidParameters = (errors: readonly ParameterError[]) =>
  new Problem('invalid_parameters', errors.map((error) => `${error.param}: ${error.detail}`).join(' '), { errors });

export const rateLimited = (retryAfterSeconds: number) =>
  new Problem('rate_limited', `This API key is used too often; try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

export const unavailable = (detail: string, cause: unknown) =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' }, cause });

export const internalError = (cause: unknown) =>
  new Problem('internal_error', 'The request failed; it has been logged under its request id.', { cause });
