import { useEffect, useState } from 'react';
import { Icon } from '../parts/marks.tsx';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { SETTINGS_WORDS } from '../words/settings_words.ts';
import { textOf } from './change.ts';
import { ChangedNotice, ChangeNotice } from './change_notice.tsx';
import { Deliveries } from './deliveries.tsx';
import type { NewSecret } from './secret_once.tsx';
import { useChange } from './use_change.ts';
import { hostOf, type ReadWebhooks, type Webhook } from './webhook_list.ts';

interface WebhookPanelProps {
  webhook: Webhook;
  readAgain: ReadWebhooks;
  onSecret: (secret: NewSecret) => void;
}

/** A webhook: whether it works, and what can be done about it. */
export function WebhookPanel({ webhook, readAgain, onSecret }: WebhookPanelProps) {
  const { language, words } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = MANAGE_WORDS[language].webhooks;
  const { id, url, types, isEnabled, etag } = webhook;
  const host = hostOf(url);
  const path = `/webhooks/${id}`;
  /** When the test was asked for. Null: it was not, or its answer is shown. */
  const [testedAt, setTestedAt] = useState<string | null>(null);
  const [areShown, setShown] = useState(false);
  const test = useChange(() => void readAgain());
  const rotation = useChange((body) => {
    onSecret({ host, text: textOf(body, 'secret') ?? '', previousUntil: textOf(body, 'previous_secret_until') });
    void readAgain();
  });
  const change = useChange(() => void readAgain());
  const isChanged = change.state.kind === 'refused' && change.state.status === 412;
  useEffect(() => {
    if (isChanged) void readAgain();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each refusal
  }, [isChanged]);
  const setEnabled = (enabled: boolean, ifMatch: string): void =>
    change.begin({ method: 'PATCH', path, body: { enabled }, ifMatch, label: texts.label(host) });
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.find((one) => one.id === id);
    if (newest !== undefined) setEnabled(!isEnabled, newest.etag);
  };
  const sendTest = (): void => {
    setTestedAt(webhook.lastTest?.at ?? '');
    test.begin({ method: 'POST', path: `${path}/test`, body: {}, label: texts.testLabel(host) });
  };
  const isWaiting = testedAt !== null && (webhook.lastTest?.at ?? '') === testedAt && test.state.kind === 'saved';
  return (
    <section className={`panel webhook ${isFailing(webhook) ? 'failing' : ''}`} aria-labelledby={`webhook-${id}`}>
      <div className="section-head">
        <h2 id={`webhook-${id}`}>{host}</h2>
        <WebhookState webhook={webhook} />
      </div>
      <dl className="setting-facts">
        <div>
          <dt>{texts.url}</dt>
          <dd>{url}</dd>
        </div>
        <div>
          <dt>{texts.types}</dt>
          <dd>{types.length === 0 ? texts.allTypes : types.map((type) => words.events[type]).join(', ')}</dd>
        </div>
      </dl>
      <p className="button-row">
        {isEnabled && (
          <button
            type="button"
            className="button"
            aria-label={texts.testOf(host)}
            disabled={test.isBusy || isWaiting}
            onClick={sendTest}
          >
            {texts.test}
          </button>
        )}
        <button
          type="button"
          className="button"
          aria-label={texts.rotateOf(host)}
          disabled={rotation.isBusy}
          onClick={() =>
            rotation.begin({ method: 'POST', path: `${path}/rotate_secret`, body: {}, label: texts.rotateLabel(host) })
          }
        >
          {texts.rotate}
        </button>
        <button
          type="button"
          className="button"
          aria-label={isEnabled ? texts.turnOffOf(host) : texts.turnOnOf(host)}
          disabled={change.isBusy}
          onClick={() => setEnabled(!isEnabled, etag)}
        >
          {isEnabled ? texts.turnOff : texts.turnOn}
        </button>
        <button
          type="button"
          className="button"
          aria-label={texts.deliveriesOf(host)}
          aria-expanded={areShown}
          onClick={() => setShown(!areShown)}
        >
          {texts.deliveries}
        </button>
      </p>
      {change.state.kind === 'saved' && (
        <p className="undo" role="status">
          {isEnabled ? texts.isOn : texts.isOff}{' '}
          <button type="button" className="button small" onClick={() => setEnabled(!isEnabled, etag)}>
            {all.undo}
          </button>
        </p>
      )}
      <p className="undo" role="status">
        {isWaiting && texts.testing}
        {!isWaiting && webhook.lastTest !== null && <LastTest webhook={webhook} />}
      </p>
      <ChangeNotice change={test} conflict={() => texts.off} />
      <ChangeNotice change={rotation} />
      <ChangeNotice change={change} conflict={() => texts.tooMany} />
      {isChanged && (
        <ChangedNotice
          objectId={id}
          at={null}
          theirs={isEnabled ? texts.isOn : texts.isOff}
          onMine={() => void keepMine()}
          onTheirs={change.reset}
        />
      )}
      {areShown && <Deliveries webhook={webhook} />}
    </section>
  );
}

const isFailing = ({ disabledAt, failingSince }: Webhook): boolean => disabledAt !== null || failingSince !== null;

function WebhookState({ webhook: { disabledAt, disabledBecause, failingSince } }: { webhook: Webhook }) {
  const { language, format } = usePreferences();
  const texts = SETTINGS_WORDS[language];
  const because: Readonly<Record<string, string>> = texts.because;
  if (disabledAt !== null) {
    const reason = because[disabledBecause ?? ''] ?? texts.because.operator;
    return <strong>{texts.disabled(format.dateTime(disabledAt), reason)}</strong>;
  }
  if (failingSince === null) return <span>{texts.live}</span>;
  return (
    <strong>
      <Icon name="warning" /> {texts.failing(format.dateTime(failingSince))}
    </strong>
  );
}

function LastTest({ webhook: { lastTest } }: { webhook: Webhook }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
  if (lastTest === null) return null;
  const { status, durationMs, at } = lastTest;
  const took = texts.ms(format.count(Math.round(durationMs)));
  if (status === null) return texts.testFailed(format.dateTime(at));
  return (status < 300 ? texts.testAccepted : texts.testRefused)(String(status), took, format.dateTime(at));
}
