import type { Ledger } from '@tankwatch/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { fromLiters } from '../../../../src/values/capacity_unit.ts';
import { fleet, type Session } from '../api.ts';
import { useTitle } from '../frame/title.ts';
import { useVolumeUnit } from '../organization.ts';
import { NoTanks } from '../parts/no_tanks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useUrlState } from '../url_state.ts';
import { NoteForm } from './ledger_form.tsx';
import { LedgerList, type LedgerListProps } from './ledger_list.tsx';
import { LedgerTrucks, totalsQuery } from './ledger_trucks.tsx';
import { type DoneChange, NoteCorrection, NoteUndo } from './note_correction.tsx';
import '../styles/ledger.css';
import '../styles/tabs.css';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';

const TABS = [
  'not_consistent',
  'note_without_refill',
  'refill_without_note',
  'cannot_be_told',
  'waiting',
  'consistent',
] as const;
type Tab = (typeof TABS)[number];

const PAGE_SIZE = 50;
const MONTHS = 13;
/** The ledger is read again at this interval, because a new note gets its verdict after some seconds. */
const REFETCH_MS = 5_000;

/** Months, newest first, such as 2026-10. */
function lastMonths(): string[] {
  const now = new Date();
  return Array.from({ length: MONTHS }, (_, monthsAgo) => {
    const month = new Date(now.getFullYear(), now.getMonth() - monthsAgo, 1);
    return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;
  });
}

/** Compares delivery notes with refills, by verdict, and trucks with each other. */
export function LedgerPage({ session }: { session: Session }) {
  const { language, format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  useTitle(texts.title);
  const cache = useQueryClient();
  const { given, href, change } = useUrlState();
  const months = lastMonths();
  const month = given.get('month') ?? months[0] ?? '';
  const tab = TABS.find((one) => one === given.get('list')) ?? 'not_consistent';
  const size = Math.min(200, Number(given.get('size') ?? PAGE_SIZE) || PAGE_SIZE);
  const canChange = session.rights.includes('deliveries');
  /** The open form: for a new note, or for a correction of the note with this id. */
  const [form, setForm] = useState<'new' | { correct: string } | null>(null);
  const [done, setDone] = useState<DoneChange | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['ledger', month, tab, size],
    queryFn: ({ signal }) => fleet.ledger({ month, verdict: tab, size }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
  const hasNoTanks = useSummary().data?.total === 0;
  const readAgain = (): Promise<void> => cache.invalidateQueries({ queryKey: ['ledger'] });
  const correct = (id: string): void => {
    setDone(null);
    setForm({ correct: id });
  };
  const monthName = (value: string): string => format.monthWithYear(`${value}-15T12:00:00`);
  return (
    <div className="ledger">
      <div className="page-head">
        <h1>{texts.title}</h1>
        <Select
          aria-label={texts.month}
          value={month}
          options={(months.includes(month) ? months : [month, ...months]).map((value) => [value, monthName(value)])}
          onChange={(value) => change({ month: value, size: undefined })}
        />
        <span className="actions">
          {canChange && form !== 'new' && <Button onClick={() => setForm('new')}>{texts.add}</Button>}
          <a className="button" href={`/fleet/v1/ledger.csv?month=${month}&language=${language}`} download>
            {texts.export}
          </a>
        </span>
      </div>
      {form === 'new' && (
        <NoteForm stored={null} onDone={() => setForm(null)} onSaved={() => void readAgain()} onExisting={correct} />
      )}
      {form !== null && form !== 'new' && (
        <NoteCorrection
          key={form.correct}
          id={form.correct}
          onDone={() => setForm(null)}
          onSaved={(changed) => {
            setForm(null);
            setDone(changed);
            void readAgain();
          }}
        />
      )}
      {done !== null && <NoteUndo key={done.saved.etag} {...done} onUndone={() => void readAgain()} />}
      {hasNoTanks ? <NoTanks /> : <GaugeCaution />}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && !hasNoTanks && (
        <>
          {data.common_offset !== null && <p className="notice">{data.common_offset.texts[language]}</p>}
          <Figures counts={data.counts} month={month} />
          <LedgerTrucks month={month} />
          <nav className="tabs ledger-tabs" aria-label={texts.lists}>
            {TABS.filter((one) => one !== 'waiting' || data.counts.waiting > 0 || tab === one).map((one: Tab) => (
              <Link
                key={one}
                href={href({ list: one, size: undefined })}
                aria-current={one === tab ? 'true' : undefined}
              >
                {`${texts.tabs[one]} ${format.count(data.counts[one])}`}
              </Link>
            ))}
          </nav>
          <LedgerList
            entries={data.entries}
            canChange={canChange}
            onChanged={() => void readAgain()}
            onCorrect={correct}
          />
          {data.next !== null && (
            <p>
              <Link className="button" href={href({ size: String(Math.min(200, size + PAGE_SIZE)) })}>
                {texts.more}
              </Link>
            </p>
          )}
          <MayBelong month={month} canChange={canChange} onChanged={() => void readAgain()} onCorrect={correct} />
        </>
      )}
    </div>
  );
}

const CAUTION_KEY = 'tankwatch.ledger.careful';

/** The text about what a gauge can show. It is open at the first visit, and folded afterwards. */
function GaugeCaution() {
  const texts = useTexts(LEDGER_TEXTS);
  const [isFirst] = useState(() => localStorage.getItem(CAUTION_KEY) === null);
  useEffect(() => localStorage.setItem(CAUTION_KEY, 'read'), []);
  return (
    <details className="careful" open={isFirst}>
      <summary>{texts.careful}</summary>
      {texts.carefulMore}
    </details>
  );
}

/** The counts by verdict. The volume is in the unit of the trucks. */
function Figures({ counts, month }: { counts: Ledger['counts']; month: string }) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  const { data } = useQuery(totalsQuery('truck', month));
  const own = useVolumeUnit();
  const unit = data?.totals[0]?.unit ?? own;
  const written = fromLiters(counts.note_liters, unit);
  const figures: [name: string, value: string, meta: string][] = [
    [texts.notes, format.count(counts.notes), format.volume(written, unit)],
    [
      texts.consistent,
      format.count(counts.consistent),
      counts.notes === 0 ? '' : texts.ofNotes(format.percent((100 * counts.consistent) / counts.notes)),
    ],
    [
      texts.notConsistent,
      format.count(counts.not_consistent),
      counts.expected_by_chance === 0 ? '' : texts.byChance(format.count(counts.expected_by_chance)),
    ],
    [texts.notComparable, format.count(counts.cannot_be_told), texts.notComparableWhy],
    [
      texts.unmatched,
      `${format.count(counts.note_without_refill)} · ${format.count(counts.refill_without_note)}`,
      counts.waiting === 0 ? '' : texts.waiting(format.count(counts.waiting)),
    ],
  ];
  return (
    <dl className="figures ledger-figures">
      {figures.map(([name, value, meta]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd className="meta">{meta}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Notes without a refill for which the service proposes a refill without a note. */
function MayBelong({ month, ...actions }: { month: string } & Omit<LedgerListProps, 'entries' | 'isProposal'>) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  const { data } = useQuery({
    queryKey: ['ledger', month, 'candidates'],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        (['note_without_refill', 'cannot_be_told'] as const).map((verdict) =>
          fleet.ledger({ month, verdict, size: 200 }, { signal }),
        ),
      );
      return lists.flatMap(({ entries }) => entries.filter((entry) => entry.may_belong_to !== null));
    },
    refetchInterval: 12 * REFETCH_MS,
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="part" aria-labelledby="may-belong">
      <div className="section-head">
        <h2 id="may-belong">{`${texts.mayBelong} ${format.count(data.length)}`}</h2>
        <span className="meta">{texts.mayBelongHelp}</span>
      </div>
      <LedgerList entries={data} {...actions} isProposal />
    </section>
  );
}
