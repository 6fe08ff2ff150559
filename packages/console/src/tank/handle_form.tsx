import type { TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { MAX_COMMENT_LENGTH, MAX_HANDLED_DAYS, MAX_LOSING_HOURS } from '../../../../src/values/handling_limits.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { DAY_MS, HOUR_MS } from '../format.ts';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { Until } from '../forms/until.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { SECTION_KEY } from '../sections.ts';
import { levelOf, nameOf } from '../status.ts';
import { type Condition, openConditions } from './handled.ts';
import '../styles/forms.css';
import { useReadAgain } from '../change/read_again.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { Picks } from '../forms/picks.tsx';
import { Button } from '../parts/button.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

const INITIAL_LOSS_HOURS = 1;
/** The limit itself is not offered, because the service would refuse it if the clock of the browser is fast. */
const LOSS_HOURS = [INITIAL_LOSS_HOURS, 2, 3];
const INITIAL_HOURS = 2;
const HOURS = [INITIAL_HOURS, 8, 24];

const initialUntilMs = (isLoss: boolean): number =>
  Date.now() + (isLoss ? INITIAL_LOSS_HOURS : INITIAL_HOURS) * HOUR_MS;

interface HandleFormProps {
  status: TankStatus;
  /** The acknowledgement to take over from somebody else. Without it, the form has conditions that nobody handles. */
  taken?: { condition: Condition; acknowledgementId: string };
  onDone: () => void;
}

/** Acknowledges conditions of a tank until a time. The row moves only after the service has stored the change. */
export function HandleForm({ status, taken, onDone }: HandleFormProps) {
  const { format } = usePreferences();
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).handle;
  const readAgain = useReadAgain(['tank', status.tank.id], SECTION_KEY, ['summary']);
  const [conditions] = useState(() => (taken === undefined ? openConditions(status) : [taken.condition]));
  const [chosen, setChosen] = useState<readonly Condition[]>(conditions);
  const isLoss = chosen.includes('losing');
  const [untilMs, setUntilMs] = useState<number | null>(() => initialUntilMs(isLoss));
  const [comment, setComment] = useState('');
  const [replaced, setReplaced] = useState<readonly string[]>(taken === undefined ? [] : [taken.acknowledgementId]);
  const [isSubmitted, setSubmitted] = useState(false);
  const fieldProblem = useFieldProblem();
  const name = nameOf(status.tank);
  const change = useChange(() => {
    readAgain();
    onDone();
  });
  const { state } = change;
  const heldBy = state.kind === 'refused' && state.status === 409 ? state.conflictingId : null;

  const isTimely =
    untilMs !== null &&
    untilMs > Date.now() &&
    untilMs <= Date.now() + (isLoss ? MAX_LOSING_HOURS * HOUR_MS : MAX_HANDLED_DAYS * DAY_MS);
  const save = (replaces: readonly string[]): void => {
    setSubmitted(true);
    if (chosen.length === 0 || untilMs === null || !isTimely || comment.length > MAX_COMMENT_LENGTH) return;
    const until = new Date(untilMs).toISOString();
    change.begin({
      method: 'POST',
      path: `/tanks/${status.tank.id}/acknowledgements`,
      body: { conditions: chosen, until, comment: comment.trim() === '' ? null : comment.trim(), replaces },
      label: texts.label(name),
    });
  };
  /** Replaces one more acknowledgement, because the service names only one conflict at a time. */
  const replace = (id: string): void => {
    const next = [...replaced, id];
    setReplaced(next);
    save(next);
  };
  const submit = (): void => {
    save(replaced);
  };
  const level = levelOf(status);
  return (
    <OpenedFields
      onClose={onDone}
      className="act-form handle"
      aria-label={texts.title(name)}
      onSubmit={submit}
      noValidate
    >
      <fieldset disabled={change.isBusy}>
        <fieldset>
          <legend>{texts.what}</legend>
          <Picks
            options={conditions}
            chosen={chosen}
            textOf={(condition) => texts.conditions[condition]}
            onChange={(next) => {
              setChosen(next);
              // The proposed times for a loss are shorter.
              if (next.includes('losing') !== isLoss) setUntilMs(initialUntilMs(!isLoss));
            }}
          />
          {isSubmitted && chosen.length === 0 && (
            <p role="alert" className="field-problem">
              {texts.choose}
            </p>
          )}
        </fieldset>
        <Until
          key={isLoss ? 'loss' : 'other'}
          label={texts.until}
          choices={isLoss ? LOSS_HOURS : HOURS}
          maxMs={isLoss ? MAX_LOSING_HOURS * HOUR_MS : MAX_HANDLED_DAYS * DAY_MS}
          problem={isSubmitted && !isTimely ? changeTexts.fieldProblems.until : fieldProblem(state, 'until')}
          onChange={setUntilMs}
        />
        <TextField
          label={texts.comment}
          help={texts.commentHelp}
          problem={
            comment.length > MAX_COMMENT_LENGTH ? changeTexts.fieldProblems.comment : fieldProblem(state, 'comment')
          }
          data-first
          value={comment}
          onChange={setComment}
        />
        <p className="meta">
          {texts.stops} {isLoss ? texts.keepsWarning : chosen.includes('low') && texts.customerReads}{' '}
          {isLoss
            ? texts.returnsLoss
            : chosen.includes('low') && level !== null
              ? texts.returnsAt(format.percent(returnsAt(level)))
              : texts.returns}
        </p>
        <FormButtons change={change} onCancel={onDone}>
          {heldBy !== null && <Button onClick={() => replace(heldBy)}>{texts.replace}</Button>}
        </FormButtons>
      </fieldset>
      <ChangeNotice
        change={change}
        fields={['until', 'comment']}
        conflict={({ conflictingId }) => (conflictingId === null ? texts.notOpen : texts.already)}
      />
    </OpenedFields>
  );
}

/** The level at which the service shows an acknowledged low tank as low again. */
const returnsAt = (level: number): number => (level < 10 ? level / 2 : level - 5);
