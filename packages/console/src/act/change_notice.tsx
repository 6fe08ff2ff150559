import { usePreferences } from '../preferences.tsx';
import { ACT_WORDS, type ActWords } from '../words/act_words.ts';
import type { Refusal } from './change.ts';
import { useLastChange } from './last_change.ts';
import type { UsedChange } from './use_change.ts';

interface ChangeNoticeProps {
  change: UsedChange;
  /** What a conflict means here. */
  conflict?: (refusal: Refusal) => string;
  /** Fields of the form, which show their errors themselves. */
  fields?: readonly string[];
}

/** What became of a change, below its form. A saved one says nothing: the page shows it. */
export function ChangeNotice({ change, conflict, fields = [] }: ChangeNoticeProps) {
  const texts = ACT_WORDS[usePreferences().language];
  const { state } = change;
  if (state.kind === 'unknown') {
    return (
      <p role="alert" className="form-problem">
        {texts.unknown}{' '}
        <button type="button" className="button small" onClick={change.askAgain}>
          {texts.askAgain}
        </button>
      </p>
    );
  }
  const sentence = state.kind === 'refused' ? refusalText(state, texts, fields, conflict) : '';
  return (
    <p role="alert" className="form-problem">
      {sentence}
    </p>
  );
}

/** Empty: the fields say it, or the form asks what to do. */
export function refusalText(
  refusal: Refusal,
  texts: ActWords,
  fields: readonly string[] = [],
  conflict?: (refusal: Refusal) => string,
): string {
  const { status, errors } = refusal;
  if (status === 403) return texts.askAdministrator;
  if (status === 404 || status === 410) return texts.gone;
  if (status === 409) return conflict?.(refusal) ?? texts.conflict;
  if (status === 412) return '';
  if (status === 422 && errors.length > 0 && errors.every(({ param }) => fields.includes(param))) return '';
  if (status === 429) return texts.tooMany;
  if (status === 503) return texts.notSaved;
  return `${texts.notSaved} ${refusal.detail}`;
}

interface ChangedNoticeProps {
  objectId: string;
  /** When it was changed. Null: only the audit log knows. */
  at: string | null;
  /** The value that is stored now. */
  theirs: string;
  onMine: () => void;
  onTheirs: () => void;
}

/** Somebody else changed the same object since it was read. */
export function ChangedNotice({ objectId, at, theirs, onMine, onTheirs }: ChangedNoticeProps) {
  const { language, format } = usePreferences();
  const texts = ACT_WORDS[language];
  const last = useLastChange(objectId);
  const who = last?.name ?? texts.somebody;
  const changedAt = last?.at ?? at;
  return (
    <div role="alert" className="notice changed">
      <p>
        {changedAt === null ? texts.changedMeanwhile(who) : texts.changed(who, format.time(changedAt))} {theirs}
      </p>
      <p className="button-row">
        <button type="button" className="button" onClick={onMine}>
          {texts.mine}
        </button>
        <button type="button" className="button" onClick={onTheirs}>
          {texts.theirs}
        </button>
      </p>
    </div>
  );
}
