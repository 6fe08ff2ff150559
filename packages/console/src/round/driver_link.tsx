import type { DriverLink } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../parts/copy_button.tsx';
import { useRoundWords } from '../words/round_words.ts';
import { roundCalls } from './calls.ts';
import { useProblemText } from './problem_text.ts';

/** Makes the link for the driver, shows it once, and ends links. */
export function DriverLinkPanel({ roundId, onClose }: { roundId: string; onClose: () => void }) {
  const words = useRoundWords();
  const problemText = useProblemText();
  const [link, setLink] = useState<DriverLink | null>(null);
  const [hasEnded, setHasEnded] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const shown = useRef<HTMLElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    roundCalls.makeLink(roundId).then(setLink, setFailure);
  }, [roundId]);
  const url = link === null ? '' : new URL(link.url, window.location.origin).href;
  const canShare = 'share' in navigator;
  const end = async (): Promise<void> => {
    try {
      await roundCalls.endLinks(roundId);
      setLink(null);
      setHasEnded(true);
      setFailure(null);
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <section className="driver-link no-print" aria-label={words.linkTitle}>
      <h2>{words.linkTitle}</h2>
      <p className="meta">{words.linkHelp}</p>
      {hasEnded && <p role="status">{words.linkEnded}</p>}
      {failure !== null && <p role="alert">{problemText(failure, words.conflicts.link)}</p>}
      {link !== null && (
        <p>
          <code ref={shown}>{url}</code>
        </p>
      )}
      <p className="actions">
        {link !== null && (
          <CopyButton
            text={url}
            shown={{ copy: words.linkCopy, copied: words.linkCopied }}
            source={() => shown.current}
          />
        )}
        {link !== null && canShare && (
          <button type="button" className="button" onClick={() => void navigator.share({ url }).catch(() => undefined)}>
            {words.linkShare}
          </button>
        )}
        {link !== null && (
          <button type="button" className="button danger-line" onClick={() => void end()}>
            {words.linkEnd}
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          {words.close}
        </button>
      </p>
    </section>
  );
}
