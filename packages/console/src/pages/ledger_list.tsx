import type { LedgerEntry } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../api.ts';
import { usePreferences } from '../preferences.tsx';
import { LEDGER_WORDS } from '../words/ledger_words.ts';

interface LedgerListProps {
  entries: readonly LedgerEntry[];
  canChange: boolean;
  onChanged: () => void;
  /** Shows what may belong together, with a button that unites it. */
  isProposal?: boolean;
}

export function LedgerList({ entries, canChange, onChanged, isProposal = false }: LedgerListProps) {
  const texts = LEDGER_WORDS[usePreferences().language];
  if (entries.length === 0) return <p className="meta">{texts.nothing}</p>;
  return (
    <table className="notes-table stacked">
      <thead>
        <tr>
          <th scope="col">{texts.note}</th>
          <th scope="col">{texts.tank}</th>
          <th scope="col">{texts.truck}</th>
          <th scope="col" className="number">
            {texts.byNote}
          </th>
          <th scope="col" className="number">
            {texts.byGauge}
          </th>
          <th scope="col" className="number">
            {texts.difference}
          </th>
          <th scope="col">{texts.together}</th>
          {canChange && <td />}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <EntryRow
            key={entry.id}
            entry={entry}
            canChange={canChange}
            onChanged={onChanged}
            candidate={isProposal ? entry.may_belong_to : null}
          />
        ))}
      </tbody>
    </table>
  );
}

interface EntryRowProps {
  entry: LedgerEntry;
  canChange: boolean;
  onChanged: () => void;
  candidate: LedgerEntry['may_belong_to'];
}

function EntryRow({ entry, canChange, onChanged, candidate }: EntryRowProps) {
  const { language, format } = usePreferences();
  const texts = LEDGER_WORDS[language];
  const { unit, notes, tanks, owner, truck, driver } = entry;
  const volume = (value: number | null): string => (value === null ? '' : format.volume(value, unit));
  const noted = entry.pumped_volume ?? entry.note_volume;
  const gauged = candidate?.gauge_volume ?? entry.gauge_volume;
  const difference = noted === null || gauged === null ? null : gauged - noted;
  const [first] = notes;
  const time = first?.precision === 'day' ? format.dateWithYear(entry.at) : format.dateTime(entry.at);
  return (
    <tr>
      <th scope="row">
        <b>{notes.length === 0 ? time : notes.map(printed).join(' + ')}</b>
        {notes.length > 0 && <div className="meta">{time}</div>}
      </th>
      <td className="full">
        {tanks.map(({ id, name, custom_id }) => (
          <span key={id}>
            <Link href={`/tanks/${id}`}>{name}</Link> <span className="meta">{custom_id}</span>{' '}
          </span>
        ))}
        <div className="meta">
          <Link href={`/customers/${owner.id}`}>{owner.name}</Link>
        </div>
      </td>
      <td data-label={texts.truck}>
        {truck !== null && <span className="truck-name">{truck.name}</span>}
        {driver !== null && <div className="meta">{driver.name}</div>}
      </td>
      <td className="number" data-label={texts.byNote}>
        {volume(noted)}
      </td>
      <td className="number" data-label={texts.byGauge}>
        {volume(gauged)}
        {entry.from_volume !== null && entry.to_volume !== null && (
          <div className="meta">{texts.range(format.count(entry.from_volume), format.count(entry.to_volume))}</div>
        )}
      </td>
      <td className="number" data-label={texts.difference}>
        {difference === null
          ? ''
          : `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${volume(Math.abs(difference))}`}
      </td>
      <td className="full">
        <Verdict entry={entry} candidate={candidate} />
      </td>
      {canChange && (
        <td className="full">
          <Actions entry={entry} candidate={candidate} onChanged={onChanged} />
        </td>
      )}
    </tr>
  );
}

function Verdict({ entry, candidate }: Pick<EntryRowProps, 'entry' | 'candidate'>) {
  const { language, format } = usePreferences();
  const texts = LEDGER_WORDS[language];
  const { verdict, reason, notes, refills } = entry;
  const reasonText = Object.entries(texts.reasons).find(([name]) => name === reason)?.[1];
  const [refill] = refills;
  const details = [
    reasonText,
    verdict === 'not_consistent' ? texts.checkFirst : undefined,
    entry.unlike_earlier ? texts.unlike : undefined,
    notes.length > 1 && refills.length > 0 ? texts.several(format.count(notes.length)) : undefined,
    refill !== undefined && notes.length > 0 ? texts.seen(format.dateTime(refill.at)) : undefined,
    candidate === null
      ? undefined
      : texts.refillOf(candidate.tank.custom_id ?? candidate.tank.name, format.dateTime(candidate.refill_at)),
    entry.pinned ? texts.pinned : undefined,
  ].filter((part) => part !== undefined);
  return (
    <>
      <span className={verdict === 'not_consistent' ? 'doubt' : undefined}>
        {verdict === 'not_consistent' && <span aria-hidden="true">{'△ '}</span>}
        {verdict === 'consistent' && <span aria-hidden="true">{'✓ '}</span>}
        {texts.verdicts[verdict]}
      </span>
      <div className="meta">{details.join(' · ')}</div>
    </>
  );
}

/** What a person can say: these belong together, or not, or nothing any more. */
function Actions({ entry, candidate, onChanged }: Pick<EntryRowProps, 'entry' | 'candidate' | 'onChanged'>) {
  const texts = LEDGER_WORDS[usePreferences().language];
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const { notes, refills, pinned } = entry;
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setState('busy');
    try {
      await work();
      setState('idle');
      onChanged();
    } catch {
      setState('failed');
    }
  };
  const pinAll = (kind: 'together' | 'apart', to: readonly { tank_id: string; at: string }[]): Promise<unknown> =>
    Promise.all(
      notes.flatMap(({ id }) =>
        to.map(({ tank_id, at }) => client.manage.deliveryNotes.pin(id, { kind, tank_id, refill_at: at })),
      ),
    );
  return (
    <>
      {candidate !== null && (
        <button
          type="button"
          className="button"
          disabled={state === 'busy'}
          onClick={() => void run(() => pinAll('together', [{ tank_id: candidate.tank.id, at: candidate.refill_at }]))}
        >
          {texts.unite}
        </button>
      )}
      {candidate === null && notes.length > 0 && refills.length > 0 && (
        <button
          type="button"
          className="button"
          disabled={state === 'busy'}
          onClick={() => void run(() => pinAll('apart', refills))}
        >
          {texts.separate}
        </button>
      )}
      {pinned && (
        <button
          type="button"
          className="button"
          disabled={state === 'busy'}
          onClick={() => void run(() => Promise.all(notes.map(({ id }) => client.manage.deliveryNotes.unpin(id))))}
        >
          {texts.undo}
        </button>
      )}
      {state === 'failed' && (
        <span className="meta" role="alert">
          {texts.failed}
        </span>
      )}
    </>
  );
}

const printed = ({ series, number }: { series: string; number: string }): string =>
  series === '' ? number : `${series}-${number}`;
