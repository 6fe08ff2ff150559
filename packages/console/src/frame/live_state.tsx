import { useNow } from '../clock.ts';
import { liveStream } from '../live/live_stream.ts';
import { useConnection } from '../live/use_live.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/marks.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';

/** Shows whether the page is current, and the time of the newest reading. */
export function LiveState() {
  const { connection: texts } = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const { state, answeredMs, newestReadingAt } = useConnection();
  const { data } = useSummary();
  if (state === 'old') {
    return (
      <span className="live-state stopped">
        <span className="dot" aria-hidden="true" />
        {texts.oldSince(format.recent(answeredMs, nowMs))}
      </span>
    );
  }
  const newest = [newestReadingAt, data?.newest_reading_at ?? null]
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);
  return (
    <span className={`live-state ${state}`}>
      <span className="dot" aria-hidden="true" />
      <span className="live-text">{state === 'live' ? texts.live : texts.updated} ·</span>{' '}
      {newest === undefined ? texts.noData : texts.dataOf(format.recent(newest, nowMs))}
    </span>
  );
}

/** Shown while the service does not answer: since when, and how old the page is. */
export function OldBanner() {
  const { connection: texts } = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const { state, answeredMs } = useConnection();
  const ageMs = nowMs - answeredMs;
  return (
    <div role="alert">
      {state === 'old' && (
        <div className="banner old-banner">
          <Icon name="warning" />
          <p>
            <b>
              {texts.oldBanner(format.recent(answeredMs, nowMs))}{' '}
              {ageMs >= 60_000 && texts.oldAge(format.longDuration(ageMs))}
            </b>{' '}
            {texts.oldMeaning}
          </p>
          <Button className="small" onClick={liveStream.tryNow}>
            {texts.tryNow}
          </Button>
        </div>
      )}
    </div>
  );
}
