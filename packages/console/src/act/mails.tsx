import { useState } from 'react';
import type { Session } from '../api.ts';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences } from '../preferences.tsx';
import type { StatusName } from '../status.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { DigestOptions } from './digest.tsx';
import { Field } from './field.tsx';
import { MailRow } from './mail_row.tsx';
import { NewContact } from './new_contact.tsx';
import { MAILED_TYPES, type MailedType, nameOfPerson, usePeople } from './people_list.ts';
import { SettingsHead } from './settings_head.tsx';
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
  const { add, ...texts } = MANAGE_WORDS[language].mails;
  const [types, setTypes] = useState(FIRST_TYPES);
  const [digestAt, setDigestAt] = useState('');
  return (
    <NewContact
      id="new-address"
      texts={{ ...texts, title: add }}
      values={{ types, digest_at: digestAt === '' ? null : digestAt }}
      onAdded={onAdded}
    >
      {(problemOf) => (
        <>
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
          <Field label={texts.digest} problem={problemOf('digest_at')}>
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
        </>
      )}
    </NewContact>
  );
}
