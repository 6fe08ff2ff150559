import type { ReactNode } from 'react';

interface FactsProps {
  className: string;
  /** Terms with their values. False for a fact that is left out. */
  facts: readonly (readonly [term: string, value: ReactNode] | false)[];
}

export const Facts = ({ className, facts }: FactsProps) => (
  <dl className={className}>
    {facts
      .filter((fact) => fact !== false)
      .map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
