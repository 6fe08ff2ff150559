import type { RoundProposal } from '@tankwatch/client';
import type { ReactNode } from 'react';
import { useNow } from '../clock.ts';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ROUND_TEXTS } from '../translations/rounds.ts';
import { Estimate } from './estimate.tsx';
import { proposedEmpty, proposedLevel } from './proposed_texts.ts';

type Proposed = RoundProposal['no_forecast'][number];

interface ProposedTableProps {
  /** The name of the first column, for screen readers. */
  first: string;
  /** Null for a column without a heading. */
  why: string | null;
  /** True if there is an empty column that is as wide as the buttons of the stops above. */
  hasSpace?: boolean;
  children: ReactNode;
}

/** A table with the same columns as the table of the stops. */
export function ProposedTable({ first, why, hasSpace = false, children }: ProposedTableProps) {
  const { words: all } = usePreferences();
  const words = useTexts(ROUND_TEXTS);
  return (
    <Table
      className="plan-table proposed"
      columns={[
        { text: <span className="hidden">{first}</span>, className: 'p-no' },
        words.columns.tank,
        { text: words.columns.level, className: 'p-level' },
        numeric(words.columns.volume, 'p-volume'),
        { text: why, className: 'p-why' },
        numeric(all.fleet.columns.empty, 'p-empty'),
        hasSpace && { text: null, className: 'p-act' },
      ]}
    >
      {children}
    </Table>
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
      <th scope="row">
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
