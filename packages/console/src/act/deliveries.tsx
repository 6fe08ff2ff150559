import { type FormEvent, useState } from 'react';
import { HOUR_MS } from '../format.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { fieldOf } from './change.ts';
import { ChangeNotice } from './change_notice.tsx';
import { useChange } from './use_change.ts';
import { type Delivery, hostOf, useDeliveries, type Webhook } from './webhook_list.ts';

/** The latest deliveries of a webhook. Each can be sent again with the same id, or all since a time. */
export function Deliveries({ webhook: { id, url, isEnabled } }: { webhook: Webhook }) {
  const { language, words, format } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
  const events: Readonly<Record<string, string>> = words.events;
  const { data, error, refetch } = useDeliveries(id);
  const replay = useChange(() => void refetch());
  const send = (body: { since: string } | { event_ids: readonly string[] }): void =>
    replay.begin({ method: 'POST', path: `/webhooks/${id}/replay`, body, label: texts.replayLabel(hostOf(url)) });
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <>
      {data.length === 0 && <p className="notice">{texts.noDeliveries}</p>}
      {data.length > 0 && (
        <table className="event-table deliveries">
          <thead>
            <tr>
              <th scope="col">{texts.when}</th>
              <th scope="col">{texts.event}</th>
              <th scope="col">{texts.answer}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {data.map((delivery) => (
              <tr key={delivery.eventId}>
                <td className="when">{format.fullTime(delivery.occurredAt)}</td>
                <td>{events[delivery.type] ?? delivery.type}</td>
                <td>
                  <AnswerText delivery={delivery} />
                </td>
                <td>
                  {isEnabled && delivery.status !== 'pending' && (
                    <button
                      type="button"
                      className="button small"
                      disabled={replay.isBusy}
                      aria-label={texts.sendAgainOf(
                        events[delivery.type] ?? delivery.type,
                        format.fullTime(delivery.occurredAt),
                      )}
                      onClick={() => send({ event_ids: [delivery.eventId] })}
                    >
                      {texts.sendAgain}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isEnabled && <ReplaySince isBusy={replay.isBusy} onSend={(since) => send({ since })} />}
      <p className="undo" role="status">
        {replay.state.kind === 'saved' && texts.replayed(Number(fieldOf(replay.state.body, 'events') ?? 0))}
      </p>
      <ChangeNotice change={replay} conflict={() => texts.off} />
    </>
  );
}

const HOURS = [1, 6, 24, 72, 168] as const;

/** After an outage of the program: everything since then. */
function ReplaySince({ isBusy, onSend }: { isBusy: boolean; onSend: (since: string) => void }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
  const [hours, setHours] = useState(24);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSend(new Date(Date.now() - hours * HOUR_MS).toISOString());
  };
  return (
    <form className="act-form replay" onSubmit={submit}>
      <label>
        {texts.allOf}{' '}
        <select value={hours} disabled={isBusy} onChange={({ target }) => setHours(Number(target.value))}>
          {HOURS.map((one) => (
            <option key={one} value={one}>
              {format.longDuration(one * HOUR_MS)}
            </option>
          ))}
        </select>
      </label>{' '}
      <button type="submit" className="button" disabled={isBusy}>
        {isBusy ? ACT_WORDS[language].saving : texts.sendAgain}
      </button>
    </form>
  );
}

function AnswerText({ delivery: { status, lastAttempt, nextAttemptAt } }: { delivery: Delivery }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].webhooks;
  const took = lastAttempt === null ? '' : texts.ms(format.count(Math.round(lastAttempt.durationMs)));
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
