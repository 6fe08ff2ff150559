import type { GaugeCalibration, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../api.ts';
import { useTyped } from '../catalog/typed.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { nameOf } from '../status.ts';
import { COMMISSION_TEXTS } from '../translations/commission.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';
import { gaugesQuery, putGauge, useGaugeChange, useLengths } from './gauges.ts';
import type { Reading } from './wait_step.tsx';

/** The gauge is good up to this difference, because people read dials by eye. */
const GOOD_POINTS = 5;
/** An offset is proposed only if the error that it leaves is at most this large. */
const FITTING_POINTS = 1;

interface DialStepProps {
  status: TankStatus;
  reading: Reading;
  /** The link to the step that describes the form. Null if the device sends a level. */
  toShape: string | null;
  /** The sensor was turned: wait for the next reading. */
  onAgain: () => void;
  onDone: (isCorrected?: boolean) => void;
}

/** Asks what the dial on the tank shows, and compares it with the reading of the device. */
export function DialStep({ status: { tank }, reading, toShape, onAgain, onDone }: DialStepProps) {
  const { format } = usePreferences();
  const texts = useTexts(COMMISSION_TEXTS);
  const gaugeTexts = useTexts(GAUGE_TEXTS).dial;
  const { notes } = useTexts(TANK_FORM_TEXTS);
  const canNote = useCan('notes');
  const [typed, setTyped] = useState('');
  const change = useChange(() => onDone());
  const read = useTypedNumbers().percentage(typed);
  const isValid = 'value' in read;
  const dial = isValid ? read.value : Number.NaN;
  const points = Math.abs(dial - reading.fill_percentage);
  const isGood = points <= GOOD_POINTS;
  const keepNote = (): void => {
    if (!canNote) return onDone();
    change.begin({
      method: 'POST',
      path: `/tanks/${tank.id}/notes`,
      body: { text: texts.note(format.percent(dial), format.percent(reading.fill_percentage)), prints: false },
      label: notes.label(nameOf(tank)),
    });
  };
  const submit = (): void => {
    if (isValid && isGood) onDone();
  };
  const apart = format.count(Math.round(points));
  return (
    <ChangeForm onSubmit={submit} aria-label={texts.compare} noValidate>
      <p className="first-reading">
        {texts.arrived(format.percent(reading.fill_percentage), format.time(reading.created_at))}
      </p>
      <TextField
        label={texts.dial}
        problem={typed.trim() === '' || isValid ? '' : read.problem}
        className="short"
        inputMode="decimal"
        value={typed}
        disabled={change.isBusy}
        onChange={setTyped}
      />
      {isValid && (
        <p role="status" className={isGood ? 'verdict' : 'verdict bad'}>
          {isGood && texts.good(apart)}
          {!isGood && toShape === null && `${texts.bad(apart)} ${texts.badHelp}`}
          {!isGood && toShape !== null && gaugeTexts.apart(apart, format.count(GOOD_POINTS))}
        </p>
      )}
      {isValid && !isGood && toShape !== null ? (
        <Correction
          tank={tank}
          reading={reading}
          dial={dial}
          toShape={toShape}
          isBusy={change.isBusy}
          onKeep={keepNote}
          onCorrected={() => onDone(true)}
        />
      ) : (
        <p className="button-row">
          {!isValid || isGood ? (
            <Button type="submit" className="primary" disabled={!isValid}>
              {texts.done}
            </Button>
          ) : (
            <>
              <Button className="primary" disabled={change.isBusy} onClick={onAgain}>
                {texts.again}
              </Button>
              {canNote && (
                <Button disabled={change.isBusy} onClick={keepNote}>
                  {texts.keepNote}
                </Button>
              )}
            </>
          )}
        </p>
      )}
      <ChangeNotice change={change} conflict={() => notes.full} />
    </ChangeForm>
  );
}

interface CorrectionProps {
  tank: TankStatus['tank'];
  reading: Reading;
  dial: number;
  toShape: string;
  isBusy: boolean;
  onKeep: () => void;
  onCorrected: () => void;
}

/** What may be wrong. A fitting offset comes first, with its consequence; it is never applied automatically. */
function Correction({ tank, reading, dial, toShape, isBusy, onKeep, onCorrected }: CorrectionProps) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS);
  const commission = useTexts(COMMISSION_TEXTS);
  const { mm } = useLengths('liters');
  const [, navigate] = useLocation();
  const typedDial = useTyped(String(dial));
  const { data: stored } = useQuery(gaugesQuery(tank.id));
  const { data: calibration } = useQuery({
    queryKey: ['manage', 'calibration', tank.id, reading.created_at, typedDial],
    queryFn: ({ signal }) =>
      client.manage.gauges.calibrate(
        tank.id,
        { dials: [{ at: reading.created_at, fill_percentage: Number(typedDial) }] },
        { signal },
      ),
  });
  const fit = Number(typedDial) === dial ? fittingOffset(calibration) : undefined;
  const [chosen, setChosen] = useState<'offset' | 'shape' | 'sticks' | null>(null);
  const choice = chosen === 'offset' && fit === undefined ? null : (chosen ?? (fit === undefined ? null : 'offset'));
  const change = useGaugeChange(tank.id, onCorrected);
  const now = calibration?.fits[0]?.gauge;
  const measured = calibration?.points[0]?.measured;
  const correct = (): void => {
    if (fit !== undefined && stored !== undefined)
      change.begin(putGauge(stored, fit.gauge, texts.mount.label(nameOf(tank))));
  };
  const option = (name: 'offset' | 'shape' | 'sticks', title: string, help: string) => (
    <label className="tile choice">
      <input type="radio" name="wrong" checked={choice === name} onChange={() => setChosen(name)} />
      <span>
        <b>{title}</b>
        <br />
        <span className="meta">{help}</span>
      </span>
    </label>
  );
  const level = format.percent(reading.fill_percentage);
  const sitsAt = now?.measures === 'distance' ? texts.dial.face : texts.dial.bottom;
  return (
    <fieldset disabled={isBusy || change.isBusy}>
      <legend>{texts.dial.what}</legend>
      {fit !== undefined &&
        now !== undefined &&
        measured !== undefined &&
        option(
          'offset',
          sitsAt(mm(fit.gauge.offset_mm), mm(now.offset_mm)),
          [
            texts.dial.wouldBe(
              mm(measured.value),
              format.percent(dial),
              format.volume((dial * tank.capacity) / 100, tank.capacity_unit),
            ),
            fit.highest_percentage === null ? '' : texts.dial.noLevelAbove(format.percent(fit.highest_percentage)),
          ].join(' '),
        )}
      {option('shape', texts.dial.shape, texts.dial.shapeHelp)}
      {option('sticks', texts.dial.sticks, texts.dial.sticksHelp(level))}
      <p className="meta">{texts.dial.correction}</p>
      <p className="button-row">
        {choice === 'offset' && fit !== undefined && (
          <Button className="primary" onClick={correct}>
            {texts.dial.correct(mm(fit.gauge.offset_mm))}
          </Button>
        )}
        {choice === 'shape' && (
          <Button className="primary" onClick={() => navigate(toShape)}>
            {texts.dial.shapeHelp}
          </Button>
        )}
        <Button className={choice === 'sticks' ? 'primary' : ''} onClick={onKeep}>
          {commission.keepNote}
        </Button>
      </p>
      <ChangeNotice change={change} changed={texts.mount.changed} />
    </fieldset>
  );
}

/** Undefined if no offset explains what the dial shows. */
const fittingOffset = (calibration: GaugeCalibration | undefined): GaugeCalibration['fits'][number] | undefined =>
  calibration?.fits.find(({ name, rms_error }) => name === 'other_offset' && rms_error <= FITTING_POINTS);
