import type { NewReplay, Replay, Webhook, WebhookDelivery } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { HOUR_MS } from '../format.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { WEBHOOK_TEXTS } from '../translations/webhooks.ts';
import { hostOf, useDeliveries } from './webhook_list.ts';

/** The latest deliveries of a webhook. A person can send one of them, or all since a time, again with the same ids. */
export function Deliveries({ webhook: { id, url, enabled: isEnabled } }: { webhook: Webhook }) {
  const { words, format } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  const events: Readonly<Record<string, string>> = { ...words.events, ...texts.changes };
  const { data, error, refetch } = useDeliveries(id);
  const replay = useChange<Replay>(() => void refetch());
  const send = (body: NewReplay): void =>
    replay.begin({ method: 'POST', path: `/webhooks/${id}/replay`, body, label: texts.replayLabel(hostOf(url)) });
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <>
      {data.length === 0 && <p className="notice">{texts.noDeliveries}</p>}
      {data.length > 0 && (
        <Table className="stacked event-table deliveries" columns={[texts.when, texts.event, texts.answer, null]}>
          {data.map((delivery) => (
            <tr key={delivery.event_id}>
              <td className="when">{format.fullTime(delivery.occurred_at)}</td>
              <td>{events[delivery.type] ?? delivery.type}</td>
              <td>
                <AnswerText delivery={delivery} />
              </td>
              <td>
                {isEnabled && delivery.status !== 'pending' && (
                  <Button
                    className="small"
                    disabled={replay.isBusy}
                    aria-label={texts.sendAgainOf(
                      events[delivery.type] ?? delivery.type,
                      format.fullTime(delivery.occurred_at),
                    )}
                    onClick={() => send({ event_ids: [delivery.event_id] })}
                  >
                    {texts.sendAgain}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {isEnabled && <ReplaySince isBusy={replay.isBusy} onSend={(since) => send({ since })} />}
      <p className="undo" role="status">
        {replay.state.kind === 'saved' && texts.replayed(replay.state.body.events)}
      </p>
      <ChangeNotice change={replay} conflict={() => texts.off} />
    </>
  );
}

const HOURS = [1, 6, 24, 72, 168] as const;

/** Sends all events since a time again, such as after an outage of the receiver. */
function ReplaySince({ isBusy, onSend }: { isBusy: boolean; onSend: (since: string) => void }) {
  const { format } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  const { saving } = useTexts(CHANGE_TEXTS);
  const [hours, setHours] = useState(24);
  const submit = (): void => {
    onSend(new Date(Date.now() - hours * HOUR_MS).toISOString());
  };
  return (
    <ChangeForm className="act-form replay" onSubmit={submit}>
      <label>
        {texts.allOf}{' '}
        <Select
          value={hours}
          disabled={isBusy}
          options={HOURS.map((one) => [one, format.longDuration(one * HOUR_MS)])}
          onChange={setHours}
        />
      </label>{' '}
      <Button type="submit" disabled={isBusy}>
        {isBusy ? saving : texts.sendAgain}
      </Button>
    </ChangeForm>
  );
}

function AnswerText({ delivery }: { delivery: WebhookDelivery }) {
  const { status, last_attempt: lastAttempt, next_attempt_at: nextAttemptAt } = delivery;
  const { format } = usePreferences();
  const texts = useTexts(WEBHOOK_TEXTS);
  const took = lastAttempt === null ? '' : texts.ms(format.count(Math.round(lastAttempt.duration_ms)));
  const answer =
    lastAttempt === null
      ? texts.notTried
      : lastAttempt.status === null
        ? texts.noAnswer(took)
        : texts.answered(String(lastAttempt.status), took);
  if (status === 'canceled') return texts.canceled;
  if (status === 'delivered') return answer;
  const next = status === 'pending' && lastAttempt !== null && nextAttemptAt !== null;
  return (
    <>
      <strong>{answer}</strong>
      {next && <span className="meta"> {texts.nextTry(format.dateTime(nextAttemptAt))}</span>}
    </>
  );
}
