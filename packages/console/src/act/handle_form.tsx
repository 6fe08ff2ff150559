import type { TankStatus } from '@tankwatch/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { DAY_MS, HOUR_MS } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import { SECTION_KEY } from '../sections.ts';
import { levelOf, nameOf } from '../status.ts';
import { ACT_WORDS } from '../words/act_words.ts';
import { ChangeNotice } from './change_notice.tsx';
import { Field, useFieldProblem } from './field.tsx';
import { type Condition, openConditions } from './handled.ts';
import { Until } from './until.tsx';
import { useChange } from './use_change.ts';
import '../styles/act.css';

/** A loss cannot wait: the service takes at most 4 hours, and 14 days for everything else. */
const MAX_LOSS_MS = 4 * HOUR_MS;
const MAX_MS = 14 * DAY_MS;
const FIRST_LOSS_HOURS = 1;
/** Not the limit itself: a clock that is a minute fast would be refused. */
const LOSS_HOURS = [FIRST_LOSS_HOURS, 2, 3];
const FIRST_HOURS = 2;
const HOURS = [FIRST_HOURS, 8, 24];
const MAX_COMMENT = 500;

const firstUntilMs = (isLoss: boolean): number => Date.now() + (isLoss ? FIRST_LOSS_HOURS : FIRST_HOURS) * HOUR_MS;

interface HandleFormProps {
  status: TankStatus;
  onDone: () => void;
}

/** Says who takes care of a tank, until when. The row moves when the service has stored it. */
export function HandleForm({ status, onDone }: HandleFormProps) {
  const { language, format } = usePreferences();
  const all = ACT_WORDS[language];
  const texts = all.handle;
  const queryClient = useQueryClient();
  const [conditions] = useState(() => openConditions(status));
  const [chosen, setChosen] = useState<readonly Condition[]>(conditions);
  const isLoss = chosen.includes('losing');
  const [untilMs, setUntilMs] = useState<number | null>(() => firstUntilMs(isLoss));
  const [comment, setComment] = useState('');
  const [replaced, setReplaced] = useState<readonly string[]>([]);
  const [isTried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fieldProblem = useFieldProblem();
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const name = nameOf(status.tank);
  const change = useChange(() => {
    void Promise.all(
      [['tank', status.tank.id], SECTION_KEY, ['summary']].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
    onDone();
  });
  const { state } = change;
  const heldBy = state.kind === 'refused' && state.status === 409 ? state.conflictingId : null;

  const isTimely = untilMs !== null && untilMs > Date.now() && untilMs <= Date.now() + (isLoss ? MAX_LOSS_MS : MAX_MS);
  const save = (replaces: readonly string[]): void => {
    setTried(true);
    if (chosen.length === 0 || untilMs === null || !isTimely || comment.length > MAX_COMMENT) return;
    const until = new Date(untilMs).toISOString();
    change.begin({
      method: 'POST',
      path: `/tanks/${status.tank.id}/acknowledgements`,
      body: { conditions: chosen, until, comment: comment.trim() === '' ? null : comment.trim(), replaces },
      label: texts.label(name),
    });
  };
  /** The service names one acknowledgement at a time. */
  const replace = (id: string): void => {
    const next = [...replaced, id];
    setReplaced(next);
    save(next);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save([]);
  };
  const level = levelOf(status);
  return (
    <form className="act-form handle" ref={form} aria-label={texts.title(name)} onSubmit={submit} noValidate>
      <fieldset disabled={change.isBusy}>
        <fieldset>
          <legend>{texts.what}</legend>
          <div className="picks">
            {conditions.map((condition) => (
              <label key={condition}>
                <input
                  type="checkbox"
                  checked={chosen.includes(condition)}
                  onChange={({ target }) => {
                    setChosen(conditions.filter((one) => (one === condition ? target.checked : chosen.includes(one))));
                    // The usual times of a loss are shorter.
                    if (condition === 'losing') setUntilMs(firstUntilMs(target.checked));
                  }}
                />
                <span>{texts.conditions[condition]}</span>
              </label>
            ))}
          </div>
          {isTried && chosen.length === 0 && (
            <p role="alert" className="field-problem">
              {texts.choose}
            </p>
          )}
        </fieldset>
        <Until
          key={isLoss ? 'loss' : 'other'}
          label={texts.until}
          choices={isLoss ? LOSS_HOURS : HOURS}
          maxMs={isLoss ? MAX_LOSS_MS : MAX_MS}
          problem={isTried && !isTimely ? all.fieldProblems.until : fieldProblem(state, 'until')}
          onChange={setUntilMs}
        />
        <Field
          label={texts.comment}
          help={texts.commentHelp}
          problem={comment.length > MAX_COMMENT ? all.fieldProblems.comment : fieldProblem(state, 'comment')}
        >
          {(attributes) => (
            <input {...attributes} type="text" value={comment} onChange={({ target }) => setComment(target.value)} />
          )}
        </Field>
        <p className="meta">
          {texts.stops} {isLoss ? texts.keepsWarning : chosen.includes('low') && texts.customerReads}{' '}
          {isLoss
            ? texts.returnsLoss
            : chosen.includes('low') && level !== null
              ? texts.returnsAt(format.percent(returnsAt(level)))
              : texts.returns}
        </p>
        <p className="button-row">
          <button type="submit" className="button primary">
            {state.kind === 'sending' ? all.saving : all.save}
          </button>
          {heldBy !== null && (
            <button type="button" className="button" onClick={() => replace(heldBy)}>
              {texts.replace}
            </button>
          )}
          <button type="button" className="button" onClick={onDone}>
            {all.cancel}
          </button>
        </p>
      </fieldset>
      <ChangeNotice
        change={change}
        fields={['until', 'comment']}
        conflict={({ conflictingId }) => (conflictingId === null ? texts.notOpen : texts.already)}
      />
    </form>
  );
}

/** The level at which a low tank comes back, as the service computes it. */
const returnsAt = (level: number): number => (level < 10 ? level / 2 : level - 5);
