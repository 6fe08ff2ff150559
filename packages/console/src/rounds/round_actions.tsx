import type { FleetRound, FleetStop } from '@tankwatch/client';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { RECORD_TEXTS } from '../translations/record_stop.ts';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { RoundExport } from './round_export.tsx';

interface RoundActionsProps {
  round: FleetRound;
  stops: readonly FleetStop[];
  isOpen: boolean;
  onLink: () => void;
  onState: (state: 'under_way' | 'done' | 'cancelled') => void;
  onVroom: (solution: object) => void;
}

/** The actions for a whole round: print it, export it, send it to the driver, end it. */
export function RoundActions({ round, stops, isOpen, onLink, onState, onVroom }: RoundActionsProps) {
  const { format } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  const { start } = useTexts(RECORD_TEXTS);
  const [isAsking, setIsAsking] = useState(false);
  const ending =
    round.state === 'under_way'
      ? ({ state: 'done', word: 'end', question: 'askEnd' } as const)
      : ({ state: 'cancelled', word: 'cancel', question: 'askCancel' } as const);
  const open = stops.filter(({ outcome }) => outcome === 'open').length;
  return (
    <div className="actions round-actions no-print">
      <Button disabled={stops.length === 0} onClick={() => window.print()}>
        {texts.print}
      </Button>
      {stops.length > 0 && <RoundExport round={round} stops={stops} onVroom={isOpen ? onVroom : undefined} />}
      {isOpen && (
        <>
          {round.state === 'planned' && stops.length > 0 && (
            <Button onClick={() => onState('under_way')}>{start}</Button>
          )}
          <Button aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
            {texts[ending.word]}
          </Button>
          <Button className="primary" onClick={onLink}>
            {texts.send}
          </Button>
        </>
      )}
      {isOpen && isAsking && (
        <div className="ask" role="alertdialog" aria-label={texts[ending.word]}>
          <p>{texts[ending.question](texts.stopsShort(open, format.count(open)))}</p>
          <Button
            className="danger"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has asked for this question
            autoFocus
            onKeyDown={({ key }) => key === 'Escape' && setIsAsking(false)}
            onClick={() => {
              setIsAsking(false);
              onState(ending.state);
            }}
          >
            {texts[ending.word]}
          </Button>{' '}
          <Button onClick={() => setIsAsking(false)}>{texts.dismiss}</Button>
        </div>
      )}
    </div>
  );
}
