import { type FormEvent, useState } from 'react';
import type { Session } from '../api.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { PEOPLE_WORDS } from '../words/people_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { Field, useFieldProblem } from './field.tsx';
import { isEmail, nameOfPerson, ROLES, type Role, usePeople } from './people_list.ts';
import { PersonRow } from './person_row.tsx';
import { SettingsHead } from './settings_head.tsx';
import { useChange } from './use_change.ts';
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
  const all = ACT_WORDS[language];
  const texts = all.people;
  const roleNames = PEOPLE_WORDS[language].roles;
  const fieldProblem = useFieldProblem();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('dispatcher');
  const [isTried, setTried] = useState(false);
  const [added, setAdded] = useState('');
  const change = useChange(() => {
    setAdded(nameOfPerson({ name: name.trim() === '' ? null : name.trim(), email: email.trim() }));
    setName('');
    setEmail('');
    setTried(false);
    onAdded();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    setAdded('');
    if (!isEmail(email)) return;
    change.begin({
      method: 'POST',
      path: '/contacts',
      body: { email: email.trim(), name: name.trim() === '' ? null : name.trim(), types: [], roles: [role] },
      label: texts.inviteLabel(email.trim()),
    });
  };
  return (
    <section className="panel" aria-labelledby="invite">
      <h2 id="invite">{texts.invite}</h2>
      <form className="act-form" aria-labelledby="invite" onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy}>
          <Field label={texts.name} problem={fieldProblem(change.state, 'name')}>
            {(attributes) => (
              <input {...attributes} type="text" value={name} onChange={({ target }) => setName(target.value)} />
            )}
          </Field>
          <Field
            label={texts.email}
            problem={isTried && !isEmail(email) ? all.fieldProblems.email : fieldProblem(change.state, 'email')}
          >
            {(attributes) => (
              <input {...attributes} type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
            )}
          </Field>
          <Field label={texts.roles} problem={fieldProblem(change.state, 'roles')}>
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
          <button type="submit" className="button primary">
            {change.state.kind === 'sending' ? all.saving : texts.send}
          </button>
        </fieldset>
        <ChangeNotice change={change} fields={['email', 'name', 'roles']} conflict={() => texts.exists} />
        <p role="status" className="undo">
          {added !== '' && texts.added(added)}
        </p>
      </form>
    </section>
  );
}

type RightName = keyof (typeof ACT_WORDS)['en']['people']['rights'];

const MAY: Readonly<Record<RightName, readonly Role[]>> = {
  read: ROLES,
  alerts: ['dispatcher', 'administrator'],
  notes: ['dispatcher', 'technician', 'administrator'],
  devices: ['technician', 'administrator'],
  catalog: ['administrator'],
  contacts: ['administrator'],
};
const RIGHT_NAMES = [
  'read',
  'alerts',
  'notes',
  'devices',
  'catalog',
  'contacts',
] as const satisfies readonly RightName[];

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
              {RIGHT_NAMES.filter((right) => MAY[right].includes(role))
                .map((right) => texts.rights[right])
                .join('; ')}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
