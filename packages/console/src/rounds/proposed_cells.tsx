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
  const { words } = usePreferences();
  const texts = useTexts(ROUND_TEXTS);
  return (
    <Table
      className="plan-table proposed"
      columns={[
        { text: <span className="hidden">{first}</span>, className: 'p-no' },
        texts.columns.tank,
        { text: texts.columns.level, className: 'p-level' },
        numeric(texts.columns.volume, 'p-volume'),
        { text: why, className: 'p-why' },
        numeric(words.fleet.columns.empty, 'p-empty'),
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
  const { words, format } = usePreferences();
  const empty = proposedEmpty(tank, words, format);
  const level = proposedLevel(tank, useNow(), words, format);
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
      <td className="number p-empty" data-label={empty.isSentence ? undefined : words.fleet.columns.empty}>
        {empty.main}
      </td>
      {hasSpace && <td className="p-act" />}
    </tr>
  );
}
