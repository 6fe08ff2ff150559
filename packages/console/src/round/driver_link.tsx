import type { DriverLink } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../parts/copy_button.tsx';
import { useRoundWords } from '../words/round_words.ts';
import { roundCalls } from './calls.ts';

/** Makes the link for the driver, shows it once, and ends links. */
export function DriverLinkPanel({ roundId, onClose }: { roundId: string; onClose: () => void }) {
  const words = useRoundWords();
  const [link, setLink] = useState<DriverLink | null>(null);
  const [text, setText] = useState('');
  const shown = useRef<HTMLElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    roundCalls.makeLink(roundId).then(setLink, (error: Error) => setText(error.message));
  }, [roundId]);
  const url = link === null ? '' : new URL(link.url, window.location.origin).href;
  const canShare = 'share' in navigator;
  const end = async (): Promise<void> => {
    try {
      await roundCalls.endLinks(roundId);
      setLink(null);
      setText(words.linkEnded);
    } catch (error) {
      setText(error instanceof Error ? error.message : words.notSaved);
    }
  };
  return (
    <section className="driver-link no-print" aria-label={words.linkTitle}>
      <h2>{words.linkTitle}</h2>
      <p className="meta">{words.linkHelp}</p>
      {text !== '' && <p role="status">{text}</p>}
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
