import type { DriverLink, FleetRound } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useOrganization } from '../organization.ts';
import { CopyButton } from '../parts/copy_button.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DRIVER_LINK_TEXTS } from '../translations/driver_link.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { messageLinks } from './link_message.ts';

/** Creates the link for the driver, shows it once, opens messages with it, and ends links. */
export function DriverLinkPanel({ round, onClose }: { round: FleetRound; onClose: () => void }) {
  const words = useTexts(ROUND_TEXTS);
  const texts = useTexts(DRIVER_LINK_TEXTS);
  const format = useFormat();
  const language = useOrganization()?.language ?? '';
  const [link, setLink] = useState<DriverLink | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  // The page opens an app for the message. Only the person knows whether it was sent.
  const [opened, setOpened] = useState<{ way: 'sms' | 'whatsApp' | 'mail'; sentAt: string | null } | null>(null);
  const creation = useChange<DriverLink>(setLink);
  const end = useChange(() => {
    setLink(null);
    setIsAsked(false);
  });
  const path = `/rounds/${encodeURIComponent(round.id)}/driver-link`;
  const shown = useRef<HTMLElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    creation.begin({ method: 'POST', path, body: {}, label: words.linkTitle });
  });
  const url = link === null ? '' : new URL(link.url, window.location.origin).href;
  const messages = messageLinks(round, url, language);
  const canShare = 'share' in navigator;
  return (
    <section className="driver-link no-print" aria-label={words.linkTitle}>
      <h2>{words.linkTitle}</h2>
      <p className="meta">{words.linkHelp}</p>
      {end.state.kind === 'saved' && <p role="status">{words.linkEnded}</p>}
      <ChangeNotice change={creation} conflict={() => words.conflicts.link} />
      <ChangeNotice change={end} conflict={() => words.conflicts.link} />
      {link !== null && (
        <>
          <p>
            <code ref={shown}>{url}</code>
          </p>
          <p className="meta">{texts.sendHelp}</p>
        </>
      )}
      <p className="actions">
        {link !== null && (
          <>
            <CopyButton
              text={url}
              shown={{ copy: words.linkCopy, copied: words.linkCopied }}
              source={() => shown.current}
            />
            {(['sms', 'whatsApp', 'mail'] as const).map((way) => (
              <a
                key={way}
                className="button"
                href={messages[way]}
                {...(way === 'whatsApp' && { target: '_blank', rel: 'noopener noreferrer' })}
                onClick={() => setOpened({ way, sentAt: null })}
              >
                {texts[way]}
              </a>
            ))}
            {canShare && (
              <button
                type="button"
                className="button"
                onClick={() => void navigator.share({ url }).catch(() => undefined)}
              >
                {words.linkShare}
              </button>
            )}
          </>
        )}
        <button type="button" className="button" onClick={onClose}>
          {words.close}
        </button>
      </p>
      {link !== null && opened !== null && (
        <p className="actions" role="status">
          {opened.sentAt === null ? (
            <>
              <span>{texts.askSent(texts[opened.way])}</span>
              <button
                type="button"
                className="button"
                onClick={() => setOpened({ ...opened, sentAt: new Date().toISOString() })}
              >
                {texts.sentYes}
              </button>
              <button type="button" className="button" onClick={() => setOpened(null)}>
                {texts.sentNo}
              </button>
            </>
          ) : (
            texts.sent(texts[opened.way], format.time(opened.sentAt))
          )}
        </p>
      )}
      {link !== null && (
        <details className="link-more">
          <summary>{texts.more}</summary>
          {isAsked ? (
            <div className="ask" role="alertdialog" aria-label={words.linkEnd}>
              <p>{texts.askEnd}</p>
              <button
                type="button"
                className="button danger"
                disabled={end.isBusy}
                onClick={() => end.begin({ method: 'DELETE', path, label: words.linkEnd })}
              >
                {words.linkEnd}
              </button>{' '}
              <button type="button" className="button" onClick={() => setIsAsked(false)}>
                {words.dismiss}
              </button>
            </div>
          ) : (
            <button type="button" className="button danger-line" onClick={() => setIsAsked(true)}>
              {words.linkEnd} …
            </button>
          )}
        </details>
      )}
    </section>
  );
}
