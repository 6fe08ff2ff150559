import type { LedgerEntry, NewPin } from '@tankwatch/client';
import { Link } from 'wouter';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { Button } from '../parts/button.tsx';
import { NumberCell, numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { LEDGER_TEXTS } from '../translations/ledger.ts';
import { PRODUCT_TEXTS } from '../translations/products.ts';
import { printedNumber } from './note_body.ts';

export interface LedgerListProps {
  entries: readonly LedgerEntry[];
  canChange: boolean;
  onChanged: () => void;
  onCorrect: (noteId: string) => void;
  /** True if the list proposes notes and refills that may be one delivery, each with a button to pin them together. */
  isProposal?: boolean;
}

export function LedgerList({ entries, canChange, onChanged, onCorrect, isProposal = false }: LedgerListProps) {
  const texts = useTexts(LEDGER_TEXTS);
  if (entries.length === 0) return <p className="meta">{texts.nothing}</p>;
  return (
    <Table
      className="notes-table stacked thirds"
      columns={[
        texts.note,
        texts.tank,
        texts.truck,
        numeric(texts.byNote),
        numeric(texts.byGauge),
        numeric(texts.difference),
        texts.together,
        canChange ? null : false,
      ]}
    >
      {entries.map((entry) => (
        <EntryRow
          key={entry.id}
          entry={entry}
          canChange={canChange}
          onChanged={onChanged}
          onCorrect={onCorrect}
          candidate={isProposal ? entry.may_belong_to : null}
        />
      ))}
    </Table>
  );
}

interface EntryRowProps {
  entry: LedgerEntry;
  canChange: boolean;
  onChanged: () => void;
  onCorrect: (noteId: string) => void;
  candidate: LedgerEntry['may_belong_to'];
}

function EntryRow({ entry, canChange, onChanged, onCorrect, candidate }: EntryRowProps) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
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
        <b>{notes.length === 0 ? time : notes.map(printedNumber).join(' + ')}</b>
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
      <NumberCell label={texts.byNote}>{volume(noted)}</NumberCell>
      <NumberCell label={texts.byGauge}>
        {volume(gauged)}
        {entry.from_volume !== null && entry.to_volume !== null && (
          <div className="meta">{texts.range(format.count(entry.from_volume), format.count(entry.to_volume))}</div>
        )}
      </NumberCell>
      <NumberCell label={texts.difference}>
        {difference === null
          ? ''
          : `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${volume(Math.abs(difference))}`}
      </NumberCell>
      <td className="full">
        <Verdict entry={entry} candidate={candidate} />
      </td>
      {canChange && (
        <td className="full">
          <Actions entry={entry} candidate={candidate} onChanged={onChanged} onCorrect={onCorrect} />
        </td>
      )}
    </tr>
  );
}

function Verdict({ entry, candidate }: Pick<EntryRowProps, 'entry' | 'candidate'>) {
  const { format } = usePreferences();
  const texts = useTexts(LEDGER_TEXTS);
  const products = useTexts(PRODUCT_TEXTS);
  const { verdict, reason, notes, refills } = entry;
  const reasonText = Object.entries(texts.reasons).find(([name]) => name === reason)?.[1];
  const [refill] = refills;
  const other = notes.find(({ is_other_product }) => is_other_product)?.product ?? undefined;
  const details = [
    reasonText,
    verdict === 'not_consistent' ? texts.checkFirst : undefined,
    entry.unlike_earlier ? texts.unlike : undefined,
    notes.length > 1 && refills.length > 0 ? texts.several(format.count(notes.length)) : undefined,
    refill !== undefined && notes.length > 0 ? texts.seen(format.dateTime(refill.at)) : undefined,
    candidate === null
      ? undefined
      : texts.refillOf(candidate.tank.custom_id ?? candidate.tank.name, format.dateTime(candidate.refill_at)),
    other === undefined ? undefined : texts.otherProduct(products.names[other]),
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

/** The buttons that pin a note and a refill together or apart, remove the pins, or correct a note. */
function Actions({ entry, candidate, onChanged, onCorrect }: Omit<EntryRowProps, 'canChange'>) {
  const texts = useTexts(LEDGER_TEXTS);
  const change = useChange(onChanged);
  const { notes, refills, pinned } = entry;
  const label = texts.form.label(notes.map(printedNumber).join(' + '));
  const pathOf = ({ id }: { id: string }): string => `/delivery-notes/${id}/pins`;
  const pinAll = (kind: NewPin['kind'], to: readonly { tank_id: string; at: string }[]): void =>
    change.begin(
      ...notes.flatMap((note) =>
        to.map(({ tank_id, at }) => {
          const body: NewPin = { kind, tank_id, refill_at: at };
          return { method: 'POST' as const, path: pathOf(note), body, label };
        }),
      ),
    );
  return (
    <div className="actions">
      {candidate !== null && (
        <Button
          disabled={change.isBusy}
          onClick={() => pinAll('together', [{ tank_id: candidate.tank.id, at: candidate.refill_at }])}
        >
          {texts.unite}
        </Button>
      )}
      {candidate === null && notes.length > 0 && refills.length > 0 && (
        <Button disabled={change.isBusy} onClick={() => pinAll('apart', refills)}>
          {texts.separate}
        </Button>
      )}
      {pinned && (
        <Button
          disabled={change.isBusy}
          onClick={() =>
            change.begin(...notes.map((note) => ({ method: 'DELETE' as const, path: pathOf(note), label })))
          }
        >
          {texts.undo}
        </Button>
      )}
      {candidate === null &&
        notes.map((note) => (
          <Button key={note.id} aria-label={texts.form.correct(printedNumber(note))} onClick={() => onCorrect(note.id)}>
            {notes.length === 1 ? texts.correct : texts.form.correct(printedNumber(note))}
          </Button>
        ))}
      <ChangeNotice change={change} />
    </div>
  );
}
