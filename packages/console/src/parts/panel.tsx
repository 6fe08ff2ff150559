import type { ReactNode } from 'react';

interface PanelProps {
  /** The id of the heading, which names the panel. */
  id: string;
  title: ReactNode;
  className?: string;
  /** The button beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a frame and a heading. */
export function Panel({ id, title, className = '', action, children }: PanelProps) {
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section className={`panel ${className}`.trim()} aria-labelledby={id}>
      {action === undefined ? (
        heading
      ) : (
        <div className="panel-head">
          {heading}
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
