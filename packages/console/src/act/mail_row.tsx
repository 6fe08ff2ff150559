import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS } from '../words/act_words.ts';
import { MANAGE_WORDS } from '../words/manage_words.ts';
import { useContactChange } from './contact_change.tsx';
import { DigestOptions } from './digest.tsx';
import { MAILED_TYPES, nameOfPerson, type Person, type ReadPeople } from './people_list.ts';
import { Removal } from './removal.tsx';
import { useChange } from './use_change.ts';

/** The address, the types of events, the digest, and the removal. */
const COLUMNS = MAILED_TYPES.length + 3;

interface MailRowProps {
  person: Person;
  /** Nobody removes themselves: it would end the session that asks. */
  isOwn: boolean;
  readAgain: ReadPeople;
  onRemoved: () => void;
}

/** An address with a box for each kind of event. A box moves when the service has stored it. */
export function MailRow({ person, isOwn, readAgain, onRemoved }: MailRowProps) {
  const { language, words, format } = usePreferences();
  const texts = MANAGE_WORDS[language].mails;
  const { types, digestAt, email } = person;
  const name = nameOfPerson(person);
  const { change, save, notices } = useContactChange({
    person,
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
            {[
              person.name,
              isOwn ? ACT_WORDS[language].people.you : null,
              person.roles.length > 0 ? texts.mayEnter : null,
            ]
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
          <select
            aria-label={texts.digestOf(name)}
            value={digestAt ?? ''}
            disabled={change.isBusy}
            onChange={({ target }) => save({ digestAt: target.value === '' ? null : target.value })}
          >
            <DigestOptions chosen={digestAt ?? ''} />
          </select>
        </td>
        <td className="remove">
          {!isOwn && (
            <Removal
              name={email}
              consequence={person.roles.length > 0 ? texts.endsAccess(name) : ''}
              change={removal}
              conflict={texts.last}
              onConfirm={() =>
                removal.begin({
                  method: 'DELETE',
                  path: `/contacts/${person.id}`,
                  ifMatch: person.etag,
                  label: texts.label(name),
                })
              }
            />
          )}
        </td>
      </tr>
      {change.state.kind !== 'idle' && (
        <tr className="notices">
          <td colSpan={COLUMNS}>{notices}</td>
        </tr>
      )}
    </tbody>
  );
}
