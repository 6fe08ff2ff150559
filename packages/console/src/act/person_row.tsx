import { useEffect, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { PEOPLE_WORDS } from '../words/people_words.ts';
import { ChangedNotice, ChangeNotice } from './change_notice.tsx';
import { nameOfPerson, type Person, ROLES, type Role } from './people_list.ts';
import { useChange } from './use_change.ts';

interface PersonRowProps {
  person: Person;
  /** Nobody changes the own roles: an administrator who does could lock everybody out by mistake. */
  isOwn: boolean;
  readAgain: () => Promise<readonly Person[] | undefined>;
}

/** A person with a box for each role. A box moves when the service has stored it. */
export function PersonRow({ person, isOwn, readAgain }: PersonRowProps) {
  const { language } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = all.people;
  const roleNames = PEOPLE_WORDS[language].roles;
  /** The roles before the last change, for undo. */
  const [before, setBefore] = useState<readonly Role[] | null>(null);
  const [wanted, setWanted] = useState<readonly Role[]>(person.roles);
  const change = useChange(() => void readAgain());
  const { state } = change;
  const name = nameOfPerson(person);
  const isChanged = state.kind === 'refused' && state.status === 412;
  // Whose roles they are now.
  useEffect(() => {
    if (isChanged) void readAgain();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each refusal
  }, [isChanged]);
  const namesOf = (roles: readonly Role[]): string => roles.map((role) => roleNames[role]).join(', ');

  const save = (roles: readonly Role[], etag = person.etag): void => {
    setBefore(person.roles);
    setWanted(roles);
    change.begin({
      method: 'PATCH',
      path: `/contacts/${person.id}`,
      body: { roles },
      ifMatch: etag,
      label: texts.label(name),
    });
  };
  const keepMine = async (): Promise<void> => {
    const newest = (await readAgain())?.find(({ id }) => id === person.id);
    if (newest !== undefined) save(wanted, newest.etag);
  };
  return (
    <li>
      <h2>
        {name} {isOwn && <span className="no">{texts.you}</span>}
      </h2>
      <p className="meta">
        {person.name !== null && person.email}
        {person.roles.length === 0 && ` ${texts.onlyMails}`}
      </p>
      <fieldset disabled={isOwn || change.isBusy}>
        <legend className="hidden">{texts.label(name)}</legend>
        <div className="picks">
          {ROLES.map((role) => (
            <label key={role}>
              <input
                type="checkbox"
                aria-label={texts.roleOf(roleNames[role], name)}
                checked={person.roles.includes(role)}
                onChange={({ target }) =>
                  save(ROLES.filter((one) => (one === role ? target.checked : person.roles.includes(one))))
                }
              />
              <span>{roleNames[role]}</span>
            </label>
          ))}
          {!isOwn && person.roles.length > 0 && (
            <button type="button" className="button small" aria-label={texts.removeOf(name)} onClick={() => save([])}>
              {texts.remove}
            </button>
          )}
        </div>
      </fieldset>
      {isOwn && <p className="meta">{texts.own}</p>}
      {state.kind === 'saved' && before !== null && (
        <p className="undo" role="status">
          {wanted.length === 0 ? texts.hasNone(name) : texts.isNow(name, namesOf(wanted))}{' '}
          <button type="button" className="button small" onClick={() => save(before)}>
            {all.undo}
          </button>
        </p>
      )}
      {isChanged && (
        <ChangedNotice
          objectId={person.id}
          at={null}
          theirs={all.stored(person.roles.length === 0 ? texts.onlyMails : namesOf(person.roles))}
          onMine={() => void keepMine()}
          onTheirs={() => {
            change.reset();
            void readAgain();
          }}
        />
      )}
      <ChangeNotice change={change} conflict={() => texts.last} />
    </li>
  );
}
