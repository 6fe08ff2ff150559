import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { PEOPLE_WORDS } from '../words/people_words.ts';
import { useContactChange } from './contact_change.tsx';
import { nameOfPerson, type Person, type ReadPeople } from './people_list.ts';
import { ROLES, type Role } from './role_rights.ts';

interface PersonRowProps {
  person: Person;
  /** Nobody changes the own roles: an administrator who does could lock everybody out by mistake. */
  isOwn: boolean;
  readAgain: ReadPeople;
}

/** A person with a box for each role. A box moves when the service has stored it. */
export function PersonRow({ person, isOwn, readAgain }: PersonRowProps) {
  const { language } = usePreferences();
  const texts = ACT_WORDS[language].people;
  const roleNames = PEOPLE_WORDS[language].roles;
  const name = nameOfPerson(person);
  const namesOf = (roles: readonly Role[]): string => roles.map((role) => roleNames[role]).join(', ');
  const { change, save, notices } = useContactChange({
    person,
    readAgain,
    label: texts.label(name),
    conflict: texts.last,
    stored: person.roles.length === 0 ? texts.onlyMails : namesOf(person.roles),
    done: ({ roles = [] }) => (roles.length === 0 ? texts.hasNone(name) : texts.isNow(name, namesOf(roles))),
  });
  return (
    <li>
      <h2>
        {name} {isOwn && <span className="no">{texts.you}</span>}
      </h2>
      <p className="meta">
        {[person.name === null ? null : person.email, person.roles.length === 0 ? texts.onlyMails : null]
          .filter((part) => part !== null)
          .join(' · ')}
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
                  save({ roles: ROLES.filter((one) => (one === role ? target.checked : person.roles.includes(one))) })
                }
              />
              <span>{roleNames[role]}</span>
            </label>
          ))}
          {!isOwn && person.roles.length > 0 && (
            <button
              type="button"
              className="button small"
              aria-label={texts.removeOf(name)}
              onClick={() => save({ roles: [] })}
            >
              {texts.remove}
            </button>
          )}
        </div>
      </fieldset>
      {isOwn && <p className="meta">{texts.own}</p>}
      {notices}
    </li>
  );
}
