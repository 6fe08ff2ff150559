import type { TankStatus } from '@tankwatch/client';
import { StatusMark } from '../parts/marks.tsx';
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
  const sumOf = (unit: 'liters' | 'gallons'): number =>
    chosen
      .filter(({ tank }) => tank.capacity_unit === unit)
      .reduce((sum, status) => sum + (roomOf(status, fillTo) ?? 0), 0);
  return (
    <div className="totals" role="status">
      <b>{texts.chosen(chosen.length, format.count(chosen.length))}</b>
      {units.map((unit) => {
        const sum = sumOf(unit);
        return (
          <span key={unit} className="total">
            {texts.of(format.volume(sum, unit), format.volume(truck, unit))}
            <meter min={0} max={Math.max(1, truck)} value={Math.min(sum, truck)} aria-label={texts.truck} />
            {sum > truck && <strong>{texts.over(format.volume(sum - truck, unit))}</strong>}
          </span>
        );
      })}
      {units.length > 1 && <span className="meta">{texts.mixed}</span>}
      {unknown > 0 && (
        <span className="meta">
          <StatusMark status="silent" /> {texts.unknown(unknown, format.count(unknown))}
        </span>
      )}
    </div>
  );
}
