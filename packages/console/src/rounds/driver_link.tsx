import type { DriverLink, FleetRound } from '@tankwatch/client';
import { useEffect, useRef, useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useOrganization } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy_button.tsx';
import { useFormat, useTexts } from '../preferences_and_words.tsx';
import { DRIVER_LINK_TEXTS } from '../translations/driver_link.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { messageLinks } from './link_message.ts';

/** Creates the link for the driver, shows it once, opens messages with it, and ends links. */
export function DriverLinkPanel({ round, onClose }: { round: FleetRound; onClose: () => void }) {
  const roundTexts = useTexts(ROUND_TEXTS);
  const linkTexts = useTexts(DRIVER_LINK_TEXTS);
  const format = useFormat();
  const language = useOrganization()?.language ?? '';
  const [link, setLink] = useState<DriverLink | null>(null);
  const [asksForEnd, setAsksForEnd] = useState(false);
  /** The app that was opened for the message. Only the person knows whether the message was sent. */
  const [openedApp, setOpenedApp] = useState<{ way: 'sms' | 'whatsApp' | 'mail'; sentAt: string | null } | null>(null);
  const creation = useChange<DriverLink>(setLink);
  const end = useChange(() => {
    setLink(null);
    setAsksForEnd(false);
  });
  const path = `/rounds/${encodeURIComponent(round.id)}/driver-link`;
  const urlElement = useRef<HTMLElement>(null);
  const isRequested = useRef(false);
  useEffect(() => {
    if (isRequested.current) return;
    isRequested.current = true;
    creation.begin({ method: 'POST', path, body: {}, label: roundTexts.linkTitle });
  });
  const url = link === null ? '' : new URL(link.url, window.location.origin).href;
  const messages = messageLinks(round, url, language);
  const canShare = 'share' in navigator;
  return (
    <section className="driver-link no-print" aria-label={roundTexts.linkTitle}>
      <h2>{roundTexts.linkTitle}</h2>
      <p className="meta">{roundTexts.linkHelp}</p>
      {end.state.kind === 'saved' && <p role="status">{roundTexts.linkEnded}</p>}
      <ChangeNotice change={creation} conflict={() => roundTexts.conflicts.link} />
      <ChangeNotice change={end} conflict={() => roundTexts.conflicts.link} />
      {link !== null && (
        <>
          <p>
            <code ref={urlElement}>{url}</code>
          </p>
          <p className="meta">{linkTexts.sendHelp}</p>
        </>
      )}
      <p className="actions">
        {link !== null && (
          <>
            <CopyButton
              text={url}
              shown={{ copy: roundTexts.linkCopy, copied: roundTexts.linkCopied }}
              source={() => urlElement.current}
            />
            {(['sms', 'whatsApp', 'mail'] as const).map((way) => (
              <a
                key={way}
                className="button"
                href={messages[way]}
                {...(way === 'whatsApp' && { target: '_blank', rel: 'noopener noreferrer' })}
                onClick={() => setOpenedApp({ way, sentAt: null })}
              >
                {linkTexts[way]}
              </a>
            ))}
            {canShare && (
              <Button onClick={() => void navigator.share({ url }).catch(() => undefined)}>
                {roundTexts.linkShare}
              </Button>
            )}
          </>
        )}
        <Button onClick={onClose}>{roundTexts.close}</Button>
      </p>
      {link !== null && openedApp !== null && (
        <p className="actions" role="status">
          {openedApp.sentAt === null ? (
            <>
              <span>{linkTexts.askSent(linkTexts[openedApp.way])}</span>
              <Button onClick={() => setOpenedApp({ ...openedApp, sentAt: new Date().toISOString() })}>
                {linkTexts.sentYes}
              </Button>
              <Button onClick={() => setOpenedApp(null)}>{linkTexts.sentNo}</Button>
            </>
          ) : (
            linkTexts.sent(linkTexts[openedApp.way], format.time(openedApp.sentAt))
          )}
        </p>
      )}
      {link !== null && (
        <details className="link-more">
          <summary>{linkTexts.more}</summary>
          {asksForEnd ? (
            <div className="ask" role="alertdialog" aria-label={roundTexts.linkEnd}>
              <p>{linkTexts.askEnd}</p>
              <Button
                className="danger"
                disabled={end.isBusy}
                onClick={() => end.begin({ method: 'DELETE', path, label: roundTexts.linkEnd })}
              >
                {roundTexts.linkEnd}
              </Button>{' '}
              <Button onClick={() => setAsksForEnd(false)}>{roundTexts.dismiss}</Button>
            </div>
          ) : (
            <Button className="danger-line" onClick={() => setAsksForEnd(true)}>
              {roundTexts.linkEnd} …
            </Button>
          )}
        </details>
      )}
    </section>
  );
}
