import type { ReactNode } from 'react';

export interface Heading {
  /** Null for a column without a heading. */
  text: ReactNode;
  className?: string;
  title?: string;
  'aria-sort'?: 'ascending' | 'descending' | 'none';
}

/** A heading, null for a column without one, or false for a column that is left out. */
type Column = string | Heading | null | false;

interface TableProps {
  /** `stacked` makes a card of each row on a phone. */
  className: string;
  /** The name of the table for screen readers. */
  caption?: string;
  columns: readonly Column[];
  /** True if the children are `tbody` elements with several rows each. */
  hasBodies?: boolean;
  children: ReactNode;
}

/** A column of numbers, which are aligned to the right. */
export const numeric = (text: ReactNode, className = ''): Heading => ({
  text,
  className: `number ${className}`.trim(),
});

/** A cell of a column of numbers. On a phone, `label` is shown before the number. */
export const NumberCell = ({ label, children }: { label?: string; children: ReactNode }) => (
  <td className="number" data-label={label}>
    {children}
  </td>
);

export function Table({ className, caption, columns, hasBodies = false, children }: TableProps) {
  return (
    <table className={className}>
      {caption !== undefined && <caption className="hidden">{caption}</caption>}
      <thead>
        <tr>{columns.map(headingOf)}</tr>
      </thead>
      {hasBodies ? children : <tbody>{children}</tbody>}
    </table>
  );
}

function headingOf(column: Column, index: number): ReactNode {
  if (column === false) return null;
  if (column === null || typeof column === 'string') return headingOf({ text: column }, index);
  const { text, ...attributes } = column;
  if (text === null) return <td key={index} {...attributes} />;
  return (
    <th key={index} scope="col" {...attributes}>
      {text}
    </th>
  );
}
