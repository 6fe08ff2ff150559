import type { AuditEntry } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client, type Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { usePreferences, useTexts } from '../preferences.tsx';
import { AUDIT_TEXTS } from '../translations/audit.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { useUrlState } from '../url_state.ts';
import { SettingsHead } from './settings_head.tsx';

/** Texts by the names of the database, which may have newer names. */
type Names = Readonly<Record<string, string>>;

const REFRESH_MS = 10_000;

/** Who changed what, newest first. */
export function AuditPage({ session }: { session: Session }) {
  const { format } = usePreferences();
  const texts = useTexts(AUDIT_TEXTS);
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const fieldNames: Names = texts.fieldNames;
  const canSee = session.can.includes('audit');
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
        <Table className="event-table audit-table" columns={[texts.when, texts.who, texts.what, texts.fields]}>
          {data.data.map((entry) => (
            <tr key={entry.number}>
              <td className="when">{format.fullTime(entry.at)}</td>
              <td>{whoOf(entry, texts)}</td>
              <td>
                <What entry={entry} />
              </td>
              <td className="why">{entry.fields.map((field) => fieldNames[field] ?? field).join(', ')}</td>
            </tr>
          ))}
        </Table>
      )}
      <p className="button-row">
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

function What({ entry }: { entry: AuditEntry }) {
  const { action, changed, changed_id: changedId, changed_name: changedName, tank_id: tankId } = entry;
  const { format } = usePreferences();
  const texts = useTexts(AUDIT_TEXTS);
  const { actionNames, objectNames }: Record<'actionNames' | 'objectNames', Names> = texts;
  // The text of the console, or the name in the database.
  const object = objectNames[changed] ?? changed;
  const text = texts.sentence(
    actionNames[action] ?? action,
    entry.changed_objects > 1 ? texts.several(format.count(entry.changed_objects), object) : object,
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

function whoOf({ name, actor }: AuditEntry, texts: (typeof AUDIT_TEXTS)['en']): string {
  if (name !== null) return name;
  const [kind = '', id = ''] = actor.split(' ');
  if (kind === 'contact') return texts.removedPerson;
  return kind === 'key' ? texts.key(id) : texts.command(actor);
}
