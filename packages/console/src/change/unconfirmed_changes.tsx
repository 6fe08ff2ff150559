import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CHANGE_LEFT, SESSION_QUERY_KEY, type Session } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { type Change, isSessionEnd, type Outcome, send, senderIdOf, unconfirmedChanges } from './change.ts';
import { refusalText } from './change_notice.tsx';

interface SentChange {
  change: Change;
  /** Null until the service has answered. */
  outcome: Outcome | null;
}

/** Sends changes again whose outcome was not known when their form or the page was left, each with its own key. */
export function UnconfirmedChanges({ session }: { session: Session }) {
  const texts = useTexts(CHANGE_TEXTS);
  const queryClient = useQueryClient();
  const [sent, setSent] = useState<readonly SentChange[]>([]);
  const keysInProgress = useRef(new Set<string>());
  const senderId = senderIdOf(session);

  const sendAgain = async (change: Change): Promise<void> => {
    const { idempotencyKey } = change;
    if (keysInProgress.current.has(idempotencyKey)) return;
    keysInProgress.current.add(idempotencyKey);
    const show = (outcome: Outcome | null): void =>
      setSent((before) => [
        ...before.filter((one) => one.change.idempotencyKey !== idempotencyKey),
        { change, outcome },
      ]);
    show(null);
    const outcome = await send(change);
    keysInProgress.current.delete(idempotencyKey);
    show(outcome);
    if (isSessionEnd(outcome)) queryClient.setQueryData(SESSION_QUERY_KEY, null);
    if (outcome.kind === 'saved') await queryClient.invalidateQueries();
  };
  useEffect(() => {
    const sendAll = (): void => {
      for (const change of unconfirmedChanges(senderId)) void sendAgain(change);
    };
    sendAll();
    window.addEventListener(CHANGE_LEFT, sendAll);
    return () => window.removeEventListener(CHANGE_LEFT, sendAll);
    // oxlint-disable-next-line react/exhaustive-deps -- `sendAgain` uses only values that do not change
  }, [senderId]);

  return sent.map(({ change, outcome }) => (
    <p key={change.idempotencyKey} className="banner left-change" role="status">
      <b>{change.label}</b>: {sentenceOf(outcome)}{' '}
      {outcome?.kind === 'unknown' && (
        <Button className="small" onClick={() => void sendAgain(change)}>
          {texts.askAgain}
        </Button>
      )}
      {outcome !== null && outcome.kind !== 'unknown' && (
        <Button className="small" onClick={() => setSent((before) => before.filter((one) => one.change !== change))}>
          {texts.close}
        </Button>
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
