import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SESSION_KEY, type Session } from '../api.ts';
import { CHANGE_LEFT, type Change, isSessionEnd, newKey, type Refusal, send } from './change.ts';

/** What a form sends. */
export interface Request {
  method: Change['method'];
  /** Below `/manage/v1`. */
  path: string;
  body?: object;
  ifMatch?: string;
  label: string;
}

export type ChangeState =
  | { kind: 'idle' }
  | { kind: 'sending' }
  | { kind: 'saved'; body: unknown }
  | { kind: 'unknown' }
  | Refusal;

export interface UsedChange {
  state: ChangeState;
  /** While it is sent, and until its outcome is known: the form must not be sent again. */
  isBusy: boolean;
  begin: (request: Request) => void;
  /** Sends the same change with the same key. */
  askAgain: () => void;
  reset: () => void;
}

const IDLE: ChangeState = { kind: 'idle' };

/**
 * One change of one form. Nothing on the page moves before the service has stored it: `onSaved` is called then, with the
 * body of the answer.
 */
export function useChange(onSaved: (body: unknown) => void): UsedChange {
  const queryClient = useQueryClient();
  const [state, setState] = useState<ChangeState>(IDLE);
  const last = useRef<Change | null>(null);
  const saved = useRef(onSaved);
  const kind = useRef<ChangeState['kind']>('idle');
  useEffect(() => {
    saved.current = onSaved;
    kind.current = state.kind;
  });
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
      // The frame takes over what this form does not know.
      if (kind.current === 'unknown') window.dispatchEvent(new Event(CHANGE_LEFT));
    };
  }, []);

  const run = async (change: Change): Promise<void> => {
    last.current = change;
    setState({ kind: 'sending' });
    const outcome = await send(change);
    if (last.current !== change) return;
    if (isLeft.current && outcome.kind === 'unknown') window.dispatchEvent(new Event(CHANGE_LEFT));
    if (isSessionEnd(outcome)) queryClient.setQueryData(SESSION_KEY, null);
    setState(outcome);
    if (outcome.kind === 'saved') saved.current(outcome.body);
  };
  return {
    state,
    isBusy: state.kind === 'sending' || state.kind === 'unknown',
    begin({ method, path, body, ifMatch, label }) {
      const session = queryClient.getQueryData<Session | null>(SESSION_KEY);
      const next = {
        method,
        path,
        body: body === undefined ? null : JSON.stringify(body),
        ifMatch: ifMatch ?? null,
        personId: session?.person?.id ?? '',
        label,
      };
      // The same form again after "Not saved" has the same key: if it was stored after all, it is not stored twice.
      const isSame = state.kind === 'refused' && state.status === 503 && isEqual(last.current, next);
      void run({ ...next, idempotencyKey: isSame && last.current !== null ? last.current.idempotencyKey : newKey() });
    },
    askAgain() {
      if (last.current !== null) void run(last.current);
    },
    reset() {
      last.current = null;
      setState(IDLE);
    },
  };
}

const isEqual = (one: Change | null, other: Omit<Change, 'idempotencyKey'>): boolean =>
  one !== null &&
  one.method === other.method &&
  one.path === other.path &&
  one.body === other.body &&
  one.ifMatch === other.ifMatch;
