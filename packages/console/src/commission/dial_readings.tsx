import { useState } from 'react';
import { ChangeForm } from '../forms/change_form.tsx';
import { useDraft } from '../forms/draft.ts';
import { TextField } from '../forms/field.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { localText } from '../forms/until.tsx';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { GAUGE_TEXTS } from '../translations/gauges.ts';

interface Dial {
  at: string;
  fill_percentage: number;
}

interface EditedDials {
  dials: Dial[];
  add: (dial: Dial) => void;
  remove: (at: string) => void;
}

/** The dial readings that a person has typed. They are stored in this tab, one in each line. */
export function useDials(tankId: string): EditedDials {
  const draft = useDraft(`dials/${tankId}`, { values: { lines: '' }, etag: null });
  const dials = draft.values.lines.split('\n').flatMap((line): Dial[] => {
    const [at = '', level = ''] = line.split('=');
    return level === '' ? [] : [{ at, fill_percentage: Number(level) }];
  });
  const keep = (next: readonly Dial[]): void =>
    draft.change({ lines: next.map(({ at, fill_percentage }) => `${at}=${fill_percentage}`).join('\n') });
  return {
    dials,
    add: (dial) => keep([...dials.filter(({ at }) => at !== dial.at), dial].toSorted((a, b) => (a.at < b.at ? -1 : 1))),
    remove: (removed) => keep(dials.filter(({ at }) => at !== removed)),
  };
}

export function DialReadings({ dials, add, remove }: EditedDials) {
  const { format } = usePreferences();
  const texts = useTexts(GAUGE_TEXTS).calibration;
  const changeTexts = useTexts(CHANGE_TEXTS);
  const numbers = useTypedNumbers();
  const [time, setTime] = useState(() => localText(Date.now()));
  const [level, setLevel] = useState('');
  const read = numbers.percentage(level);
  const atMs = Date.parse(time);
  const isComplete = 'value' in read && Number.isFinite(atMs);
  const submit = (): void => {
    if (!isComplete) return;
    add({ at: new Date(atMs).toISOString(), fill_percentage: read.value });
    setLevel('');
  };
  return (
    <Panel id="dials" title={texts.dials}>
      {dials.length > 0 && (
        <ul className="dials">
          {dials.map(({ at, fill_percentage }) => (
            <li key={at}>
              <span>
                {format.dateTime(at)} <b>{format.exactPercent(fill_percentage)}</b>
              </span>
              <Button className="small" aria-label={texts.remove(format.dateTime(at))} onClick={() => remove(at)}>
                {changeTexts.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ChangeForm className="act-form dial-form" onSubmit={submit} noValidate>
        <TextField label={texts.when} type="datetime-local" value={time} onChange={setTime} />
        <TextField
          label={texts.shows}
          problem={level.trim() === '' || 'value' in read ? '' : read.problem}
          className="short"
          inputMode="decimal"
          value={level}
          onChange={setLevel}
        />
        <Button type="submit" disabled={!isComplete}>
          {texts.add}
        </Button>
      </ChangeForm>
    </Panel>
  );
}
