import { ApiError, type ChangeRequest } from '@tankwatch/client';
import { client, type Session, STORED_CHANGE } from '../api.ts';

/** A change as it is sent. It is stored until its outcome is known, so that it can be sent again. */
export interface Change extends ChangeRequest {
  ifMatch: string | null;
  /** True: the object must not exist yet. */
  mustBeNew?: boolean | undefined;
  idempotencyKey: string;
  /** The person or customer who made the change. Another one in the same tab must not send it. */
  senderId: string;
  /** The name of the change, for a viewer who has left the form. */
  label: string;
  /** The draft that the change makes superfluous when it is saved. */
  draft?: string | undefined;
}

export interface FieldProblem {
  param: string;
  code: string;
}

/** The service refused the change: nothing was stored. */
export interface Refusal {
  kind: 'refused';
  status: number;
  code: string;
  /** The English text of the service. Pages have their own texts for the refusals that they expect. */
  detail: string;
  errors: readonly FieldProblem[];
  /** The object that prevents the change. */
  conflictingId: string | null;
}

/** Unknown if no answer came, or one that does not say whether the change was stored. */
export type Outcome<Saved = unknown> = { kind: 'saved'; body: Saved } | { kind: 'unknown' } | Refusal;

/** The service gives up after 5 s. A change without an answer after this time may still be stored. */
const ANSWER_MS = 15_000;
/** The event that a form sends if it is left before its outcome is known. */
export const CHANGE_LEFT = 'changeleft';
/** The event after a draft was saved or discarded, with its name. */
export const DRAFT_GONE = 'draftgone';

export const newKey = (): string => crypto.randomUUID();

/**
 * Sends the change. It is stored before, and forgotten when the outcome is known. If the session has ended, it stays: it is
 * sent after the same person has signed in.
 */
export async function send<Saved>(change: Change): Promise<Outcome<Saved>> {
  keep(change);
  const outcome = await attempt<Saved>(change);
  if (outcome.kind !== 'unknown' && !isSessionEnd(outcome)) forget(change);
  if (outcome.kind === 'saved' && change.draft !== undefined) forgetDraft(change.draft);
  return outcome;
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(name);
  window.dispatchEvent(new CustomEvent(DRAFT_GONE, { detail: name }));
}

export const isSessionEnd = (outcome: Outcome): boolean => outcome.kind === 'refused' && outcome.status === 401;

async function attempt<Saved>({ ifMatch, mustBeNew, idempotencyKey, ...request }: Change): Promise<Outcome<Saved>> {
  try {
    // Without retries of the client: the viewer sees that the outcome is unknown, and decides.
    const ifNoneMatch: '*' | undefined = mustBeNew ? '*' : undefined;
    const options = {
      idempotencyKey,
      ifMatch: ifMatch ?? undefined,
      ifNoneMatch,
      timeoutMs: ANSWER_MS,
      maxRetries: 0,
    };
    return { kind: 'saved', body: await client.manage.send<Saved>(request, options) };
  } catch (error) {
    return error instanceof ApiError ? outcomeOfError(error) : { kind: 'unknown' };
  }
}

/** A 503 means that nothing was stored, or that the same key finds out. Other server errors leave the outcome unknown. */
function outcomeOfError({
  status,
  code = '',
  message,
  errors,
  conflictingId,
}: ApiError): Refusal | { kind: 'unknown' } {
  if ((status >= 500 && status !== 503) || code === 'idempotency_key_in_progress') return { kind: 'unknown' };
  return { kind: 'refused', status, code, detail: message, errors, conflictingId: conflictingId ?? null };
}

function keep(change: Change): void {
  try {
    sessionStorage.setItem(STORED_CHANGE + change.idempotencyKey, JSON.stringify(change));
  } catch {
    // Storage is blocked or full: the change is safe as long as the page is open.
  }
}

const forget = ({ idempotencyKey }: Change): void => sessionStorage.removeItem(STORED_CHANGE + idempotencyKey);

export const senderIdOf = (session: Session | null | undefined): string =>
  session?.person?.id ?? session?.customer?.id ?? '';

/** Changes of this sender whose outcome is not known. Those of another sender are forgotten. */
export function unconfirmedChanges(senderId: string): Change[] {
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(STORED_CHANGE))
    .flatMap((name) => {
      const change = parseChange(sessionStorage.getItem(name) ?? '');
      if (change?.senderId === senderId) return [change];
      sessionStorage.removeItem(name);
      return [];
    });
}

function parseChange(text: string): Change | null {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `keep` writes this entry
    return JSON.parse(text) as Change;
  } catch {
    return null;
  }
}
