import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { NOTIFICATION_TEXTS } from '../translations/notifications.ts';
import { canPush, forgetBrowser, ownBrowserId, turnOn } from './browser_push.ts';
import '../styles/settings.css';

interface PushBrowser {
  id: string;
  name: string;
  created_at: string;
}
interface PushState {
  public_key: string | null;
  browsers: PushBrowser[];
}

async function readPush(): Promise<PushState> {
  const response = await fetch('/session/push', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /session/push returned ${response.status}`);
  return response.json();
}

const call = (method: 'POST' | 'DELETE', path: string): Promise<Response> => fetch(`/session/push/${path}`, { method });

/** In which browsers a person gets notifications. */
export function NotificationsPage({ session: { person } }: { session: Session }) {
  const texts = useTexts(NOTIFICATION_TEXTS);
  useTitle(texts.title);
  return (
    <div className="settings">
      <h1>{texts.title}</h1>
      <p className="meta">{texts.intro}</p>
      {person === null ? <p className="notice">{texts.personOnly}</p> : <Browsers person={person.id} />}
    </div>
  );
}

function Browsers({ person }: { person: string }) {
  const texts = useTexts(NOTIFICATION_TEXTS);
  const { format } = usePreferences();
  const nowMs = useNow();
  const { data, error, refetch } = useQuery({ queryKey: ['push'], queryFn: readPush });
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const { browsers, public_key: publicKey } = data;
  const own = browsers.find(({ id }) => id === ownBrowserId(person));
  const others = browsers.filter((browser) => browser !== own);

  /** Says what happened, and reads what is stored then. */
  const act = async (work: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setSaid('');
    setSaid(await work().catch(() => texts.failed));
    await refetch();
    setBusy(false);
  };
  const begin = async (): Promise<string> => {
    if (!canPush()) return texts.unsupported;
    if (publicKey === null) return texts.notReady;
    return (await turnOn(person, publicKey)) ? '' : texts.denied;
  };
  const remove = async (id: string): Promise<string> => {
    if (id === own?.id) await forgetBrowser();
    return (await call('DELETE', id)).ok ? '' : texts.failed;
  };
  const test = async (id: string): Promise<string> => {
    const { ok, status } = await call('POST', `${id}/test`);
    return ok ? texts.tested : status === 409 ? texts.tooMany : texts.failed;
  };
  return (
    <>
      <section className="panel" aria-labelledby="this-browser">
        <h2 id="this-browser">{texts.here}</h2>
        <p>{own === undefined ? texts.off : texts.on}</p>
        <p className="button-row">
          {own === undefined ? (
            <button type="button" className="button primary" disabled={isBusy} onClick={() => void act(begin)}>
              {texts.turnOn}
            </button>
          ) : (
            <>
              <button type="button" className="button" disabled={isBusy} onClick={() => void act(() => test(own.id))}>
                {texts.test}
              </button>
              <button type="button" className="button" disabled={isBusy} onClick={() => void act(() => remove(own.id))}>
                {texts.turnOff}
              </button>
            </>
          )}
        </p>
        <p role="status">{said}</p>
      </section>
      {others.length > 0 && (
        <section className="panel" aria-labelledby="other-browsers">
          <h2 id="other-browsers">{texts.others}</h2>
          <ul className="setting-list">
            {others.map(({ id, name, created_at: at }) => (
              <li key={id}>
                <span>
                  <b>{name}</b> <span className="meta">{texts.since(format.recent(at, nowMs))}</span>
                </span>
                <button
                  type="button"
                  className="button small"
                  aria-label={texts.removeOf(name)}
                  disabled={isBusy}
                  onClick={() => void act(() => remove(id))}
                >
                  {texts.remove}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
