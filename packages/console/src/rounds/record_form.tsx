import type { FleetRound, FleetStop, NewStopEntry, TankStatus } from '@tankwatch/client';
import { type ReactNode, useState } from 'react';
import { fromLiters, toLiters } from '../../../../src/values/capacity_unit.ts';
import { doubtVolume, type VolumeDoubt } from '../../../../src/values/volume_doubt.ts';
import { zonedDate } from '../../../../src/values/zoned_time.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import type { VolumeUnit } from '../format.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { SelectField, TextField } from '../forms/field.tsx';
import { useOpenedForm } from '../forms/opened_form.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { VolumeQuestion } from '../forms/volume_question.tsx';
import { useOrganizationDay, useZone } from '../organization.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { RECORD_TEXTS } from '../translations/record_stop.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { EntryHistory } from './entry_history.tsx';
import type { RecordStart } from './record_start.ts';
import { clockIn, isOtherZone, timeOnDay } from './record_time.ts';
import { stopName } from './stop_texts.ts';
import '../styles/forms.css';

const REASONS = ['no_access', 'refused', 'full', 'truck_empty', 'unsafe', 'other'] as const;
type Reason = (typeof REASONS)[number];

interface RecordFormProps {
  round: FleetRound;
  stop: FleetStop;
  status: TankStatus | undefined;
  unit: VolumeUnit;
  /** The volume that the truck has left. */
  truckLeft: number;
  start: RecordStart;
  onClose: () => void;
  onRecorded: () => void;
}

/** Records what the driver wrote on paper at a stop, or corrects what was recorded. */
export function RecordForm({ round, stop, status, unit, truckLeft, start, onClose, onRecorded }: RecordFormProps) {
  const { format } = usePreferences();
  const texts = useTexts(RECORD_TEXTS);
  const roundTexts = useTexts(ROUND_TEXTS);
  const numbers = useTypedNumbers();
  const zone = useZone();
  const today = useOrganizationDay();
  const { ref: form, onKeyDown } = useOpenedForm<HTMLFormElement>(onClose);
  const { isCorrection } = start;
  const [isDelivered, setIsDelivered] = useState(start.isDelivered);
  const [volume, setVolume] = useState(start.volume === null ? '' : String(Math.round(start.volume * 10) / 10));
  const [at, setAt] = useState(() =>
    start.at !== null ? clockIn(zone, Date.parse(start.at)) : round.date === today ? clockIn(zone, Date.now()) : '',
  );
  const [reason, setReason] = useState<Reason>(start.reason ?? 'no_access');
  const [note, setNote] = useState(start.note ?? '');
  const [comment, setComment] = useState(start.comment ?? '');
  const [problems, setProblems] = useState<{ volume?: string; at?: string }>({});
  const [question, setQuestion] = useState<{ entry: NewStopEntry; volume: number; doubt: VolumeDoubt } | null>(null);
  const change = useChange(() => {
    onRecorded();
    onClose();
  });
  const name = stopName(stop, roundTexts.deletedTank);
  const typed = numbers.volume(volume);
  const send = (entry: NewStopEntry): void => {
    setQuestion(null);
    const body = isCorrection ? { ...entry, is_correction: true } : entry;
    change.begin({ method: 'POST', path: `/rounds/${round.id}/stops/${stop.number}/entries`, body, label: name });
  };
  const submit = (): void => {
    // A correction keeps the date of the entry, which may have been made after midnight.
    const day = start.at === null ? round.date : zonedDate(Date.parse(start.at), zone);
    const atMs = at === '' ? Number.NaN : timeOnDay(day, at, zone);
    const found = {
      ...(isDelivered && 'problem' in typed ? { volume: typed.problem } : {}),
      ...(Number.isNaN(atMs) ? { at: texts.atMissing } : atMs > Date.now() + 60_000 ? { at: texts.atFuture } : {}),
    };
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    const common = {
      at: new Date(atMs).toISOString(),
      ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
    };
    if (!isDelivered || !('value' in typed)) return send({ kind: 'not_possible', reason, ...common });
    const entry: NewStopEntry = {
      kind: 'delivered',
      volume: typed.value,
      ...(note.trim() === '' ? {} : { note: note.trim() }),
      ...common,
    };
    const capacity = status && fromLiters(toLiters(status.tank.capacity, status.tank.capacity_unit), unit);
    const fits = stop.outcome === 'open' ? stop.volume : stop.planned_volume;
    const doubt = doubtVolume(typed.value, { fits, capacity, truckLeft });
    if (doubt === null) send(entry);
    else setQuestion({ entry, volume: typed.value, doubt });
  };
  /** Changes a typed value, and closes an open question about the previous value. */
  const edit =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      set(value);
      setQuestion(null);
    };
  const choice = (value: boolean, text: string): ReactNode => (
    <button type="button" aria-pressed={isDelivered === value} onClick={() => edit(setIsDelivered)(value)}>
      {text}
    </button>
  );
  const what = isDelivered ? ('value' in typed ? format.volume(typed.value, unit) : '…') : roundTexts.reasons[reason];
  return (
    <ChangeForm
      ref={form}
      className="record-form"
      aria-label={isCorrection ? texts.titleCorrect(name) : texts.titleFor(name, round.driver?.name ?? null)}
      noValidate
      onSubmit={submit}
      onKeyDown={onKeyDown}
    >
      <h3>{isCorrection ? texts.titleCorrect(name) : texts.titleFor(name, round.driver?.name ?? null)}</h3>
      <div className="record-fields">
        <span className="record-kind">
          {choice(true, texts.delivered)}
          {choice(false, texts.notPossible)}
        </span>
        {isDelivered ? (
          <TextField
            label={texts.volume[unit]}
            problem={problems.volume ?? ''}
            name="volume"
            inputMode="decimal"
            autoComplete="off"
            size={8}
            data-first
            value={volume}
            onChange={edit(setVolume)}
          />
        ) : (
          <SelectField
            label={texts.reason}
            data-first
            value={reason}
            options={REASONS.map((one) => [one, roundTexts.reasons[one]])}
            onChange={setReason}
          />
        )}
        <TextField
          label={isOtherZone(zone) ? `${texts.at} (${format.zoneName(zone)})` : texts.at}
          problem={problems.at ?? ''}
          name="at"
          type="time"
          value={at}
          onChange={setAt}
        />
        {isDelivered && (
          <TextField
            label={texts.note}
            name="note"
            autoComplete="off"
            size={12}
            maxLength={60}
            value={note}
            onChange={edit(setNote)}
          />
        )}
        <TextField
          label={texts.comment}
          name="comment"
          autoComplete="off"
          maxLength={500}
          value={comment}
          onChange={edit(setComment)}
        />
      </div>
      {question !== null && (
        <VolumeQuestion
          volume={question.volume}
          doubt={question.doubt}
          unit={unit}
          onChange={() => {
            setQuestion(null);
            form.current?.querySelector<HTMLInputElement>('[name=volume]')?.select();
          }}
          onConfirm={() => send(question.entry)}
        />
      )}
      <div className="button-row">
        {question === null && (
          <Button type="submit" className="primary" disabled={change.isBusy}>
            {isCorrection ? texts.saveCorrection(what) : texts.save(what)}
          </Button>
        )}
        {isCorrection && (
          <Button disabled={change.isBusy} onClick={() => send({ kind: 'reopened' })}>
            {texts.openAgain}
          </Button>
        )}
        <Button onClick={onClose}>{texts.close}</Button>
      </div>
      <ChangeNotice
        change={change}
        conflict={({ conflictingId }) => (conflictingId === round.id ? texts.over : texts.taken)}
      />
      <p className="meta">{isCorrection ? texts.helpCorrect : texts.help(format.volume(stop.planned_volume, unit))}</p>
      {isCorrection && <EntryHistory round={round} stop={stop} unit={unit} />}
    </ChangeForm>
  );
}
