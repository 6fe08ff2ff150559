import type { Contact } from '@tankwatch/client';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { useNow } from '../clock.ts';
import { Select } from '../forms/select.tsx';
import { Button } from '../parts/button.tsx';
import { LANGUAGES, usePreferences, useTexts } from '../preferences_and_words.tsx';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { PEOPLE_TEXTS } from '../translations/people.ts';
import { useContactChange } from './contact_change.tsx';
import { nameOfContact, type ReadContacts } from './contact_list.ts';
import { ROLES, type Role } from './role_rights.ts';

interface PersonRowProps {
  contact: Contact;
  /** People cannot change their own roles, because the only administrator could lock out everybody by mistake. */
  isOwn: boolean;
  /** True if the installation sends mails. */
  canInvite: boolean;
  readAgain: ReadContacts;
}

/** A person with a check box for each role. A check box changes only after the service has stored the change. */
export function PersonRow({ contact, isOwn, canInvite, readAgain }: PersonRowProps) {
  const texts = useTexts(PEOPLE_TEXTS);
  const { format } = usePreferences();
  const nowMs = useNow();
  const roleNames = useTexts(ACCOUNT_TEXTS).roles;
  const name = nameOfContact(contact);
  const languageName = (code: string | null): string =>
    LANGUAGES.find((one) => one.code === code)?.name ?? texts.ofOrganization;
  const namesOf = (roles: readonly Role[]): string => roles.map((role) => roleNames[role]).join(', ');
  const { change, save, notices } = useContactChange({
    contact,
    readAgain,
    label: texts.rolesLabel(name),
    conflict: texts.last,
    stored: contact.roles.length === 0 ? texts.onlyMails : namesOf(contact.roles),
    done: ({ language, roles = [] }) => {
      if (language !== undefined) return texts.mailLanguageChanged(name, languageName(language));
      return roles.length === 0 ? texts.accessEnded(name) : texts.rolesChanged(name, namesOf(roles));
    },
  });
  const invitation = useChange(() => void readAgain());
  return (
    <li>
      <h2>
        {name} {isOwn && <span className="no">{texts.you}</span>}
      </h2>
      <p className="meta">
        {[
          contact.name === null ? null : contact.email,
          contact.roles.length === 0 ? texts.onlyMails : seenText(contact, texts, (time) => format.recent(time, nowMs)),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </p>
      <fieldset disabled={isOwn || change.isBusy}>
        <legend className="hidden">{texts.rolesLabel(name)}</legend>
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
            <Button className="small" aria-label={texts.removeOf(name)} onClick={() => save({ roles: [] })}>
              {texts.remove}
            </Button>
          )}
        </div>
      </fieldset>
      <p className="button-row">
        <label className="meta">
          {texts.mailLanguage}{' '}
          <Select
            value={contact.language ?? ''}
            disabled={change.isBusy}
            options={[['', texts.ofOrganization], ...LANGUAGES.map((one) => [one.code, one.name] as const)]}
            onChange={(language) => save({ language: language === '' ? null : language })}
          />
        </label>
        {canInvite && !isOwn && contact.roles.length > 0 && contact.last_seen_at === null && (
          <Button
            className="small"
            aria-label={texts.inviteOf(name)}
            disabled={invitation.isBusy}
            onClick={() =>
              invitation.begin({
                method: 'POST',
                path: `/contacts/${contact.id}/invite`,
                body: {},
                label: texts.inviteOf(name),
              })
            }
          >
            {contact.invited_at === null ? texts.inviteNow : texts.inviteAgain}
          </Button>
        )}
      </p>
      <p role="status" className="undo">
        {invitation.state.kind === 'saved' && texts.invited(name)}
      </p>
      <ChangeNotice change={invitation} conflict={() => texts.tooManyInvitations} />
      {isOwn && <p className="meta">{texts.ownRoles}</p>}
      {notices}
    </li>
  );
}

/** When the person used the console last, or since when an invitation waits. */
function seenText(
  { last_seen_at: seenAt, invited_at: invitedAt }: Contact,
  texts: (typeof PEOPLE_TEXTS)['en'],
  recent: (time: string) => string,
): string {
  if (seenAt !== null) return texts.lastSeen(recent(seenAt));
  return invitedAt === null ? texts.notSeenYet : texts.invitedAt(recent(invitedAt));
}
