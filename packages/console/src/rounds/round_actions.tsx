import type { FleetRound, FleetStop } from '@tankwatch/client';
import { useState } from 'react';
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
      <button type="button" className="button" disabled={stops.length === 0} onClick={() => window.print()}>
        {texts.print}
      </button>
      {stops.length > 0 && <RoundExport round={round} stops={stops} onVroom={isOpen ? onVroom : undefined} />}
      {isOpen && (
        <>
          {round.state === 'planned' && stops.length > 0 && (
            <button type="button" className="button" onClick={() => onState('under_way')}>
              {start}
            </button>
          )}
          <button type="button" className="button" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
            {texts[ending.word]}
          </button>
          <button type="button" className="button primary" onClick={onLink}>
            {texts.send}
          </button>
        </>
      )}
      {isOpen && isAsking && (
        <div className="ask" role="alertdialog" aria-label={texts[ending.word]}>
          <p>{texts[ending.question](texts.stopsShort(open, format.count(open)))}</p>
          <button
            type="button"
            className="button danger"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has asked for this question
            autoFocus
            onKeyDown={({ key }) => key === 'Escape' && setIsAsking(false)}
            onClick={() => {
              setIsAsking(false);
              onState(ending.state);
            }}
          >
            {texts[ending.word]}
          </button>{' '}
          <button type="button" className="button" onClick={() => setIsAsking(false)}>
            {texts.dismiss}
          </button>
        </div>
      )}
    </div>
  );
}
