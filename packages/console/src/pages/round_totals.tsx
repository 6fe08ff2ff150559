import type { TankStatus } from '@tankwatch/client';
import { useId } from 'react';
import type { VolumeUnit } from '../format.ts';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { usePreferences } from '../preferences.tsx';
import { roomOf } from '../status.ts';

interface RoundTotalsProps {
  chosen: readonly TankStatus[];
  fillTo: number;
  truck: number;
}

/** The stops and their volume against that of the truck. */
export function RoundTotals({ chosen, fillTo, truck }: RoundTotalsProps) {
  const { words, format } = usePreferences();
  const texts = words.round;
  const units = [...new Set(chosen.map(({ tank }) => tank.capacity_unit))];
  const unknown = chosen.filter((status) => roomOf(status, fillTo) === null).length;
  const sumOf = (unit: VolumeUnit): number =>
    chosen
      .filter(({ tank }) => tank.capacity_unit === unit)
      .reduce((sum, status) => sum + (roomOf(status, fillTo) ?? 0), 0);
  const isOver = units.some((unit) => sumOf(unit) > truck);
  return (
    <div className={isOver ? 'totals over' : 'totals'} role="status">
      <b>{texts.chosen(chosen.length, format.count(chosen.length))}</b>
      {units.map((unit) => (
        <Load key={unit} sum={sumOf(unit)} truck={truck} unit={unit} />
      ))}
      {units.length > 1 && <span className="meta">{texts.mixed}</span>}
      {unknown > 0 && (
        <span className="meta">
          <StatusMark status="silent" /> {texts.unknown(unknown, format.count(unknown))}
        </span>
      )}
    </div>
  );
}

const [WIDTH, LEFT, TOP, HEIGHT] = [320, 1, 9, 14];

/** A bar up to the mark of the truck. What does not fit stands hatched behind the mark. */
function Load({ sum, truck, unit }: { sum: number; truck: number; unit: VolumeUnit }) {
  const { words, format } = usePreferences();
  const texts = words.round;
  const id = useId();
  const overBy = Math.max(0, sum - truck);
  const scale = (WIDTH - 2 * LEFT) / Math.max(1, truck, Math.min(sum, 2 * truck));
  const mark = LEFT + truck * scale;
  const label = texts.of(format.volume(sum, unit), format.volume(truck, unit));
  return (
    <span className="total">
      <span className="load-text">{label}</span>
      <svg className="load" width={WIDTH} height="32" viewBox={`0 0 ${WIDTH} 32`} role="img" aria-label={label}>
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="over-back" width="6" height="6" />
          <rect className="over-line" width="2" height="6" />
        </pattern>
        <rect className="load-back" x={LEFT} y={TOP} width={mark - LEFT} height={HEIGHT} />
        <rect className="fill-level" x={LEFT} y={TOP} width={Math.min(sum, truck) * scale} height={HEIGHT} />
        {overBy > 0 && <rect x={mark} y={TOP} width={WIDTH - LEFT - mark} height={HEIGHT} fill={`url(#${id})`} />}
        <path className="load-mark" d={`M${mark} 3V29`} />
      </svg>
      {overBy > 0 && (
        <strong className="over-text">
          <Icon name="warning" /> {texts.over(format.volume(overBy, unit))}
        </strong>
      )}
    </span>
  );
}
