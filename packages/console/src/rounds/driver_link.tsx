import type { DriverLink } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { CopyButton } from '../parts/copy_button.tsx';
import { useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';

/** Creates the link for the driver, shows it once, and ends links. */
export function DriverLinkPanel({ roundId, onClose }: { roundId: string; onClose: () => void }) {
  const words = useTexts(ROUND_TEXTS);
  const [link, setLink] = useState<DriverLink | null>(null);
  const creation = useChange<DriverLink>(setLink);
  const end = useChange(() => setLink(null));
  const path = `/rounds/${encodeURIComponent(roundId)}/driver-link`;
  const shown = useRef<HTMLElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    creation.begin({ method: 'POST', path, body: {}, label: words.linkTitle });
  });
  const url = link === null ? '' : new URL(link.url, window.location.origin).href;
  const canShare = 'share' in navigator;
  return (
    <section className="driver-link no-print" aria-label={words.linkTitle}>
      <h2>{words.linkTitle}</h2>
      <p className="meta">{words.linkHelp}</p>
      {end.state.kind === 'saved' && <p role="status">{words.linkEnded}</p>}
      <ChangeNotice change={creation} conflict={() => words.conflicts.link} />
      <ChangeNotice change={end} conflict={() => words.conflicts.link} />
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
          <button
            type="button"
            className="button danger-line"
            disabled={end.isBusy}
            onClick={() => end.begin({ method: 'DELETE', path, label: words.linkEnd })}
          >
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
