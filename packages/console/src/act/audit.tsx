import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import { useUrlState } from '../url_state.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { AUDITED_ACTIONS, AUDITED_FIELDS, AUDITED_OBJECTS } from '../words/audit_words.ts';
import { MANAGE_WORDS, type ManageWords } from '../words/manage_words.ts';
import { type AuditEntry, readAudit } from './audit_log.ts';
import { SettingsHead } from './settings_head.tsx';

const REFRESH_MS = 10_000;

/** Who changed what, newest first. */
export function AuditPage({ session }: { session: Session }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].audit;
  const canSee = session.can.includes('audit');
  const { given, href } = useUrlState();
  const before = given.get('before');
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', before],
    queryFn: ({ signal }) => readAudit({ before, size: 50 }, signal),
    enabled: canSee,
    placeholderData: keepPreviousData,
    refetchInterval: before === null ? REFRESH_MS : false,
  });
  const last = data?.entries.at(-1);
  return (
    <div className="settings">
      <SettingsHead page="audit" />
      <h2>{texts.title}</h2>
      {!canSee && <p className="notice">{ACT_WORDS[language].askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canSee && data === undefined && error === null && <Skeleton rows={10} />}
      {canSee && <p className="meta">{texts.intro}</p>}
      {data?.entries.length === 0 && <p className="notice">{texts.none}</p>}
      {data !== undefined && data.entries.length > 0 && (
        <table className="event-table audit-table">
          <thead>
            <tr>
              <th scope="col">{texts.when}</th>
              <th scope="col">{texts.who}</th>
              <th scope="col">{texts.what}</th>
              <th scope="col">{texts.fields}</th>
            </tr>
          </thead>
          <tbody>
            {data.entries.map((entry) => (
              <tr key={entry.number}>
                <td className="when">{format.fullTime(entry.at)}</td>
                <td>{whoOf(entry, texts)}</td>
                <td>
                  <What entry={entry} />
                </td>
                <td className="why">
                  {entry.fields.map((field) => AUDITED_FIELDS[field]?.[language] ?? field).join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="button-row">
        {before !== null && (
          <Link className="button" href={href({ before: undefined })}>
            {texts.newest}
          </Link>
        )}
        {data?.hasMore === true && last !== undefined && (
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

function What({ entry: { action, changed, changedId, changedName, tankId, changedObjects } }: { entry: AuditEntry }) {
  const { language, format } = usePreferences();
  const texts = MANAGE_WORDS[language].audit;
  // The text of the console, or the name in the database.
  const object = AUDITED_OBJECTS[changed]?.[language] ?? changed;
  const text = texts.sentence(
    AUDITED_ACTIONS[action]?.[language] ?? action,
    changedObjects > 1 ? texts.several(format.count(changedObjects), object) : object,
  );
  const page = PAGES[changed];
  const href =
    tankId !== null
      ? `/tanks/${tankId}`
      : page === undefined || changedId === null || action === 'delete'
        ? null
        : `/${page}/${changedId}`;
  const which =
    changed === 'round' && changedName !== null ? format.longDate(`${changedName}T12:00:00`) : (changedName ?? '');
  return (
    <>
      {href !== null && which === '' ? <Link href={href}>{text}</Link> : text}
      {which !== '' && ' · '}
      {href !== null && which !== '' ? <Link href={href}>{which}</Link> : which}
    </>
  );
}

function whoOf({ name, actor }: AuditEntry, texts: ManageWords['audit']): string {
  if (name !== null) return name;
  const [kind = '', id = ''] = actor.split(' ');
  if (kind === 'contact') return texts.removedPerson;
  return kind === 'key' ? texts.key(id) : texts.command(actor);
}
