import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { NOTIFICATION_TEXTS } from '../translations/notifications.ts';
import { canPush, forgetBrowser, ownBrowserId, turnOn } from './browser_push.ts';
import '../styles/settings.css';
import '../styles/notifications.css';

interface PushBrowser {
  id: string;
  name: string;
  created_at: string;
}
type Channel = 'text' | 'push';
interface Choice {
  by_push: boolean;
  low_by: Channel[];
  other_by: Channel[];
}
interface PushState extends Choice {
  public_key: string | null;
  browsers: PushBrowser[];
}

async function readPush(): Promise<PushState> {
  const response = await fetch('/session/push', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /session/push returned ${response.status}`);
  return response.json();
}

const call = (method: 'POST' | 'DELETE', path: string): Promise<Response> => fetch(`/session/push/${path}`, { method });

/** The browsers in which a person gets notifications, and the channels. */
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
  const [result, setResult] = useState('');
  const [isBusy, setBusy] = useState(false);
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const { browsers, public_key: publicKey } = data;
  const own = browsers.find(({ id }) => id === ownBrowserId(person));
  const others = browsers.filter((browser) => browser !== own);

  /** Does the work, shows its result, and reads the stored state again. */
  const act = async (work: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setResult('');
    setResult(await work().catch(() => texts.failed));
    await refetch();
    setBusy(false);
  };
  const begin = async (): Promise<string> => {
    if (!canPush()) return texts.unsupported;
    if (publicKey === null) return texts.notReady;
    return (await turnOn(person, publicKey)) ? '' : texts.denied;
  };
  const choose = async ({ by_push, low_by, other_by }: Choice): Promise<string> => {
    const { ok } = await fetch('/session/push', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ by_push, low_by, other_by }),
    });
    return ok ? '' : texts.failed;
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
      <Panel id="this-browser" title={texts.here}>
        <p>{own === undefined ? texts.off : texts.on}</p>
        <p className="button-row">
          {own === undefined ? (
            <Button className="primary" disabled={isBusy} onClick={() => void act(begin)}>
              {texts.turnOn}
            </Button>
          ) : (
            <>
              <Button disabled={isBusy} onClick={() => void act(() => test(own.id))}>
                {texts.test}
              </Button>
              <Button disabled={isBusy} onClick={() => void act(() => remove(own.id))}>
                {texts.turnOff}
              </Button>
            </>
          )}
        </p>
        <p role="status">{result}</p>
      </Panel>
      <Channels choice={data} isBusy={isBusy} onChoose={(choice) => void act(() => choose(choice))} />
      {others.length > 0 && (
        <Panel id="other-browsers" title={texts.others}>
          <ul className="setting-list browsers">
            {others.map(({ id, name, created_at: at }) => (
              <li key={id}>
                <span>
                  <b>{name}</b> <span className="meta">{texts.since(format.recent(at, nowMs))}</span>
                </span>
                <Button
                  className="small"
                  aria-label={texts.removeOf(name)}
                  disabled={isBusy}
                  onClick={() => void act(() => remove(id))}
                >
                  {texts.remove}
                </Button>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

interface ChannelsProps {
  choice: Choice;
  isBusy: boolean;
  onChoose: (choice: Choice) => void;
}

/** The channels for each kind of event. A check box changes after the service has stored it. */
function Channels({ choice, isBusy, onChoose }: ChannelsProps) {
  const texts = useTexts(NOTIFICATION_TEXTS);
  const box = (label: string, isChecked: boolean, onChange: (isChecked: boolean) => void) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={isChecked}
      disabled={isBusy}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
  const quick = (field: 'low_by' | 'other_by', channel: Channel) =>
    box(`${texts.severities[field]}: ${texts.channels[channel]}`, choice[field].includes(channel), (isChecked) => {
      const others = choice[field].filter((one) => one !== channel);
      onChoose({ ...choice, [field]: isChecked ? [...others, channel] : others });
    });
  return (
    <Panel id="channels" title={texts.what}>
      <Table className="channels" columns={[null, texts.channels.text, texts.channels.push]}>
        <tr>
          <th scope="row">{texts.severities.loss}</th>
          <td className="meta">{texts.inSteps}</td>
          <td>
            {box(`${texts.severities.loss}: ${texts.channels.push}`, choice.by_push, (byPush) =>
              onChoose({ ...choice, by_push: byPush }),
            )}
          </td>
        </tr>
        {(['low_by', 'other_by'] as const).map((field) => (
          <tr key={field}>
            <th scope="row">{texts.severities[field]}</th>
            <td>{quick(field, 'text')}</td>
            <td>{quick(field, 'push')}</td>
          </tr>
        ))}
      </Table>
      <p className="meta">{texts.whatHelp}</p>
    </Panel>
  );
}
