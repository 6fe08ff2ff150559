import { type FormEvent, useState } from 'react';
import type { Session } from '../api.ts';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { DigestOptions } from './digest.tsx';
import { Field, useFieldProblem } from './field.tsx';
import { MailRow } from './mail_row.tsx';
import { isEmail, MAILED_TYPES, type MailedType, nameOfPerson, usePeople } from './people_list.ts';
import { SettingsHead } from './settings_head.tsx';
import { useChange } from './use_change.ts';
import '../styles/act.css';

/** The marks of the events that begin something. Those that end it have none. */
const MARKS: Readonly<Partial<Record<MailedType, StatusName>>> = {
  'tank.rapid_loss': 'losing',
  'tank.low_fill': 'low',
  'tank.gauge_unreliable': 'gauge_unreliable',
  'tank.device_silent': 'silent',
  'tank.refilled': 'refilled',
};

/** Who gets which mails. */
export function MailsPage({ session }: { session: Session }) {
  const { language, words } = usePreferences();
  const texts = MANAGE_WORDS[language].mails;
  const canChange = session.can.includes('contacts');
  const { data, error, refetch, readAgain } = usePeople({ isEnabled: canChange });
  const [removed, setRemoved] = useState('');
  const isNobodyTold = data?.every(({ types }) => !types.includes('tank.rapid_loss')) ?? false;
  return (
    <div className="settings mails">
      <SettingsHead page="mails" />
      {!canChange && <p className="notice">{ACT_WORDS[language].askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      {isNobodyTold && (
        <p className="notice strong-notice" role="alert">
          <Icon name="warning" /> <b>{texts.nobody}</b> {texts.nobodyHelp}
        </p>
      )}
      {data?.length === 0 && <p className="notice">{texts.none}</p>}
      {data !== undefined && data.length > 0 && (
        <>
          <p className="meta">{texts.intro}</p>
          <table className="mail-table">
            <thead>
              <tr>
                <th scope="col">{texts.who}</th>
                {MAILED_TYPES.map((type) => {
                  const mark = MARKS[type];
                  return (
                    <th key={type} scope="col" className="type">
                      {mark !== undefined && <StatusMark status={mark} />} {words.events[type]}
                    </th>
                  );
                })}
                <th scope="col">{texts.digest}</th>
                <td />
              </tr>
            </thead>
            {data.map((person) => (
              <MailRow
                key={person.id}
                person={person}
                isOwn={person.id === session.person?.id}
                readAgain={readAgain}
                onRemoved={() => setRemoved(nameOfPerson(person))}
              />
            ))}
          </table>
        </>
      )}
      <p role="status" className="undo">
        {removed !== '' && texts.removed(removed)}
      </p>
      {canChange && <NewAddress onAdded={() => void readAgain()} />}
    </div>
  );
}

/** What most people want to know at once. */
const FIRST_TYPES: readonly MailedType[] = ['tank.rapid_loss', 'tank.low_fill'];

function NewAddress({ onAdded }: { onAdded: () => void }) {
  const { language, words } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = MANAGE_WORDS[language].mails;
  const fieldProblem = useFieldProblem();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [types, setTypes] = useState(FIRST_TYPES);
  const [digestAt, setDigestAt] = useState('');
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
      body: {
        email: email.trim(),
        name: name.trim() === '' ? null : name.trim(),
        types,
        digest_at: digestAt === '' ? null : digestAt,
      },
      label: texts.label(email.trim()),
    });
  };
  return (
    <section className="panel new-address" aria-labelledby="new-address">
      <h2 id="new-address">{texts.add}</h2>
      <form className="act-form" aria-labelledby="new-address" onSubmit={submit} noValidate>
        <fieldset disabled={change.isBusy}>
          <Field
            label={texts.email}
            problem={isTried && !isEmail(email) ? all.fieldProblems.email : fieldProblem(change.state, 'email')}
          >
            {(attributes) => (
              <input {...attributes} type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
            )}
          </Field>
          <Field label={texts.name} problem={fieldProblem(change.state, 'name')}>
            {(attributes) => (
              <input {...attributes} type="text" value={name} onChange={({ target }) => setName(target.value)} />
            )}
          </Field>
          <fieldset>
            <legend>{texts.types}</legend>
            <div className="picks">
              {MAILED_TYPES.map((type) => (
                <label key={type}>
                  <input
                    type="checkbox"
                    checked={types.includes(type)}
                    onChange={({ target }) =>
                      setTypes(MAILED_TYPES.filter((one) => (one === type ? target.checked : types.includes(one))))
                    }
                  />
                  <span>{words.events[type]}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <Field label={texts.digest} problem={fieldProblem(change.state, 'digest_at')}>
            {(attributes) => (
              <select
                {...attributes}
                className="short"
                value={digestAt}
                onChange={({ target }) => setDigestAt(target.value)}
              >
                <DigestOptions chosen={digestAt} />
              </select>
            )}
          </Field>
          <button type="submit" className="button primary">
            {change.state.kind === 'sending' ? all.saving : texts.send}
          </button>
        </fieldset>
        <ChangeNotice change={change} fields={['email', 'name', 'digest_at']} conflict={() => texts.exists} />
        <p role="status" className="undo">
          {added !== '' && texts.added(added)}
        </p>
      </form>
    </section>
  );
}
