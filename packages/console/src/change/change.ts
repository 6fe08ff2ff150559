import { ApiError, type ChangeRequest } from '@tankwatch/client';
import { CHANGE_PREFIX, client, type Session } from '../api.ts';

/** A change that is sent to the service. The tab stores it until its outcome is known, so that it can be sent again. */
export interface Change extends ChangeRequest {
  ifMatch: string | null;
  /** True if the object must not exist yet. */
  mustBeNew?: boolean | undefined;
  idempotencyKey: string;
  /** The person or customer who made the change. Nobody else who signs in in the same tab may send it. */
  senderId: string;
  /** The name of the change, for a viewer who has left the form. */
  label: string;
  /** The name of the draft, which is deleted when the change is saved. */
  draft?: string | undefined;
}

interface FieldProblem {
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

/** The outcome is unknown if there is no response, or if the response does not say whether the change was stored. */
export type Outcome<Saved = unknown> = { kind: 'saved'; body: Saved } | { kind: 'unknown' } | Refusal;

/** A change can wait 10 s for its turn, then each statement 5 s. Without an answer after this time, its outcome is not known. */
const ANSWER_MS = 15_000;
/** The event after a draft was saved or discarded, with its name. */
export const DRAFT_GONE = 'draftgone';

export const newKey = (): string => crypto.randomUUID();

/**
 * Stores the change in the tab, sends it, and deletes it from the tab when the outcome is known. If the session has
 * ended, the change stays, and is sent after the same person has signed in.
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
    // The client does not retry: the viewer sees that the outcome is unknown, and decides.
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

/** After an error of the server, also a 503, the change may be stored. */
function outcomeOfError({
  status,
  code = '',
  message,
  errors,
  conflictingId,
}: ApiError): Refusal | { kind: 'unknown' } {
  const isServerError = status >= 500 && code !== 'changes_not_set_up';
  if (isServerError || code === 'idempotency_key_in_progress') return { kind: 'unknown' };
  return { kind: 'refused', status, code, detail: message, errors, conflictingId: conflictingId ?? null };
}

function keep(change: Change): void {
  try {
    sessionStorage.setItem(CHANGE_PREFIX + change.idempotencyKey, JSON.stringify(change));
  } catch {
    // Storage is blocked or full: the change is safe as long as the page is open.
  }
}

const forget = ({ idempotencyKey }: Change): void => sessionStorage.removeItem(CHANGE_PREFIX + idempotencyKey);

export const senderIdOf = (session: Session | null | undefined): string =>
  session?.person?.id ?? session?.customer?.id ?? '';

/** Returns the changes of this sender whose outcome is not known, and deletes the changes of other senders. */
export function unconfirmedChanges(senderId: string): Change[] {
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(CHANGE_PREFIX))
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
