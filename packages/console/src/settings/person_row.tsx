import type { Contact } from '@tankwatch/client';
import { useTexts } from '../preferences.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { PEOPLE_TEXTS } from '../translations/people.ts';
import { useContactChange } from './contact_change.tsx';
import { nameOfContact, type ReadContacts } from './contact_list.ts';
import { ROLES, type Role } from './role_rights.ts';

interface PersonRowProps {
  contact: Contact;
  /** The own roles cannot be changed, because an administrator could lock out everybody by mistake. */
  isOwn: boolean;
  readAgain: ReadContacts;
}

/** A person with a box for each role. A box moves when the service has stored it. */
export function PersonRow({ contact, isOwn, readAgain }: PersonRowProps) {
  const texts = useTexts(PEOPLE_TEXTS);
  const roleNames = useTexts(ACCOUNT_TEXTS).roles;
  const name = nameOfContact(contact);
  const namesOf = (roles: readonly Role[]): string => roles.map((role) => roleNames[role]).join(', ');
  const { change, save, notices } = useContactChange({
    contact,
    readAgain,
    label: texts.label(name),
    conflict: texts.last,
    stored: contact.roles.length === 0 ? texts.onlyMails : namesOf(contact.roles),
    done: ({ roles = [] }) => (roles.length === 0 ? texts.hasNone(name) : texts.isNow(name, namesOf(roles))),
  });
  return (
    <li>
      <h2>
        {name} {isOwn && <span className="no">{texts.you}</span>}
      </h2>
      <p className="meta">
        {[contact.name === null ? null : contact.email, contact.roles.length === 0 ? texts.onlyMails : null]
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
                checked={contact.roles.includes(role)}
                onChange={({ target }) =>
                  save({ roles: ROLES.filter((one) => (one === role ? target.checked : contact.roles.includes(one))) })
                }
              />
              <span>{roleNames[role]}</span>
            </label>
          ))}
          {!isOwn && contact.roles.length > 0 && (
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
