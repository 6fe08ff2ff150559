import type { FleetRound, FleetStop } from '@tankwatch/client';
import { useRef, useState } from 'react';
import { csvOf, download } from '../csv.ts';
import { usePreferences, useTexts } from '../preferences.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { addressOf, stopName } from './stop_texts.ts';

interface RoundActionsProps {
  round: FleetRound;
  stops: readonly FleetStop[];
  isOpen: boolean;
  onLink: () => void;
  onState: (state: 'done' | 'cancelled') => void;
  onVroom: (solution: object) => void;
}

/** What is done with a whole round: print it, take it along, send it, end it. */
export function RoundActions({ round, stops, isOpen, onLink, onState, onVroom }: RoundActionsProps) {
  const { words: all, format } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  const [isAsked, setIsAsked] = useState(false);
  const ending =
    round.state === 'under_way'
      ? ({ state: 'done', word: 'end', question: 'askEnd' } as const)
      : ({ state: 'cancelled', word: 'cancel', question: 'askCancel' } as const);
  const open = stops.filter(({ outcome }) => outcome === 'open').length;
  const name = `round-${round.date}-${round.truck.name.replaceAll(/[^\p{L}\d]+/gu, '-')}`;
  const csv = (): string =>
    csvOf([
      [
        '#',
        all.fleet.columns.tank,
        all.customers.number,
        all.tank.customer,
        words.phone,
        words.address,
        words.latitude,
        words.longitude,
        words.columns.volume,
        words.columns.why,
        words.notes,
        words.outcome,
      ],
      ...stops.map((stop, at) => [
        at + 1,
        stopName({ ...stop, tank: stop.tank && { ...stop.tank, custom_id: null } }, words.deletedTank),
        stop.tank?.custom_id ?? '',
        stop.tank?.owner_name ?? '',
        stop.tank?.owner_phone ?? '',
        addressOf(stop),
        stop.tank?.latitude ?? '',
        stop.tank?.longitude ?? '',
        Math.round(stop.volume),
        words[stop.kind],
        stop.notes.join(' / '),
        stop.outcome === 'open' ? '' : (stop.delivered_volume ?? words.says.not_possible),
      ]),
    ]);
  const takeVroom = async (chosen: File): Promise<void> => {
    const solution: unknown = await chosen
      .text()
      .then(
        (text) => JSON.parse(text),
        () => null,
      )
      .catch(() => null);
    const isSolution = typeof solution === 'object' && solution !== null;
    setProblem(isSolution ? '' : words.vroomBad);
    if (isSolution) onVroom(solution);
  };
  return (
    <div className="actions round-actions no-print">
      <button type="button" className="button" disabled={stops.length === 0} onClick={() => window.print()}>
        {words.print}
      </button>
      <button
        type="button"
        className="button"
        disabled={stops.length === 0}
        onClick={() => download(`${name}.csv`, csv())}
      >
        {words.csv}
      </button>
      {stops.length > 0 && (
        <a className="button" href={`/fleet/v1/rounds/${round.id}?format=vroom`} download={`${name}.json`}>
          {words.vroom}
        </a>
      )}
      {isOpen && (
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
          <button type="button" className="button" onClick={() => file.current?.click()}>
            {words.vroomTake}
          </button>
          <button type="button" className="button" aria-expanded={isAsked} onClick={() => setIsAsked(!isAsked)}>
            {words[ending.word]}
          </button>
          <button type="button" className="button primary" onClick={onLink}>
            {words.send}
          </button>
        </>
      )}
      {isOpen && isAsked && (
        <div className="ask" role="alertdialog" aria-label={words[ending.word]}>
          <p>{words[ending.question](words.stopsShort(open, format.count(open)))}</p>
          <button
            type="button"
            className="button danger"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has asked for this question
            autoFocus
            onKeyDown={({ key }) => key === 'Escape' && setIsAsked(false)}
            onClick={() => {
              setIsAsked(false);
              onState(ending.state);
            }}
          >
            {words[ending.word]}
          </button>{' '}
          <button type="button" className="button" onClick={() => setIsAsked(false)}>
            {words.dismiss}
          </button>
        </div>
      )}
      {problem !== '' && <p role="alert">{problem}</p>}
    </div>
  );
}
