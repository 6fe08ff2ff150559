/** A change as it is sent. It is kept as it is until the service has answered, so that it can be sent again. */
export interface Change {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/manage/v1`. */
  path: string;
  /** JSON. Null: no body. */
  body: string | null;
  ifMatch: string | null;
  idempotencyKey: string;
  /** Who made it. Another person in the same tab must not send it. */
  personId: string;
  /** What it is, in the words of the page, for a viewer who has left the form. */
  label: string;
}

export interface FieldProblem {
  param: string;
  code: string;
}

/** The service has said no: nothing was changed. */
export interface Refusal {
  kind: 'refused';
  status: number;
  code: string;
  /** In English. Pages have their own words for what they expect. */
  detail: string;
  errors: readonly FieldProblem[];
  /** The object that is in the way. */
  conflictingId: string | null;
}

/** Unknown: no answer, or one that does not say whether the change was stored. */
export type Outcome = { kind: 'saved'; body: unknown } | { kind: 'unknown' } | Refusal;

/** The service gives up after 5 s; what has not answered after this time may still be stored. */
const ANSWER_MS = 15_000;
const STORED = 'tankwatch.change.';
/** Somebody left a form whose outcome is not known. */
export const CHANGE_LEFT = 'changeleft';

export const newKey = (): string => crypto.randomUUID();

/**
 * Sends the change. It is stored before, and forgotten when the outcome is known. If the session has ended, it stays: it is
 * sent after the same person has signed in.
 */
export async function send(change: Change): Promise<Outcome> {
  keep(change);
  const outcome = await attempt(change).catch((): Outcome => ({ kind: 'unknown' }));
  if (outcome.kind !== 'unknown' && !isSessionEnd(outcome)) forget(change);
  return outcome;
}

export const isSessionEnd = (outcome: Outcome): boolean => outcome.kind === 'refused' && outcome.status === 401;

async function attempt({ method, path, body, ifMatch, idempotencyKey }: Change): Promise<Outcome> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(), ANSWER_MS); // nothing happens if the answer is here
  const response = await fetch(`/manage/v1${path}`, {
    method,
    body,
    headers: {
      accept: 'application/json',
      'idempotency-key': idempotencyKey,
      ...(body === null ? {} : { 'content-type': type }),
      ...(ifMatch === null ? {} : { 'if-match': ifMatch }),
    },
    signal: waiting.signal,
  });
  const text = await response.text();
  if (response.ok) return { kind: 'saved', body: text === '' ? null : JSON.parse(text) };
  return refusalOf(response.status, text);
}

/** 503 says that nothing was stored, or that the same key finds out. Other errors of a server or a proxy say nothing. */
function refusalOf(status: number, text: string): Outcome {
  const problem = parsed(text);
  const code = textOf(problem, 'code') ?? '';
  const isSilent = status >= 500 && status !== 503;
  if (isSilent || code === 'idempotency_key_in_progress') return { kind: 'unknown' };
  const errors = fieldOf(problem, 'errors');
  return {
    kind: 'refused',
    status,
    code,
    detail: textOf(problem, 'detail') ?? '',
    errors: Array.isArray(errors)
      ? errors.map((one) => ({ param: textOf(one, 'param') ?? '', code: textOf(one, 'code') ?? '' }))
      : [],
    conflictingId: textOf(problem, 'conflicting_id'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the answer of a proxy
  }
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

export function textOf(value: unknown, name: string): string | null {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : null;
}

function keep(change: Change): void {
  try {
    sessionStorage.setItem(STORED + change.idempotencyKey, JSON.stringify(change));
  } catch {
    // Storage is blocked or full: the change is safe as long as the page is open.
  }
}

const forget = ({ idempotencyKey }: Change): void => sessionStorage.removeItem(STORED + idempotencyKey);

/** Changes of this person whose outcome is not known. Those of another person are forgotten. */
export function leftChanges(personId: string): Change[] {
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(STORED))
    .flatMap((name) => {
      const change = changeIn(sessionStorage.getItem(name) ?? '');
      if (change?.personId === personId) return [change];
      sessionStorage.removeItem(name);
      return [];
    });
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

function changeIn(text: string): Change | null {
  const value = parsed(text);
  const method = METHODS.find((one) => one === fieldOf(value, 'method'));
  const [path, idempotencyKey, personId] = [
    textOf(value, 'path'),
    textOf(value, 'idempotencyKey'),
    textOf(value, 'personId'),
  ];
  if (method === undefined || path === null || idempotencyKey === null || personId === null) return null;
  return {
    method,
    path,
    idempotencyKey,
    personId,
    body: textOf(value, 'body'),
    ifMatch: textOf(value, 'ifMatch'),
    label: textOf(value, 'label') ?? '',
  };
}
