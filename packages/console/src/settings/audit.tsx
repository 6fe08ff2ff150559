import type { AuditEntry } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client, type Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { AUDIT_TEXTS } from '../translations/audit.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { useUrlState } from '../url_state.ts';
import { auditSentence } from './audit_sentence.ts';
import { SettingsHead } from './settings_head.tsx';

const REFRESH_MS = 10_000;

/** Who changed what, newest first. */
export function AuditPage({ session }: { session: Session }) {
  const { format } = usePreferences();
  const texts = useTexts(AUDIT_TEXTS);
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const canSee = session.rights.includes('audit');
  const { given, href } = useUrlState();
  const before = given.get('before');
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', before],
    queryFn: ({ signal }) =>
      client.manage.audit({ before: before === null ? undefined : Number(before), size: 50 }, { signal }),
    enabled: canSee,
    placeholderData: keepPreviousData,
    refetchInterval: before === null ? REFRESH_MS : false,
  });
  const last = data?.data.at(-1);
  return (
    <div className="settings">
      <SettingsHead page="audit" />
      <h2>{texts.title}</h2>
      {!canSee && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canSee && data === undefined && error === null && <Skeleton rows={10} />}
      {canSee && <p className="meta">{texts.intro}</p>}
      {data?.data.length === 0 && <p className="notice">{texts.none}</p>}
      {data !== undefined && data.data.length > 0 && (
        <Table className="stacked event-table audit-table" columns={[texts.when, texts.what]}>
          {data.data.map((entry) => (
            <tr key={entry.number}>
              <td className="when">{format.fullTime(entry.at)}</td>
              <td>
                <What entry={entry} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p className="actions">
        {before !== null && (
          <Link className="button" href={href({ before: undefined })}>
            {texts.newest}
          </Link>
        )}
        {data?.has_more === true && last !== undefined && (
          <Link className="button" href={href({ before: String(last.number) })}>
            {texts.older}
          </Link>
        )}
      </p>
    </div>
  );
}

/** The pages of the objects that have one. */
const PAGES: Readonly<Record<string, string>> = { tank: 'tanks', customer: 'customers' };

/** What happened, with a link to the object if it has a page. */
function What({ entry }: { entry: AuditEntry }) {
  const { action, changed, changed_id: changedId, tank_id: tankId } = entry;
  const { format } = usePreferences();
  const { before, name, after } = auditSentence(entry, useTexts(AUDIT_TEXTS), format);
  const page = PAGES[changed];
  const href =
    tankId !== null
      ? `/tanks/${tankId}`
      : page === undefined || changedId === null || action === 'delete'
        ? null
        : `/${page}/${changedId}`;
  return (
    <>
      {before}
      {href === null ? name : <Link href={href}>{name}</Link>}
      {after}
    </>
  );
}
