import type { Webhook, WebhookWithSecret } from '@tankwatch/client';
import { useState } from 'react';
import { ChangedNotice, ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { SETTINGS_TEXTS } from '../translations/settings.ts';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';
import { Deliveries } from './webhook_deliveries.tsx';
import { hostOf, type ReadWebhooks } from './webhook_list.ts';
import type { NewSecret } from './webhook_secret.tsx';
import { useTypeText } from './webhook_types.tsx';

interface WebhookPanelProps {
  webhook: Webhook;
  readAgain: ReadWebhooks;
  onSecret: (secret: NewSecret) => void;
}

/** A webhook: whether it works, and buttons to test and change it. */
export function WebhookPanel({ webhook, readAgain, onSecret }: WebhookPanelProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(WEBHOOK_TEXTS);
  const textOf = useTypeText();
  const { id, url, types, enabled: isEnabled, etag } = webhook;
  const host = hostOf(url);
  const path = `/webhooks/${id}`;
  /** The time of the test before the one that was started here, empty if there was none. Null if none was started. */
  const [previousTestAt, setPreviousTestAt] = useState<string | null>(null);
  const [showsDeliveries, setShowsDeliveries] = useState(false);
  const test = useChange(() => void readAgain());
  const rotation = useChange<WebhookWithSecret>((body) => {
    onSecret({ host, text: body.secret ?? '', previousUntil: body.previous_secret_until });
    void readAgain();
  });
  const change = useChange(
    () => void readAgain(),
    ({ status }) => status === 412 && void readAgain(),
  );
  const isChanged = change.state.kind === 'refused' && change.state.status === 412;
  const setEnabled = (enabled: boolean, ifMatch: string): void =>
    change.begin({ method: 'PATCH', path, body: { enabled }, ifMatch, label: texts.label(host) });
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.find((one) => one.id === id);
    if (newest !== undefined) setEnabled(!isEnabled, newest.etag);
  };
  const sendTest = (): void => {
    setPreviousTestAt(webhook.last_test?.at ?? '');
    test.begin({ method: 'POST', path: `${path}/test`, body: {}, label: texts.testLabel(host) });
  };
  const isSameTest = previousTestAt !== null && (webhook.last_test?.at ?? '') === previousTestAt;
  const isWaiting = isSameTest && test.state.kind === 'saved';
  return (
    <section className={`panel webhook ${isFailing(webhook) ? 'failing' : ''}`} aria-labelledby={`webhook-${id}`}>
      <div className="section-head">
        <h2 id={`webhook-${id}`}>{host}</h2>
        <WebhookState webhook={webhook} />
      </div>
      <Facts
        className="setting-facts"
        facts={[
          [texts.url, url],
          [texts.types, types.length === 0 ? texts.allTypes : types.map(textOf).join(', ')],
        ]}
      />
      <p className="button-row">
        {isEnabled && (
          <Button aria-label={texts.testOf(host)} disabled={test.isBusy || isWaiting} onClick={sendTest}>
            {texts.test}
          </Button>
        )}
        <Button
          aria-label={texts.rotateOf(host)}
          disabled={rotation.isBusy}
          onClick={() =>
            rotation.begin({ method: 'POST', path: `${path}/rotate_secret`, body: {}, label: texts.rotateLabel(host) })
          }
        >
          {texts.rotate}
        </Button>
        <Button
          aria-label={isEnabled ? texts.turnOffOf(host) : texts.turnOnOf(host)}
          disabled={change.isBusy}
          onClick={() => setEnabled(!isEnabled, etag)}
        >
          {isEnabled ? texts.turnOff : texts.turnOn}
        </Button>
        <Button
          aria-label={texts.deliveriesOf(host)}
          aria-expanded={showsDeliveries}
          onClick={() => setShowsDeliveries(!showsDeliveries)}
        >
          {texts.deliveries}
        </Button>
      </p>
      {change.state.kind === 'saved' && (
        <p className="undo" role="status">
          {isEnabled ? texts.isOn : texts.isOff}{' '}
          <Button className="small" onClick={() => setEnabled(!isEnabled, etag)}>
            {changeTexts.undo}
          </Button>
        </p>
      )}
      <p className="undo" role="status">
        {isWaiting && texts.testing}
        {!isWaiting && webhook.last_test !== null && <LastTest webhook={webhook} />}
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
      {showsDeliveries && <Deliveries webhook={webhook} />}
    </section>
  );
}

const isFailing = ({ disabled_at: disabledAt, failing_since: failingSince }: Webhook): boolean =>
  disabledAt !== null || failingSince !== null;

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_at: disabledAt, failing_since: failingSince } = webhook;
  const { format } = usePreferences();
  const texts = useTexts(SETTINGS_TEXTS);
  if (disabledAt !== null) {
    const reason = texts.because[webhook.disabled_because ?? 'operator'];
    return <strong>{texts.disabled(format.dateTime(disabledAt), reason)}</strong>;
  }
  if (failingSince === null) return <span>{texts.live}</span>;
  return (
    <strong>
      <Icon name="warning" /> {texts.failing(format.dateTime(failingSince))}
    </strong>
  );
}

function LastTest({ webhook: { last_test: lastTest } }: { webhook: Webhook }) {
  const { format } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  if (lastTest === null) return null;
  const { status, duration_ms: durationMs, at } = lastTest;
  const took = texts.ms(format.count(Math.round(durationMs)));
  if (status === null) return texts.testFailed(format.dateTime(at));
  return (status < 300 ? texts.testAccepted : texts.testRefused)(String(status), took, format.dateTime(at));
}
