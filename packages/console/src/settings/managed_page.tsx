import type { ReactNode } from 'react';
import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { SettingsHead } from './settings_head.tsx';
import '../styles/forms.css';

interface ManagedPageProps<Item> {
  page: 'sources' | 'webhooks';
  canChange: boolean;
  list: { data: readonly Item[] | undefined; error: Error | null; refetch: () => unknown };
  intro: string;
  /** The text for an empty list. */
  none: string;
  item: (item: Item) => ReactNode;
  /** The form beside the list, which adds an item. */
  children: ReactNode;
}

/** Whether the person may change sources and webhooks. */
export const canManage = (session: Session): boolean => session.rights.includes('webhooks');

/** A page that only administrators see: a list, and a form beside it. */
export function ManagedPage<Item>({ page, canChange, list, intro, none, item, children }: ManagedPageProps<Item>) {
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const { data, error, refetch } = list;
  return (
    <div className={`settings ${page}`}>
      <SettingsHead page={page} />
      {!canChange && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      {canChange && (
        <div className="beside">
          <div>
            <p className="meta">{intro}</p>
            {data?.length === 0 && <p className="notice">{none}</p>}
            {data?.map(item)}
          </div>
          <div>{children}</div>
        </div>
      )}
    </div>
  );
}
