import type { Contact } from '@tankwatch/client';
import { useOpening } from '../catalog/open_buttons.tsx';
import { useChange } from '../change/use_change.ts';
import { RemovalForm } from '../forms/removal.tsx';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { MAIL_TEXTS } from '../translations/mails.ts';
import { PEOPLE_TEXTS } from '../translations/people.ts';
import { useContactChange } from './contact_change.tsx';
import { MAILED_TYPES, nameOfContact, type ReadContacts } from './contact_list.ts';
import { useDigestOptions } from './digest_options.ts';

/** The number of columns: the address, the types of events, the digest, and the removal. */
const COLUMNS = MAILED_TYPES.length + 3;

interface MailRowProps {
  contact: Contact;
  /** A person cannot remove their own contact, because that would end the session. */
  isOwn: boolean;
  readAgain: ReadContacts;
  onRemoved: () => void;
}

/** An address with a check box for each type of event. A check box changes after the service has stored it. */
export function MailRow({ contact, isOwn, readAgain, onRemoved }: MailRowProps) {
  const { words, format } = usePreferences();
  const texts = useTexts(MAIL_TEXTS);
  const { you } = useTexts(PEOPLE_TEXTS);
  const { open, openOf } = useTexts(CHANGE_TEXTS).removal;
  const opening = useOpening();
  const { types, digest_at: digestAt, email } = contact;
  const digestOptions = useDigestOptions(digestAt ?? '');
  const name = nameOfContact(contact);
  const { change, save, notices } = useContactChange({
    contact,
    readAgain,
    label: texts.label(name),
    conflict: texts.last,
    stored: texts.stored(
      types.length === 0 ? texts.nothing : types.map((type) => words.events[type]).join(', '),
      digestAt === null ? texts.noDigest : format.clock(digestAt),
    ),
    done: () => texts.saved(name),
  });
  const removal = useChange(() => {
    onRemoved();
    void readAgain();
  });
  return (
    <tbody>
      <tr>
        <th scope="row">
          {email}
          <span className="meta">
            {[contact.name, isOwn ? you : null, contact.roles.length > 0 ? texts.mayEnter : null]
              .filter((part) => part !== null)
              .join(' · ')}
          </span>
        </th>
        {MAILED_TYPES.map((type) => (
          <td key={type} className="type" data-label={words.events[type]}>
            <input
              type="checkbox"
              aria-label={texts.gets(words.events[type], name)}
              checked={types.includes(type)}
              disabled={change.isBusy}
              onChange={({ target }) =>
                save({ types: MAILED_TYPES.filter((one) => (one === type ? target.checked : types.includes(one))) })
              }
            />
          </td>
        ))}
        <td className="digest" data-label={texts.digest}>
          <Select
            aria-label={texts.digestOf(name)}
            value={digestAt ?? ''}
            disabled={change.isBusy}
            options={digestOptions}
            onChange={(time) => save({ digest_at: time === '' ? null : time })}
          />
        </td>
        <td className="remove">
          {!isOwn && (
            <Button
              className="small"
              aria-label={openOf(email)}
              aria-expanded={opening.isOpen}
              onClick={opening.isOpen ? opening.close : opening.open}
            >
              {open}
            </Button>
          )}
        </td>
      </tr>
      {opening.isOpen && (
        <tr className="notices">
          <td colSpan={COLUMNS}>
            <RemovalForm
              name={email}
              consequence={contact.roles.length > 0 ? texts.endsAccess(name) : ''}
              change={removal}
              conflict={texts.last}
              onConfirm={() =>
                removal.begin({
                  method: 'DELETE',
                  path: `/contacts/${contact.id}`,
                  ifMatch: contact.etag,
                  label: texts.label(name),
                })
              }
              onCancel={opening.close}
            />
          </td>
        </tr>
      )}
      {change.state.kind !== 'idle' && (
        <tr className="notices">
          <td colSpan={COLUMNS}>{notices}</td>
        </tr>
      )}
    </tbody>
  );
}
