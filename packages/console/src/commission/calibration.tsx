import type { GaugeCalibration, TankGauges, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useTitle } from '../frame/title.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { tankQuery } from '../tank_query.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';
import { DialReadings, useDials } from './dial_readings.tsx';
import { gaugesQuery, putGauge, useGaugeChange, useLengths } from './gauges.ts';
import { DIMENSIONS, dimensionOf, formOf } from './shape_values.ts';

type Fit = GaugeCalibration['fits'][number];

/** How often the page asks while the levels are computed again. */
const ASK_MS = 2_000;

/** Compares the gauge of a tank with its dial and with deliveries, and corrects it. */
export function CalibrationPage({ tankId }: { tankId: string }) {
  const words = useTranslation();
  const texts = useTexts(GAUGE_TEXTS).calibration;
  useTitle(texts.title);
  const tank = useQuery(tankQuery(tankId));
  const gauges = useQuery({
    ...gaugesQuery(tankId),
    refetchInterval: ({ state }) => (state.data?.is_recomputing === true ? ASK_MS : false),
  });
  const error = tank.error ?? gauges.error;
  const retry = (): void => void Promise.all([tank.refetch(), gauges.refetch()]);
  return (
    <div className="commission wide">
      <div className="page-head">
        <h1>{texts.title}</h1>
      </div>
      {error !== null && <ProblemNotice error={error} notFound={words.tank.notFound} onRetry={retry} />}
      {error === null && (tank.data === undefined || gauges.data === undefined) && <Skeleton rows={6} />}
      {tank.data !== undefined && gauges.data !== undefined && (
        <>
          <p>
            <Link href={`/tanks/${tankId}`}>{nameOf(tank.data.tank)}</Link>
          </p>
          <p className="meta">{tank.data.owner.name}</p>
          <GaugeNow status={tank.data} gauges={gauges.data} />
          {gauges.data.gauges.length > 0 && <Calibration status={tank.data} gauges={gauges.data} />}
        </>
      )}
    </div>
  );
}

interface GaugeProps {
  status: TankStatus;
  gauges: TankGauges;
}

/** The current form and offset of the gauge, and a link to describe them again. */
function GaugeNow({ status: { tank }, gauges }: GaugeProps) {
  const gaugeTexts = useTexts(GAUGE_TEXTS);
  const texts = gaugeTexts.calibration;
  const { format } = usePreferences();
  const { size, mm } = useLengths(tank.capacity_unit);
  const gauge = gauges.gauges.at(-1);
  const [openedMs] = useState(() => Date.now());
  const kind = gauge?.measures ?? gauges.latest_measure?.kind ?? 'distance';
  const link = (
    <Link className="button" href={`/commission/${tank.id}?put=${openedMs}&measures=${kind}&step=shape`}>
      {gauge === undefined ? texts.describe : texts.describeAgain}
    </Link>
  );
  if (gauge === undefined)
    return (
      <div className="notice">
        <p>{texts.notDescribed}</p>
        <p>{link}</p>
      </div>
    );
  const form = formOf(gauge.shape);
  const inside = DIMENSIONS[form].flatMap((one) => {
    const value = dimensionOf(gauge.shape, one);
    return value === null ? [] : [gaugeTexts.shape.inside[one](size(value))];
  });
  return (
    <Panel id="gauge-now" title={texts.now}>
      <p>
        <b>{gaugeTexts.shape.forms[form]}</b>
        {inside.length > 0 && ` ${gaugeTexts.shape.insideOf(inside.join(', ')).toLowerCase()}`} · {texts.offset}{' '}
        {mm(gauge.offset_mm)}
      </p>
      <p role="status">
        {gauges.is_recomputing && texts.recomputing}
        {gauge.unreadable_measures > 0 && texts.unreadable(format.count(gauge.unreadable_measures))}
      </p>
      <p className="button-row">{link}</p>
    </Panel>
  );
}

function Calibration({ status, gauges }: GaugeProps) {
  const texts = useTexts(GAUGE_TEXTS).calibration;
  const { tank } = status;
  const edited = useDials(tank.id);
  const { dials } = edited;
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', 'calibration', tank.id, gauges.etag, dials],
    queryFn: ({ signal }) => client.manage.gauges.calibrate(tank.id, { dials, with_deliveries: true }, { signal }),
    placeholderData: (before) => before,
  });
  return (
    <>
      <p>{texts.intro}</p>
      <DialReadings {...edited} />
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={4} />}
      {data !== undefined && (
        <>
          {data.left_out > 0 && <p className="notice">{texts.leftOut(data.left_out)}</p>}
          {data.points.length < 3 && <p className="meta">{texts.few}</p>}
          {data.points.length > 0 && <Result key={gauges.etag} status={status} gauges={gauges} calibration={data} />}
        </>
      )}
    </>
  );
}

/** The gauges that fit, and how far each point is from them. The better fit is preselected, but a person applies it. */
function Result({ status: { tank }, gauges, calibration }: GaugeProps & { calibration: GaugeCalibration }) {
  const gaugeTexts = useTexts(GAUGE_TEXTS);
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = gaugeTexts.calibration;
  const { locale } = usePreferences().format;
  const { mm } = useLengths('liters');
  const [picked, setPicked] = useState<Fit['name'] | null>(null);
  const { fits, better, points } = calibration;
  const chosen = fits.find(({ name }) => name === (picked ?? better)) ?? fits[0];
  const asItIs = fits[0];
  const change = useGaugeChange(tank.id);
  if (chosen === undefined || asItIs === undefined) return null;
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const isChanged = chosen.name !== 'as_described';
  return (
    <>
      <fieldset className="fits" disabled={change.isBusy}>
        <legend>{texts.fits}</legend>
        {fits.map(({ name, rms_error, gauge, highest_percentage: highest }) => (
          <label key={name} className="tile choice">
            <input type="radio" name="fit" checked={chosen.name === name} onChange={() => setPicked(name)} />
            <span>
              <b>{texts.names[name]}</b> {name === better && <span className="badge">{texts.better}</span>}
              <br />
              <span className="meta">
                {texts.meanError(tenths.format(rms_error), mm(gauge.offset_mm))}
                {highest !== null && `. ${gaugeTexts.dial.noLevelAbove(`${tenths.format(highest)} %`)}`}
              </span>
            </span>
          </label>
        ))}
        <p className="meta">{isChanged ? gaugeTexts.dial.correction : texts.keep}</p>
        <p className="button-row">
          <Button
            className="primary"
            disabled={!isChanged}
            onClick={() => change.begin(putGauge(gauges, chosen.gauge, gaugeTexts.mount.label(nameOf(tank))))}
          >
            {change.state.kind === 'sending' ? changeTexts.saving : texts.apply}
          </Button>
        </p>
      </fieldset>
      <ChangeNotice change={change} changed={gaugeTexts.mount.changed} />
      <Points calibration={{ points, fits }} chosen={chosen} asItIs={asItIs} />
    </>
  );
}

interface PointsProps {
  calibration: Pick<GaugeCalibration, 'points' | 'fits'>;
  chosen: Fit;
  asItIs: Fit;
}

function Points({ calibration: { points }, chosen, asItIs }: PointsProps) {
  const texts = useTexts(GAUGE_TEXTS).calibration;
  const { format } = usePreferences();
  const { mm } = useLengths('liters');
  const signed = new Intl.NumberFormat(format.locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  return (
    <Table
      className="point-table"
      caption={texts.points}
      columns={[
        texts.points,
        numeric(texts.expected),
        numeric(texts.measured),
        numeric(texts.error),
        chosen !== asItIs && numeric(texts.errorChosen),
      ]}
    >
      {points.map(({ kind, at, expected, measured: { value, unit } }, n) => (
        <tr key={`${kind} ${at} ${expected}`}>
          <th scope="row">
            {format.dateTime(at)} <span className="meta">{texts.kind[kind]}</span>
          </th>
          <td className="number">{kind === 'delivery' ? `+${format.percent(expected)}` : format.percent(expected)}</td>
          <td className="number">{unit === 'mm' ? mm(value) : format.count(value)}</td>
          <td className="number">{signed.format(asItIs.errors[n] ?? 0)}</td>
          {chosen !== asItIs && <td className="number">{signed.format(chosen.errors[n] ?? 0)}</td>}
        </tr>
      ))}
    </Table>
  );
}
