import { ApiError, ConnectionError, NotFoundError, ServerError, TankwatchError } from '@tankwatch/client';
import { useTranslation } from '../preferences_and_words.tsx';
import type { Translation } from '../translations/translation.ts';
import { Button } from './button.tsx';

interface ProblemNoticeProps {
  error: Error;
  /** What could not be read. */
  title?: string;
  notFound?: string;
  onRetry: () => void;
}

/** A read that failed: what happened, the id of the request, and a button to try again. */
export function ProblemNotice({ error, title, notFound, onRetry }: ProblemNoticeProps) {
  const words = useTranslation();
  if (error instanceof NotFoundError && notFound !== undefined) return <p className="notice">{notFound}</p>;
  return (
    <div className="notice failed" role="alert">
      <p>
        <strong>{title ?? words.problem.title}</strong> {detailOf(error, words.problem)}
      </p>
      <p>
        <Button onClick={onRetry}>{words.problem.retry}</Button>{' '}
        {error instanceof TankwatchError && <span className="meta">{words.problem.request(error.requestId)}</span>}
      </p>
    </div>
  );
}

/** The details of the service are in English. For a server error they do not help the viewer. */
function detailOf(error: Error, texts: Translation['problem']): string {
  if (error instanceof ServerError) return texts.server;
  if (error instanceof ApiError) return error.message;
  return error instanceof ConnectionError ? texts.connection : '';
}

/** Grey lines that are shown while something loads. They appear after 150 ms, so that a fast read does not flicker. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const words = useTranslation();
  return (
    <div className="skeleton" role="status" aria-label={words.problem.loading}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
