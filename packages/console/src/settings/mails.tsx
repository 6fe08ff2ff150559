import { useState } from 'react';
import type { Session } from '../api.ts';
import { SelectField } from '../forms/field.tsx';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import type { StatusName } from '../status.ts';
import { MAILED_TYPES, type MailedType, nameOfContact, useContacts } from './contact_list.ts';
import { MailRow } from './mail_row.tsx';
import { NewContact } from './new_contact.tsx';
import { SettingsHead } from './settings_head.tsx';
import '../styles/forms.css';
import { Picks } from '../forms/picks.tsx';
import { Table } from '../parts/table.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { MAIL_TEXTS } from '../translations/mails.ts';
import { useDigestOptions } from './digest_options.ts';

/** The marks of events that begin a status. Events that end a status have no mark. */
const MARKS: Readonly<Partial<Record<MailedType, StatusName>>> = {
  'tank.rapid_loss': 'losing',
  'tank.low_fill': 'low',
  'tank.gauge_unreliable': 'gauge_unreliable',
  'tank.device_silent': 'silent',
  'tank.refilled': 'refilled',
};

/** Who gets which mails. */
export function MailsPage({ session }: { session: Session }) {
  const texts = useTexts(MAIL_TEXTS);
  const { events } = useTranslation();
  const { askAdministrator } = useTexts(CHANGE_TEXTS);
  const canChange = session.rights.includes('contacts');
  const { data, error, refetch, readAgain } = useContacts({ isEnabled: canChange });
  const [removed, setRemoved] = useState('');
  const isLossUnmailed = data?.every(({ types }) => !types.includes('tank.rapid_loss')) ?? false;
  return (
    <div className="settings mails">
      <SettingsHead page="mails" />
      {!canChange && <p className="notice">{askAdministrator}</p>}
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {canChange && data === undefined && error === null && <Skeleton rows={6} />}
      {isLossUnmailed && (
        <p className="notice strong-notice" role="alert">
          <Icon name="warning" /> <b>{texts.nobody}</b> {texts.nobodyHelp(events['tank.rapid_loss'])}
        </p>
      )}
      {data?.length === 0 && <p className="notice">{texts.none}</p>}
      {data !== undefined && data.length > 0 && (
        <>
          <p className="meta">{texts.intro}</p>
          <Table
            className="mail-table"
            hasBodies
            columns={[
              texts.who,
              ...MAILED_TYPES.map((type) => ({ text: <MarkedType type={type} />, className: 'type' })),
              texts.digest,
              null,
            ]}
          >
            {data.map((contact) => (
              <MailRow
                key={contact.id}
                contact={contact}
                isOwn={contact.id === session.person?.id}
                readAgain={readAgain}
                onRemoved={() => setRemoved(nameOfContact(contact))}
              />
            ))}
          </Table>
        </>
      )}
      <p role="status" className="undo">
        {removed !== '' && texts.removed(removed)}
      </p>
      {canChange && <NewAddress onAdded={() => void readAgain()} />}
    </div>
  );
}

function MarkedType({ type }: { type: MailedType }) {
  const { events } = useTranslation();
  const mark = MARKS[type];
  return (
    <>
      {mark !== undefined && <StatusMark status={mark} />} {events[type]}
    </>
  );
}

/** The types that a new contact gets unless somebody chooses others. */
const INITIAL_TYPES: MailedType[] = ['tank.rapid_loss', 'tank.low_fill'];

function NewAddress({ onAdded }: { onAdded: () => void }) {
  const { words } = usePreferences();
  const { add, ...texts } = useTexts(MAIL_TEXTS);
  const [types, setTypes] = useState(INITIAL_TYPES);
  const [digestAt, setDigestAt] = useState('');
  const digestOptions = useDigestOptions(digestAt);
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
            <Picks options={MAILED_TYPES} chosen={types} textOf={(type) => words.events[type]} onChange={setTypes} />
          </fieldset>
          <SelectField
            label={texts.digest}
            problem={problemOf('digest_at')}
            className="short"
            value={digestAt}
            options={digestOptions}
            onChange={setDigestAt}
          />
        </>
      )}
    </NewContact>
  );
}
