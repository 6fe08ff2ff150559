import type { LedgerTotals } from '@tankwatch/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { fleet } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNotice } from '../parts/problem.tsx';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';
import { useUrlState } from '../url_state.ts';

type Total = LedgerTotals['totals'][number];
type By = 'truck' | 'driver';

export const totalsQuery = (by: By, month: string) =>
  queryOptions({
    queryKey: ['ledger', 'totals', by, month],
    queryFn: ({ signal }) => fleet.ledgerTotals({ by, month }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** Compares each truck or driver with the others, over the year that ends with the month. */
export function LedgerTrucks({ month }: { month: string }) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  const { given, change } = useUrlState();
  const by: By = given.get('by') === 'driver' ? 'driver' : 'truck';
  const { data, error, refetch } = useQuery(totalsQuery(by, month));
  if (error !== null) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.totals.length === 0) return null;
  const monthName = (value: string): string => format.monthWithYear(`${value}-15T12:00:00`);
  return (
    <section className="part" aria-labelledby="by-truck">
      <div className="section-head">
        <h2 id="by-truck">{by === 'truck' ? texts.byTruck : texts.byDriver}</h2>
        <span className="meta">
          {texts.byHelp(monthName(data.from), monthName(data.to))}
          {data.common_offset === null && data.totals.some(hasRange) && `; ${texts.greyField}`}
        </span>
        <span className="actions">
          {(['truck', 'driver'] as const).map((one) => (
            <Button
              key={one}
              aria-pressed={by === one}
              onClick={() => change({ by: one === 'truck' ? undefined : one }, { replace: true })}
            >
              {one === 'truck' ? texts.truck : texts.driver}
            </Button>
          ))}
        </span>
      </div>
      <Table
        className="by-truck stacked thirds"
        columns={[
          by === 'truck' ? texts.truck : texts.driver,
          numeric(texts.deliveries),
          numeric(texts.byNotes),
          numeric(texts.byGauges),
          numeric(texts.difference),
          null,
          texts.result,
        ]}
      >
        {data.totals.map((total) => (
          <TotalRow key={total.id ?? ''} total={total} by={by} totals={data} />
        ))}
      </Table>
    </section>
  );
}

const hasRange = ({ compared }: Total): boolean =>
  compared !== null && compared.excess !== null && compared.from !== null && compared.to !== null;

function TotalRow({ total, by, totals }: { total: Total; by: By; totals: LedgerTotals }) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  const { compared } = total;
  const shown = totals.common_offset === null && compared !== null && hasRange(total);
  return (
    <tr>
      <th scope="row">
        <b>{total.name ?? texts.unnamed}</b>
      </th>
      <NumberCell label={texts.deliveries}>{format.count(total.deliveries)}</NumberCell>
      <NumberCell label={texts.byNotes}>{format.volume(total.compared_volume, total.unit)}</NumberCell>
      <td className="number" data-label={texts.byGauges} title={texts.byGaugesHelp}>
        {format.volume(total.gauge_volume, total.unit)}
      </td>
      <NumberCell label={texts.difference}>
        {shown && (
          <>
            <b>{signed(-(compared.excess ?? 0), format.exactPercent)}</b>
            <div className="meta">
              {texts.range(
                signed(-(compared.to ?? 0), format.exactPercent),
                signed(-(compared.from ?? 0), format.exactPercent),
              )}
            </div>
          </>
        )}
      </NumberCell>
      <td className="full">{shown && <Whisker compared={compared} />}</td>
      <td className="full">{comparisonText(total, by, totals, texts, format)}</td>
    </tr>
  );
}

/** The sentence about a truck or driver: what the range shows, or what data is missing. */
function comparisonText(
  { name, compared }: Total,
  by: By,
  { tanks, tanks_needed, against_others, differ, common_offset }: LedgerTotals,
  texts: (typeof LEDGER_TEXTS)['en'],
  format: ReturnType<typeof usePreferences>['format'],
): string {
  if (tanks_needed > 0) return texts.tooFew(format.count(tanks), format.count(tanks_needed));
  // The page shows the sentence about all gauges above the figures.
  if (common_offset !== null) return '';
  if (compared === null || compared.excess === null || compared.from === null || compared.to === null) return '';
  const percent = (share: number): string => format.exactPercent(100 * Math.abs(share));
  const { excess, from, to, deliveries, missing } = compared;
  if (compared.flagged && against_others) {
    const [low, high] = excess > 0 ? [from, to] : [to, from];
    const counted = [percent(excess), percent(low), percent(high), format.count(deliveries)] as const;
    if (by === 'driver') return texts.flaggedDriver(...counted);
    const sentence = excess > 0 ? texts.flaggedTruck : texts.flaggedLess;
    return sentence(name ?? texts.unnamed, ...counted, format.count(compared.tanks));
  }
  if (differ) return by === 'truck' ? texts.differ : texts.differDrivers;
  if (missing.deliveries === 0) return texts.noDifference;
  return missing.deliveries === null
    ? texts.missingTanks(percent(missing.excess), format.count(missing.own_tanks))
    : texts.missing(percent(missing.excess), format.count(missing.deliveries));
}

const signed = (share: number, percent: (value: number) => string): string =>
  `${share > 0 ? '+' : share < 0 ? '−' : ''}${percent(100 * Math.abs(share))}`;

/** The axis goes from -6 % to +6 %. */
const AXIS_END = 0.06;
const WIDTH = 260;
const xOf = (share: number): number =>
  ((Math.max(-AXIS_END, Math.min(AXIS_END, share)) + AXIS_END) / (2 * AXIS_END)) * WIDTH;

/** A legal meter may be wrong by 1 % in either direction, so two legal meters differ by up to 2 %. */
const TOLERANCE = 0.02;

/** The range as a line, with the tolerance as an area. The numbers beside it say the same. */
function Whisker({ compared }: { compared: NonNullable<Total['compared']> }) {
  const { excess, from, to, flagged } = compared;
  const isWide = from === null || to === null || to - from > AXIS_END;
  return (
    <svg className="whisker" viewBox={`0 0 ${WIDTH} 24`} aria-hidden="true">
      <rect className="band" x={xOf(-TOLERANCE)} y="2" width={xOf(TOLERANCE) - xOf(-TOLERANCE)} height="20" />
      <line className="zero" x1={xOf(0)} x2={xOf(0)} y1="2" y2="22" />
      <line
        className={`range${flagged ? ' off' : isWide ? ' wide-range' : ''}`}
        x1={xOf(-(to ?? AXIS_END))}
        x2={xOf(-(from ?? -AXIS_END))}
        y1="12"
        y2="12"
      />
      <circle className="point" cx={xOf(-(excess ?? 0))} cy="12" r="5" />
    </svg>
  );
}
