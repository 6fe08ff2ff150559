import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import type { ChartPoint } from './chart_data.ts';

const STEP = 100;

/** The readings of the chart as a table, newest first. */
export function ReadingTable({ points, isBucketed }: { points: readonly ChartPoint[]; isBucketed: boolean }) {
  const { chart } = useTranslation();
  const format = useFormat();
  const [count, setCount] = useState(STEP);
  const known = points.filter(({ level }) => level !== null).toReversed();
  const percent = (value: number | null): string => (value === null ? '' : format.exactPercent(value));
  return (
    <div className="reading-table">
      <Table
        className=""
        caption={chart.label}
        columns={[
          chart.time,
          numeric(chart.level),
          isBucketed && numeric(chart.lowest),
          isBucketed && numeric(chart.highest),
        ]}
      >
        {known.slice(0, count).map(({ ms, level, low, high }) => (
          <tr key={ms}>
            <th scope="row">{format.fullTime(ms)}</th>
            <td className="number">{percent(level)}</td>
            {isBucketed && (
              <>
                <td className="number">{percent(low)}</td>
                <td className="number">{percent(high)}</td>
              </>
            )}
          </tr>
        ))}
      </Table>
      {known.length > count && <Button onClick={() => setCount(count + STEP)}>{chart.more}</Button>}
    </div>
  );
}
