import { ApiError, ConnectionError, NotFoundError, TankwatchError } from '@tankwatch/client';
import { useWords } from '../preferences.tsx';

interface ProblemNoticeProps {
  error: Error;
  /** What could not be read. */
  title?: string;
  notFound?: string;
  onRetry: () => void;
}

/** A read that failed: what happened, the id of the request, and a button to try again. */
export function ProblemNotice({ error, title, notFound, onRetry }: ProblemNoticeProps) {
  const words = useWords();
  if (error instanceof NotFoundError && notFound !== undefined) return <p className="notice">{notFound}</p>;
  const detail =
    error instanceof ApiError ? error.message : error instanceof ConnectionError ? words.problem.connection : '';
  return (
    <div className="notice failed" role="alert">
      <p>
        <strong>{title ?? words.problem.title}</strong> {detail}
      </p>
      <p>
        <button type="button" className="button" onClick={onRetry}>
          {words.problem.retry}
        </button>{' '}
        {error instanceof TankwatchError && <span className="meta">{words.problem.request(error.requestId)}</span>}
      </p>
    </div>
  );
}

/** Grey lines in the place of what is loading. They appear after 150 ms, so that a fast read shows no flicker. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const words = useWords();
  return (
    <div className="skeleton" role="status" aria-label={words.problem.loading}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
