import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SESSION_KEY, type Session } from '../api.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import {
  CHANGE_LEFT,
  type Change,
  isSessionEnd,
  type Outcome,
  send,
  senderIdOf,
  unconfirmedChanges,
} from './change.ts';
import { refusalText } from './change_notice.tsx';

interface Asked {
  change: Change;
  /** Null until the service has answered. */
  outcome: Outcome | null;
}

/** Sends changes again whose outcome was not known when their form or the page was left, each with its own key. */
export function UnconfirmedChanges({ session }: { session: Session }) {
  const texts = useTexts(CHANGE_TEXTS);
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const open = useRef(new Set<string>());
  const senderId = senderIdOf(session);

  const ask = async (change: Change): Promise<void> => {
    const { idempotencyKey } = change;
    if (open.current.has(idempotencyKey)) return;
    open.current.add(idempotencyKey);
    const show = (outcome: Outcome | null): void =>
      setAsked((before) => [
        ...before.filter((one) => one.change.idempotencyKey !== idempotencyKey),
        { change, outcome },
      ]);
    show(null);
    const outcome = await send(change);
    open.current.delete(idempotencyKey);
    show(outcome);
    if (isSessionEnd(outcome)) queryClient.setQueryData(SESSION_KEY, null);
    if (outcome.kind === 'saved') await queryClient.invalidateQueries();
  };
  useEffect(() => {
    const askAll = (): void => {
      for (const change of unconfirmedChanges(senderId)) void ask(change);
    };
    askAll();
    window.addEventListener(CHANGE_LEFT, askAll);
    return () => window.removeEventListener(CHANGE_LEFT, askAll);
    // oxlint-disable-next-line react/exhaustive-deps -- `ask` only uses what does not change
  }, [senderId]);

  return asked.map(({ change, outcome }) => (
    <p key={change.idempotencyKey} className="banner left-change" role="status">
      <b>{change.label}</b>: {sentenceOf(outcome)}{' '}
      {outcome?.kind === 'unknown' && (
        <button type="button" className="button small" onClick={() => void ask(change)}>
          {texts.askAgain}
        </button>
      )}
      {outcome !== null && outcome.kind !== 'unknown' && (
        <button
          type="button"
          className="button small"
          onClick={() => setAsked((before) => before.filter((one) => one.change !== change))}
        >
          {texts.close}
        </button>
      )}
    </p>
  ));

  function sentenceOf(outcome: Outcome | null): string {
    if (outcome === null) return texts.asking;
    if (outcome.kind === 'saved') return texts.saved;
    if (outcome.kind === 'unknown') return texts.unknown;
    return outcome.status === 412 ? texts.notSaved : refusalText(outcome, texts) || texts.notSaved;
  }
}
