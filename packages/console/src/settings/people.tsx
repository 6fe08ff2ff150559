import { useState } from 'react';
import type { Session } from '../api.ts';
import { SelectField } from '../forms/field.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { LANGUAGES, usePreferences, useTexts } from '../preferences_and_words.tsx';
import { useContacts } from './contact_list.ts';
import { NewContact } from './new_contact.tsx';
import { PersonRow } from './person_row.tsx';
import { ROLES, type Role, rightsOfRole } from './role_rights.ts';
import { SettingsHead } from './settings_head.tsx';
import '../styles/forms.css';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { PEOPLE_TEXTS } from '../translations/people.ts';
import type { Language } from '../translations/translation.ts';

/** Who may do what in the console. */
export function PeoplePage({ session }: { session: Session }) {
  const texts = useTexts(PEOPLE_TEXTS);
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const canChange = session.rights.includes('contacts');
  const { data, error, refetch, readAgain } = useContacts({ isEnabled: canChange });
  return (
    <div className="settings people">
      <SettingsHead page="people" />
      {!canChange && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      <div className="beside">
        {data !== undefined && (
          <div>
            <p className="meta">{texts.intro}</p>
            <ul className="people-list">
              {data.map((contact) => (
                <PersonRow
                  key={contact.id}
                  contact={contact}
                  isOwn={contact.id === session.person?.id}
                  canInvite={session.hasMails}
                  readAgain={readAgain}
                />
              ))}
            </ul>
          </div>
        )}
        <div>
          {canChange && <Invitation canInvite={session.hasMails} onAdded={() => void readAgain()} />}
          <Rights />
        </div>
      </div>
    </div>
  );
}

function Invitation({ canInvite, onAdded }: { canInvite: boolean; onAdded: () => void }) {
  const texts = useTexts(PEOPLE_TEXTS);
  const roleNames = useTexts(ACCOUNT_TEXTS).roles;
  const [role, setRole] = useState<Role>('dispatcher');
  const [language, setLanguage] = useState<Language>(usePreferences().language);
  return (
    <NewContact
      id="invite"
      texts={{
        title: texts.addTitle,
        send: canInvite ? texts.addAndInvite : texts.addPerson,
        added: canInvite ? texts.invited : texts.added,
        label: texts.addLabel,
      }}
      values={{ types: [], roles: [role], language, ...(canInvite ? { invite: true } : {}) }}
      onAdded={onAdded}
    >
      {(problemOf) => (
        <>
          <SelectField
            label={texts.role}
            problem={problemOf('roles')}
            value={role}
            options={ROLES.map((one) => [one, roleNames[one]])}
            onChange={setRole}
          />
          <SelectField
            label={texts.language}
            problem={problemOf('language')}
            value={language}
            options={LANGUAGES.map(({ code, name }) => [code, name])}
            onChange={setLanguage}
          />
        </>
      )}
    </NewContact>
  );
}

function Rights() {
  const texts = useTexts(PEOPLE_TEXTS);
  const roleNames = useTexts(ACCOUNT_TEXTS).roles;
  return (
    <Panel id="rights" title={texts.rightsTitle}>
      <Facts
        className="rights"
        facts={ROLES.map((role) => [
          roleNames[role],
          rightsOfRole(role)
            .map((right) => texts.rights[right])
            .join('; '),
        ])}
      />
    </Panel>
  );
}
