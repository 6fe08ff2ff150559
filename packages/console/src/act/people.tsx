import { useState } from 'react';
import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { PEOPLE_WORDS } from '../words/people_words.ts';
import { Field } from './field.tsx';
import { NewContact } from './new_contact.tsx';
import { usePeople } from './people_list.ts';
import { PersonRow } from './person_row.tsx';
import { ROLES, type Role, rightsOfRole } from './role_rights.ts';
import { SettingsHead } from './settings_head.tsx';
import '../styles/act.css';

/** Who may do what in the console. */
export function PeoplePage({ session }: { session: Session }) {
  const texts = ACT_WORDS[usePreferences().language];
  const canChange = session.can.includes('contacts');
  const { data, error, refetch, readAgain } = usePeople({ isEnabled: canChange });
  return (
    <div className="settings people">
      <SettingsHead page="people" />
      {!canChange && <p className="notice">{texts.askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      <div className="beside">
        {data !== undefined && (
          <div>
            <p className="meta">{texts.people.intro}</p>
            <ul className="people-list">
              {data.map((person) => (
                <PersonRow
                  key={person.id}
                  person={person}
                  isOwn={person.id === session.person?.id}
                  readAgain={readAgain}
                />
              ))}
            </ul>
          </div>
        )}
        <div>
          {canChange && <Invitation onAdded={() => void readAgain()} />}
          <Rights />
        </div>
      </div>
    </div>
  );
}

function Invitation({ onAdded }: { onAdded: () => void }) {
  const { language } = usePreferences();
  const texts = ACT_WORDS[language].people;
  const roleNames = PEOPLE_WORDS[language].roles;
  const [role, setRole] = useState<Role>('dispatcher');
  return (
    <NewContact
      id="invite"
      texts={{ title: texts.invite, send: texts.send, added: texts.added, label: texts.inviteLabel }}
      values={{ types: [], roles: [role] }}
      onAdded={onAdded}
    >
      {(problemOf) => (
        <Field label={texts.role} problem={problemOf('roles')}>
          {(attributes) => (
            <select
              {...attributes}
              value={role}
              onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? 'viewer')}
            >
              {ROLES.map((one) => (
                <option key={one} value={one}>
                  {roleNames[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </NewContact>
  );
}

function Rights() {
  const { language } = usePreferences();
  const texts = ACT_WORDS[language].people;
  const roleNames = PEOPLE_WORDS[language].roles;
  return (
    <section className="panel" aria-labelledby="rights">
      <h2 id="rights">{texts.may}</h2>
      <dl className="rights">
        {ROLES.map((role) => (
          <div key={role}>
            <dt>{roleNames[role]}</dt>
            <dd>
              {rightsOfRole(role)
                .map((right) => texts.rights[right])
                .join('; ')}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
