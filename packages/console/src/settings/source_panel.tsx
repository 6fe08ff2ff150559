import type { Connector } from '@tankwatch/client';
import { useState } from 'react';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { RemovalForm } from '../forms/removal.tsx';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/marks.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { errorSentence, SOURCE_TEXTS } from '../translations/sources.ts';
import { SourceChange } from './source_change.tsx';
import { hasDevices, isWeather, type ReadSources } from './source_list.ts';
import { valuesOf } from './source_values.ts';

interface SourcePanelProps {
  source: Connector;
  readAgain: ReadSources;
}

/** A source: whether it works, what failed, and buttons to test, pause, change and remove it. */
export function SourcePanel({ source, readAgain }: SourcePanelProps) {
  const { format } = usePreferences();
  const texts = useTexts(SOURCE_TEXTS);
  const { id, name, state, etag, tanks, devices } = source;
  const [opened, setOpened] = useState<'change' | 'removal' | null>(null);
  /** The time of the test before the one that was started here, empty if there was none. Null if none was started. */
  const [previousTestAt, setPreviousTestAt] = useState<string | null>(null);
  const onSaved = (): void => void readAgain();
  const trial = useChange(onSaved);
  const pause = useChange(onSaved);
  const removal = useChange(onSaved);
  const path = `/connectors/${id}`;
  const isPaused = state === 'paused';
  const isSameTest = previousTestAt !== null && (source.last_try?.at ?? '') === previousTestAt;
  const isWaiting = isSameTest && trial.state.kind !== 'refused';
  const tryNow = (): void => {
    setPreviousTestAt(source.last_try?.at ?? '');
    trial.begin({ method: 'POST', path: `${path}/try`, body: {}, label: texts.tryOf(name) });
  };
  const setPaused = (paused: boolean): void =>
    pause.begin({ method: 'PATCH', path, body: { paused }, ifMatch: etag, label: name });
  return (
    <section
      className={`panel source ${state === 'down' || state === 'refused' ? 'failing' : ''}`}
      aria-labelledby={`source-${id}`}
    >
      <div className="section-head">
        <h2 id={`source-${id}`}>
          {name}{' '}
          <span className="meta">
            {(isWeather(source.kind) ? texts.weatherCounts : texts.counts)(
              format.count(tanks),
              tanks,
              format.count(devices),
              devices,
            )}
          </span>
        </h2>
        <SourceState source={source} />
      </div>
      {(state === 'down' || state === 'refused') && hasDevices(source.kind) && (
        <p className="notice">
          <strong>{texts.wait(format.count(tanks), tanks)}</strong>{' '}
          {state === 'down' ? texts.oneMail : texts.waitsForYou}
        </p>
      )}
      <SourceFacts source={source} />
      {hasDevices(source.kind) && <SourceHours hours={source.hours} />}
      <p className="button-row">
        <Button aria-label={texts.tryOf(name)} disabled={trial.isBusy || isWaiting} onClick={tryNow}>
          {texts.try}
        </Button>
        <Button
          className={isPaused && source.last_try?.works === true ? 'primary' : ''}
          aria-label={isPaused ? texts.startOf(name) : texts.pauseOf(name)}
          disabled={pause.isBusy}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? texts.start : texts.pause}
        </Button>
        <Button
          className={state === 'refused' ? 'primary' : ''}
          aria-label={texts.changeOf(name)}
          aria-expanded={opened === 'change'}
          onClick={() => setOpened('change')}
        >
          {state === 'refused' ? texts.enterKey : texts.change}
        </Button>
        <Button
          aria-label={texts.removeOf(name)}
          aria-expanded={opened === 'removal'}
          onClick={() => setOpened('removal')}
        >
          {texts.remove}
        </Button>
      </p>
      <p className="undo" role="status">
        {isWaiting && texts.trying}
        {!isWaiting && isTryNew(source) && <LastTry source={source} />}
      </p>
      <ChangeNotice change={trial} />
      <ChangeNotice change={pause} changed={texts.changed} />
      {opened === 'change' && <SourceChange source={source} onClose={() => setOpened(null)} onSaved={onSaved} />}
      {opened === 'removal' && (
        <RemovalForm
          name={name}
          consequence={
            hasDevices(source.kind)
              ? texts.readingsStay
              : isWeather(source.kind)
                ? texts.weatherStays
                : texts.publishedGoes
          }
          change={removal}
          conflict=""
          onConfirm={() => removal.begin({ method: 'DELETE', path, label: name })}
          onCancel={() => setOpened(null)}
        />
      )}
    </section>
  );
}

/** Whether the last test is newer than the last success. A later success makes the test uninteresting. */
const isTryNew = ({ last_try: trial, last_success_at: successAt }: Connector): boolean =>
  trial !== null && (successAt === null || trial.at > successAt);

function SourceState({ source }: { source: Connector }) {
  const { format } = usePreferences();
  const { states } = useTexts(SOURCE_TEXTS);
  const { state, down_since: downSince, paused_at: pausedAt, last_success_at: successAt } = source;
  const since = (at: string | null): string => (at === null ? '' : format.dateTime(at));
  if (state === 'works') return <span>{states.works(since(successAt))}</span>;
  if (state === 'starting') return <span>{states.starting}</span>;
  if (state === 'paused') return <span>{states.paused(since(pausedAt))}</span>;
  return (
    <strong>
      <Icon name="warning" /> {state === 'failing' ? states.failing : states[state](since(downSince))}
    </strong>
  );
}

function SourceFacts({ source }: { source: Connector }) {
  const { format, language } = usePreferences();
  const texts = useTexts(SOURCE_TEXTS);
  const { kind, state, last_success_at: successAt, last_error: error, next_attempt_at: nextAt } = source;
  const { url, topics } = valuesOf(source);
  const next = nextAt === null || state === 'works' ? '' : texts.nextTry(format.dateTime(nextAt));
  return (
    <Facts
      className="source-facts"
      facts={[
        [texts.kind, texts.kinds[kind]],
        url !== '' && [texts.address, url],
        topics !== '' && [texts.topics, topics.replaceAll(/ .*$/gm, '').replaceAll('\n', ', ')],
        [texts.lastSuccess, successAt === null ? texts.never : format.dateTime(successAt)],
        error !== null && [texts.lastAnswer, `${errorSentence(error, language)} ${next}`],
        source.backfill_from !== null && [texts.past, texts.backfill(format.dateTime(source.backfill_from))],
        [texts.key, source.has_secret ? texts.keyStored : texts.none],
      ]}
    />
  );
}

/** A bar for each hour of the last day. */
function SourceHours({ hours }: Pick<Connector, 'hours'>) {
  const { format } = usePreferences();
  const texts = useTexts(SOURCE_TEXTS).hours;
  const stateOf = ({ successes, failures }: Connector['hours'][number]): 'worked' | 'failed' | 'waited' =>
    successes > 0 ? 'worked' : failures > 0 ? 'failed' : 'waited';
  const count = (state: string): number => hours.filter((hour) => stateOf(hour) === state).length;
  const readings = hours.reduce((sum, hour) => sum + hour.readings, 0);
  const [first] = hours;
  return (
    <figure className="source-hours">
      <div className="bars" aria-hidden="true">
        {hours.map((hour) => (
          <span
            key={hour.at}
            className={`bar ${stateOf(hour)}`}
            title={`${format.dateTime(hour.at)}: ${texts.states[stateOf(hour)]}, ${texts.readings(format.count(hour.readings), hour.readings)}`}
          />
        ))}
      </div>
      <div className="bar-ends meta" aria-hidden="true">
        <span>{first !== undefined && format.dateTime(first.at)}</span>
        <span>{texts.now}</span>
      </div>
      <figcaption className="meta">
        {texts.summary(
          format.count(count('worked')),
          format.count(count('failed')),
          texts.readings(format.count(readings), readings),
        )}
      </figcaption>
    </figure>
  );
}

function LastTry({ source: { last_try: trial, state, kind } }: { source: Connector }) {
  const { format, language } = usePreferences();
  const texts = useTexts(SOURCE_TEXTS);
  if (trial === null) return null;
  const at = format.dateTime(trial.at);
  if (!trial.works) return texts.tryFailed(at, errorSentence(trial.error ?? '', language));
  const { devices, devices_on_tanks: onTanks, readings } = trial;
  if (kind === 'home_assistant') return <b>{texts.tryPublish(at, format.count(devices), devices)}</b>;
  if (isWeather(kind))
    return (
      <>
        <b>{texts.tryWeather(at, format.count(readings), readings)}</b> {devices === 0 && texts.noPlace}{' '}
        {state === 'paused' && texts.nothingStored}
      </>
    );
  return (
    <>
      <b>{texts.tryWorked(at, format.count(devices), devices)}</b>{' '}
      {kind === 'mqtt' && devices === 0
        ? texts.noMessage
        : texts.onTanks(format.count(onTanks), format.count(devices - onTanks))}{' '}
      {state === 'paused' && texts.nothingStored}
    </>
  );
}
