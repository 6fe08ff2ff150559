import type { ReactNode } from 'react';

interface CardProps {
  /** The id of the heading, which names the card. */
  id: string;
  title: ReactNode;
  className?: string;
  /** The button beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

/** One of the small panels above the chart of a tank. */
export function Card({ id, title, className = '', action, children }: CardProps) {
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
