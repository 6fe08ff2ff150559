import type { ChangeRequest } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CHANGE_LEFT, SESSION_QUERY_KEY, type Session } from '../api.ts';
import { type Change, isSessionEnd, newKey, type Outcome, type Refusal, send, senderIdOf } from './change.ts';

/** A change as a form sends it. */
export interface Request extends ChangeRequest {
  ifMatch?: string;
  /** True if the object must not exist yet. */
  mustBeNew?: boolean;
  label: string;
  /** The name of the draft, which is deleted when the change is saved. */
  draft?: string;
}

export type ChangeState<Saved = unknown> = { kind: 'idle' } | { kind: 'sending' } | Outcome<Saved>;

export interface UsedChange<Saved = unknown> {
  state: ChangeState<Saved>;
  /** True until the outcome is known. The form must not be sent again before that. */
  isBusy: boolean;
  /** Sends the requests one after the other. The first that is not saved ends the sequence. */
  begin: (...requests: readonly Request[]) => void;
  /** Sends the same change with the same key, and then the requests after it. */
  askAgain: () => void;
  reset: () => void;
}

const IDLE = { kind: 'idle' } as const;

/**
 * One change of one form. The page shows a change only after the service has stored it: `onSaved` is called then, with
 * the body of the last answer.
 */
export function useChange<Saved = unknown>(
  onSaved: (body: Saved) => void,
  onRefused?: (refusal: Refusal) => void,
): UsedChange<Saved> {
  const queryClient = useQueryClient();
  const [state, setState] = useState<ChangeState<Saved>>(IDLE);
  const lastChange = useRef<Change | null>(null);
  const nextRequests = useRef<readonly Request[]>([]);
  const newest = useRef({ onSaved, onRefused, kind: state.kind });
  useEffect(() => {
    newest.current = { onSaved, onRefused, kind: state.kind };
  });
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
      // The frame takes over a change whose outcome this form does not know.
      if (newest.current.kind === 'unknown') window.dispatchEvent(new Event(CHANGE_LEFT));
    };
  }, []);

  const run = async (change: Change): Promise<void> => {
    lastChange.current = change;
    setState({ kind: 'sending' });
    const outcome = await send<Saved>(change);
    if (lastChange.current !== change) return;
    const [following, ...rest] = nextRequests.current;
    if (outcome.kind === 'saved' && following !== undefined) {
      nextRequests.current = rest;
      return run({ ...changeOf(following), idempotencyKey: newKey() });
    }
    if (isLeft.current && outcome.kind === 'unknown') window.dispatchEvent(new Event(CHANGE_LEFT));
    if (isSessionEnd(outcome)) queryClient.setQueryData(SESSION_QUERY_KEY, null);
    setState(outcome);
    if (outcome.kind === 'saved') newest.current.onSaved(outcome.body);
    if (outcome.kind === 'refused') newest.current.onRefused?.(outcome);
  };
  const changeOf = ({ ifMatch, ...request }: Request): Omit<Change, 'idempotencyKey'> => ({
    ...request,
    ifMatch: ifMatch ?? null,
    senderId: senderIdOf(queryClient.getQueryData<Session | null>(SESSION_QUERY_KEY)),
  });
  return {
    state,
    isBusy: state.kind === 'sending' || state.kind === 'unknown',
    begin(request, ...rest) {
      if (request === undefined) return;
      nextRequests.current = rest;
      void run({ ...changeOf(request), idempotencyKey: newKey() });
    },
    askAgain() {
      if (lastChange.current !== null) void run(lastChange.current);
    },
    reset() {
      lastChange.current = null;
      setState(IDLE);
    },
  };
}
