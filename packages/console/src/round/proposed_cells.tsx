import type { RoundProposal } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { useNow } from '../clock.ts';
import { usePreferences } from '../preferences.tsx';
import { useRoundWords } from '../words/round_words.ts';
import { Estimate } from './estimate.tsx';
import { proposedEmpty, proposedLevel } from './proposed_texts.ts';

type Proposed = RoundProposal['no_forecast'][number];

interface ProposedHeadProps {
  /** What stands before the name. */
  first: string;
  why: string;
  hasWhy?: boolean;
  /** A column without content, as wide as the buttons of the stops above. */
  hasSpace?: boolean;
}

/** Headings like those of the stops. */
export function ProposedHead({ first, why, hasWhy = true, hasSpace = false }: ProposedHeadProps) {
  const { words: all } = usePreferences();
  const words = useRoundWords();
  return (
    <thead>
      <tr>
        <th scope="col" className="p-no">
          <span className="hidden">{first}</span>
        </th>
        <th scope="col" className="p-tank">
          {words.columns.tank}
        </th>
        <th scope="col" className="p-level">
          {words.columns.level}
        </th>
        <th scope="col" className="number p-volume">
          {words.columns.volume}
        </th>
        {hasWhy ? (
          <th scope="col" className="p-why">
            {why}
          </th>
        ) : (
          <td className="p-why" />
        )}
        <th scope="col" className="number p-empty">
          {all.fleet.columns.empty}
        </th>
        {hasSpace && <td className="p-act" />}
      </tr>
    </thead>
  );
}

interface ProposedRowProps {
  tank: Proposed;
  /** The number of the stop, or the button that adds it. */
  first: ReactNode;
  name: ReactNode;
  volume: string;
  why: ReactNode;
  hasSpace?: boolean;
}

export function ProposedRow({ tank, first, name, volume, why, hasSpace = false }: ProposedRowProps) {
  const { words: all, format } = usePreferences();
  const empty = proposedEmpty(tank, all, format);
  const level = proposedLevel(tank, useNow(), all, format);
  return (
    <tr className="row">
      <td className="p-no">{first}</td>
      <th scope="row" className="p-tank">
        <div className="tank-name">
          {name} {tank.custom_id !== null && <span className="no">{tank.custom_id}</span>}
        </div>
        <div className="meta">{[tank.owner_name, tank.city].filter((part) => part !== null).join(' · ')}</div>
      </th>
      <td className="p-level">
        {level.main}
        {level.detail !== '' && <div className="meta">{level.detail}</div>}
        <Estimate estimate={tank.estimate} />
      </td>
      <td className="number p-volume">
        <b>{volume}</b>
      </td>
      <td className="p-why">{why}</td>
      <td className="number p-empty" data-label={empty.isSentence ? undefined : all.fleet.columns.empty}>
        {empty.main}
      </td>
      {hasSpace && <td className="p-act" />}
    </tr>
  );
}
