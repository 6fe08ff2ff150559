import { type Score, USE_CASES } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { fleet } from '../api.ts';
import { EventName } from '../events/event_text.tsx';
import { HOUR_MS } from '../format.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { SCORE_TEXTS } from '../translations/score.ts';
import { SettingsHead } from './settings_head.tsx';

type Group = Score['groups'][number];
const KINDS = ['all', 'use', 'place', 'cadence'] as const;
/** The number of columns of both tables. */
const COLUMNS = 8;

/** How late alerts were, and how often alerts and forecasts were right. The worker computes the score every night. */
export function ScorePage() {
  const { format } = usePreferences();
  const texts = useTexts(SCORE_TEXTS);
  const { data, error, refetch } = useQuery({ queryKey: ['score'], queryFn: ({ signal }) => fleet.score({ signal }) });
  return (
    <div className="settings">
      <SettingsHead page="score" />
      <h2>{texts.title}</h2>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && (data.computed_at === null || data.since === null) && (
        <p className="notice">{texts.none}</p>
      )}
      {data !== undefined && data.computed_at !== null && data.since !== null && (
        <>
          <p className="meta">
            {texts.about(
              data.scored_tanks < data.tanks
                ? texts.sample(format.count(data.scored_tanks), format.count(data.tanks))
                : texts.allTanks(format.count(data.tanks)),
              format.dateWithYear(data.since),
              format.fullTime(data.computed_at),
            )}
          </p>
          <Forecasts groups={data.groups} />
          <Events groups={data.groups} />
        </>
      )}
    </div>
  );
}

function Forecasts({ groups }: { groups: readonly Group[] }) {
  const { format } = usePreferences();
  const texts = useTexts(SCORE_TEXTS);
  const checked = groups.filter(({ forecasts }) => forecasts.some((one) => one.asked > 0));
  const percent = (share: number | null): string => (share === null ? '–' : format.percent(share * 100));
  return (
    <section aria-labelledby="forecasts">
      <h3 id="forecasts">{texts.forecasts}</h3>
      <p className="meta">{texts.forecastsHelp}</p>
      {checked.length === 0 ? (
        <p className="notice">{texts.noForecasts}</p>
      ) : (
        <ScrollBox id="forecasts">
          <table className="score">
            <thead>
              <tr>
                <th scope="col" rowSpan={2}>
                  {texts.group}
                </th>
                <th scope="col" rowSpan={2} className="number">
                  {texts.count}
                </th>
                {checked[0]?.forecasts.map(({ days_ahead: days }) => (
                  <th key={days} scope="colgroup" colSpan={2} className="number">
                    {texts.ahead(format.count(days))}
                  </th>
                ))}
              </tr>
              <tr>
                {checked[0]?.forecasts.map(({ days_ahead: days }) => (
                  <Fragment key={days}>
                    <th scope="col" className="number">
                      {texts.error}
                    </th>
                    <th scope="col" className="number">
                      {texts.inside}
                    </th>
                  </Fragment>
                ))}
              </tr>
            </thead>
            <GroupRows groups={checked}>
              {({ tanks, forecasts }) => (
                <>
                  <td className="number">{format.count(tanks)}</td>
                  {forecasts.map(({ days_ahead: days, median_error, inside }) => (
                    <Fragment key={days}>
                      <td className="number">{percent(median_error)}</td>
                      <td className="number">{percent(inside)}</td>
                    </Fragment>
                  ))}
                </>
              )}
            </GroupRows>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function Events({ groups }: { groups: readonly Group[] }) {
  const { format } = usePreferences();
  const texts = useTexts(SCORE_TEXTS);
  const lines = groups.flatMap((group) =>
    group.events.filter(({ raised }) => raised > 0).map((event) => ({ ...group, event })),
  );
  return (
    <section aria-labelledby="alerts">
      <h3 id="alerts">{texts.events}</h3>
      <p className="meta">{texts.eventsHelp}</p>
      {lines.length === 0 ? (
        <p className="notice">{texts.noEvents}</p>
      ) : (
        <ScrollBox id="alerts">
          <Table
            className="score"
            hasBodies
            columns={[
              texts.group,
              texts.events,
              ...[texts.raised, texts.right, texts.wrong, texts.retracted, texts.unknown, texts.delay].map((text) =>
                numeric(text),
              ),
            ]}
          >
            <GroupRows groups={lines}>
              {({ event }) => (
                <>
                  <td>
                    <EventName type={event.type} />
                  </td>
                  {[event.raised, event.right, event.wrong, event.retracted, event.unknown].map((count, index) => (
                    // oxlint-disable-next-line react/no-array-index-key -- the columns never move
                    <td key={index} className="number">
                      {format.count(count)}
                    </td>
                  ))}
                  <td className="number">
                    {event.median_delay_hours === null ? '–' : format.duration(event.median_delay_hours * HOUR_MS)}
                  </td>
                </>
              )}
            </GroupRows>
          </Table>
        </ScrollBox>
      )}
    </section>
  );
}

/** A box in which a table that is wider than a phone can be scrolled, also with the keyboard. */
const ScrollBox = ({ id, children }: { id: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached with the keyboard
  <div className="score-box" role="region" aria-labelledby={id} tabIndex={0}>
    {children}
  </div>
);

interface GroupRowsProps<Line extends Pick<Group, 'by' | 'name'>> {
  groups: readonly Line[];
  children: (line: Line) => ReactNode;
}

/** One `tbody` for each kind of group, with the name of the kind above. */
function GroupRows<Line extends Pick<Group, 'by' | 'name'>>({ groups, children }: GroupRowsProps<Line>) {
  const { words } = usePreferences();
  const texts = useTexts(SCORE_TEXTS);
  const nameOf = ({ by, name }: Line): string => {
    if (by === 'all') return texts.by.all;
    const use = USE_CASES.find((one) => one === name);
    return by === 'use' && use !== undefined ? words.fleet.useCases[use] : (name ?? texts.notSet);
  };
  return KINDS.map((kind) => {
    const lines = groups.filter(({ by }) => by === kind);
    if (lines.length === 0) return null;
    return (
      <tbody key={kind}>
        {kind !== 'all' && (
          <tr>
            <th scope="rowgroup" colSpan={COLUMNS} className="meta">
              {texts.by[kind]}
            </th>
          </tr>
        )}
        {lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines of a stored result never move
          <tr key={index}>
            <th scope="row">{nameOf(line)}</th>
            {children(line)}
          </tr>
        ))}
      </tbody>
    );
  });
}
