import { FormProblem } from '../forms/form_problem.tsx';
import { Button } from '../parts/button.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import type { Refusal } from './change.ts';
import { useLastChange } from './last_change.ts';
import type { UsedChange } from './use_change.ts';

interface ChangeNoticeProps {
  change: UsedChange;
  /** The text for a conflict. */
  conflict?: (refusal: Refusal) => string;
  /** The text for an object that has changed since it was read. Without it, the form shows a `ChangedNotice`. */
  changed?: string;
  /** Fields of the form, which show their errors themselves. */
  fields?: readonly string[];
}

/** The outcome of a change, below its form. Nothing is shown for a saved change, because the page shows the new value. */
export function ChangeNotice({ change, conflict, changed = '', fields = [] }: ChangeNoticeProps) {
  const texts = useTexts(CHANGE_TEXTS);
  const { state } = change;
  if (state.kind === 'unknown') {
    return (
      <FormProblem>
        {texts.unknown}{' '}
        <Button className="small" onClick={change.askAgain}>
          {texts.askAgain}
        </Button>
      </FormProblem>
    );
  }
  const text = state.kind === 'refused' ? refusalText(state, texts, fields, conflict) : '';
  const isChanged = state.kind === 'refused' && state.status === 412;
  return <FormProblem>{isChanged ? changed : text}</FormProblem>;
}

/** Returns an empty text if the fields show the error, or if the form asks what to do. */
export function refusalText(
  refusal: Refusal,
  texts: (typeof CHANGE_TEXTS)['en'],
  fields: readonly string[] = [],
  conflict?: (refusal: Refusal) => string,
): string {
  const { status, errors } = refusal;
  if (status === 403) return texts.askAdministrator;
  if (status === 404 || status === 410) return texts.gone;
  if (refusal.code === 'quota_exceeded') return texts.quota;
  if (status === 409) return conflict?.(refusal) ?? texts.conflict;
  if (status === 412) return '';
  if (status === 422 && errors.length > 0 && errors.every(({ param }) => fields.includes(param))) return '';
  if (status === 422) return `${texts.notSaved} ${texts.invalid}`;
  if (status === 429) return texts.tooMany;
  return `${texts.notSaved} ${refusal.detail}`;
}

interface ChangedNoticeProps {
  objectId: string;
  /** When the object was changed. Null if only the audit log has the time. */
  at: string | null;
  /** The value that is stored now. */
  theirs: string;
  onMine: () => void;
  onTheirs: () => void;
}

/** Shown if somebody else changed the same object after it was read. */
export function ChangedNotice({ objectId, at, theirs, onMine, onTheirs }: ChangedNoticeProps) {
  const { format } = usePreferences();
  const texts = useTexts(CHANGE_TEXTS);
  const last = useLastChange(objectId);
  const who = last?.name ?? texts.somebody;
  const changedAt = last?.at ?? at;
  return (
    <div role="alert" className="notice changed">
      <p>
        {changedAt === null ? texts.changedMeanwhile(who) : texts.changed(who, format.time(changedAt))} {theirs}
      </p>
      <p className="button-row">
        <Button onClick={onMine}>{texts.mine}</Button>
        <Button onClick={onTheirs}>{texts.theirs}</Button>
      </p>
    </div>
  );
}
