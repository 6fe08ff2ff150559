import type { FleetRound, FleetStop } from '@tankwatch/client';
import { useRef, useState } from 'react';
import { csvOf, download } from '../csv.ts';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { addressOf, stopName } from './stop_texts.ts';

interface RoundExportProps {
  round: FleetRound;
  stops: readonly FleetStop[];
  /** Undefined if the round is over, because its order cannot change any more. */
  onVroom: ((solution: object) => void) | undefined;
}

/** Exports a round for a spreadsheet and for VROOM, which orders stops by road distances. */
export function RoundExport({ round, stops, onVroom }: RoundExportProps) {
  const texts = useTexts(ROUND_TEXTS);
  const csv = useRoundCsv();
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  const name = `round-${round.date}-${round.truck.name.replaceAll(/[^\p{L}\d]+/gu, '-')}`;
  const takeVroom = async (chosen: File): Promise<void> => {
    const solution: unknown = await chosen
      .text()
      .then(
        (text) => JSON.parse(text),
        () => null,
      )
      .catch(() => null);
    const isSolution = typeof solution === 'object' && solution !== null;
    setProblem(isSolution ? '' : texts.vroomBad);
    if (isSolution) onVroom?.(solution);
  };
  return (
    <details className="export">
      <summary className="button">{texts.export}</summary>
      <div className="export-form">
        <Button onClick={() => download(`${name}.csv`, csv(stops))}>{texts.csv}</Button>
        <a className="button" href={`/fleet/v1/rounds/${round.id}?format=vroom`} download={`${name}.json`}>
          {texts.vroom}
        </a>
        {onVroom !== undefined && (
          <>
            <input
              ref={file}
              type="file"
              accept="application/json,.json"
              hidden
              onChange={({ target }) => {
                const [chosen] = target.files ?? [];
                if (chosen !== undefined) void takeVroom(chosen);
                target.value = '';
              }}
            />
            <Button onClick={() => file.current?.click()}>{texts.vroomTake}</Button>
          </>
        )}
        {problem !== '' && <p role="alert">{problem}</p>}
      </div>
    </details>
  );
}

/** A CSV file with a row for each stop. A blocked stop has no address, because nobody may go there. */
function useRoundCsv(): (stops: readonly FleetStop[]) => string {
  const { words } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const placeOf = (stop: FleetStop): (string | number)[] =>
    stop.block === null ? [addressOf(stop), stop.tank?.latitude ?? '', stop.tank?.longitude ?? ''] : ['', '', ''];
  const outcomeOf = ({ block, outcome, delivered_volume: delivered }: FleetStop): string | number => {
    if (block !== null) return texts.printStop;
    return outcome === 'open' ? '' : (delivered ?? texts.says.not_possible);
  };
  return (stops) =>
    csvOf([
      [
        '#',
        words.fleet.columns.tank,
        words.customers.number,
        words.tank.customer,
        texts.phone,
        texts.address,
        texts.latitude,
        texts.longitude,
        texts.columns.volume,
        texts.columns.why,
        texts.notes,
        texts.outcome,
      ],
      ...stops.map((stop, index) => [
        index + 1,
        stopName({ ...stop, tank: stop.tank && { ...stop.tank, custom_id: null } }, texts.deletedTank),
        stop.tank?.custom_id ?? '',
        stop.tank?.owner_name ?? '',
        stop.tank?.owner_phone ?? '',
        ...placeOf(stop),
        Math.round(stop.volume),
        texts[stop.kind],
        stop.notes.join(' / '),
        outcomeOf(stop),
      ]),
    ]);
}
