import type { AuditEntry } from '@tankwatch/client';
import type { Format } from '../format.ts';
import type { AUDIT_TEXTS } from '../translations/audit.ts';

type Texts = (typeof AUDIT_TEXTS)['en'];
type Phrase = (which: string, fields: string) => string;
type Formats = Pick<Format, 'count' | 'longDay'>;

/** An entry of the audit log as a sentence, divided at the name of the object, which can be a link. */
interface AuditSentence {
  before: string;
  /** Empty if the sentence names no object. */
  name: string;
  after: string;
}

/** If a change has more fields, only their number is given. */
const MAX_FIELDS = 4;
/** A placeholder for the name while the sentence is made. No text contains this character. */
const NAME = '\u0000';

/** Such as "Ana Torres changed the phone of María López." */
export function auditSentence(entry: AuditEntry, texts: Texts, format: Formats): AuditSentence {
  const predicate = phraseOf(entry, texts)(whichOf(entry, texts, format), fieldsOf(entry, texts, format));
  const [before = '', after] = texts.sentence(whoOf(entry, texts), predicate).split(NAME);
  return { before, name: after === undefined ? '' : nameOf(entry, format), after: after ?? '' };
}

/** The phrase for the object and the action, or for a field. The service may send names that this page does not know. */
function phraseOf({ changed, action, fields }: AuditEntry, { phrases, actionNames }: Texts): Phrase {
  const known: Readonly<Record<string, Phrase>> = phrases;
  const actions: Readonly<Record<string, Phrase>> = actionNames;
  const byField = fields.map((field) => known[`${changed} ${action} ${field}`]).find((phrase) => phrase !== undefined);
  return byField ?? known[`${changed} ${action}`] ?? actions[action] ?? actionNames.update;
}

function whichOf({ changed, changed_name: name, changed_objects: count }: AuditEntry, texts: Texts, format: Formats) {
  const nouns: Readonly<Record<string, readonly string[]>> = texts.objectNames;
  const named: Readonly<Record<string, (name: string) => string>> = texts.named;
  if (name !== null) return named[changed]?.(NAME) ?? NAME;
  const [one = changed, several = changed] = nouns[changed] ?? [];
  return count > 1 ? texts.several(format.count(count), several) : one;
}

/** The name of a round is its day. */
const nameOf = ({ changed, changed_name: name }: AuditEntry, format: Formats): string =>
  changed === 'round' ? format.longDay(name ?? '') : (name ?? '');

/** The names of the changed fields, without the version of a round, which every change increases. */
function fieldsOf({ fields }: AuditEntry, texts: Texts, format: Formats): string {
  const names: Readonly<Record<string, string>> = texts.fieldNames;
  const shownFields = fields.filter((field) => field !== 'version' || fields.length === 1);
  const shownNames = [...new Set(shownFields.map((field) => names[field] ?? field))];
  if (shownNames.length > MAX_FIELDS) return texts.severalFields(format.count(shownNames.length));
  return shownNames.length > 1 ? texts.list(shownNames) : shownNames.join('');
}

function whoOf({ name, actor }: AuditEntry, texts: Texts): string {
  if (name !== null) return name;
  const [kind = '', id = ''] = actor.split(' ');
  if (kind === 'contact') return texts.removedPerson;
  if (kind === 'key') return texts.key(id);
  const actors: Readonly<Record<string, string>> = texts.actors;
  return actors[actor] ?? actors[kind] ?? texts.command(actor);
}
