import type { TankStatus } from '@tankwatch/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client, fleet } from '../api.ts';
import { ChangedNotice, ChangeNotice } from '../change/change_notice.tsx';
import { useChange } from '../change/use_change.ts';
import { OpenedFields } from '../forms/change_form.tsx';
import { TextField, useFieldProblem } from '../forms/field.tsx';
import { useTypedNumbers } from '../forms/typed_number.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { nameOf } from '../status.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { TANK_FORM_TEXTS } from '../translations/tank_forms.ts';

const FIELD = 'min_fill_alert_percentage';

/** The threshold of a tank. Before a new threshold is saved, the form shows how many alerts it would have raised. */
export function Threshold({ status }: { status: TankStatus }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(TANK_FORM_TEXTS).threshold;
  const { format } = usePreferences();
  const { tank, order_threshold_percentage: order } = status;
  const stored = tank.min_fill_alert_percentage;
  const queryClient = useQueryClient();
  const fieldProblem = useFieldProblem();
  const numbers = useTypedNumbers();
  /** Null if the text is not a whole percentage. */
  const percentageIn = (text: string): number | null => {
    const read = numbers.percentage(text);
    return 'value' in read && Number.isInteger(read.value) ? read.value : null;
  };
  /** Null while nothing is typed: the field then shows the stored threshold. */
  const [typed, setTyped] = useState<string | null>(null);
  const managed = useQuery({
    queryKey: ['managed-tank', tank.id],
    queryFn: async ({ signal }) => client.manage.tanks.retrieve(tank.id, { signal }),
    enabled: typed !== null,
    staleTime: Number.POSITIVE_INFINITY, // not read again: the form keeps the etag that the person began with
  });
  const readAgain = async () => (await managed.refetch()).data;
  const change = useChange(() => {
    setTyped(null);
    queryClient.removeQueries({ queryKey: ['managed-tank', tank.id] });
    void queryClient.invalidateQueries({ queryKey: ['tank', tank.id] });
  });
  const { state } = change;
  const isChanged = state.kind === 'refused' && state.status === 412;
  const read = typed === null ? stored : percentageIn(typed);
  const isBelowOrder = read === null || order === null || read < order;
  const value = isBelowOrder ? read : null;
  const wrong =
    order === null || isBelowOrder ? changeTexts.fieldProblems[FIELD] : texts.notBelowOrder(format.percent(order));
  const current = managed.data !== undefined && !('deleted' in managed.data) ? managed.data : null;

  const save = (ifMatch: string): void => {
    if (value === null) return;
    change.begin({
      method: 'PATCH',
      path: `/tanks/${tank.id}`,
      body: { [FIELD]: value },
      ifMatch,
      label: texts.label(nameOf(tank)),
    });
  };
  const submit = (): void => {
    if (current !== null) save(current.etag);
  };
  const keepMine = async (): Promise<void> => {
    const newest = await readAgain();
    if (newest !== undefined && !('deleted' in newest)) save(newest.etag);
  };
  const takeTheirs = (): void => {
    change.reset();
    setTyped(null);
    queryClient.removeQueries({ queryKey: ['managed-tank', tank.id] });
    void queryClient.invalidateQueries({ queryKey: ['tank', tank.id] });
  };
  const open = typed === null && (
    <Button className="small" onClick={() => setTyped(String(stored))}>
      {texts.open}
    </Button>
  );
  return (
    <Panel id="threshold" title={`${texts.title} ${format.percent(stored)}`} action={open}>
      {typed === null && (
        <p className="meta">
          {texts.help} {order !== null && texts.order(format.percent(order))}
        </p>
      )}
      {typed !== null && (
        <OpenedFields aria-label={texts.title} noValidate onSubmit={submit} onClose={takeTheirs}>
          <fieldset disabled={change.isBusy}>
            <TextField
              label={texts.field}
              problem={value === null ? wrong : fieldProblem(state, FIELD)}
              className="short"
              inputMode="numeric"
              value={typed}
              onChange={setTyped}
            />
            {value !== null && <Trial tankId={tank.id} percentage={value} />}
            <p className="button-row">
              <Button type="submit" className="primary" disabled={current === null || value === null}>
                {state.kind === 'sending' ? changeTexts.saving : changeTexts.save}
              </Button>
              <Button onClick={takeTheirs}>{changeTexts.cancel}</Button>
            </p>
          </fieldset>
          {isChanged && <Changed tankId={tank.id} onMine={() => void keepMine()} onTheirs={takeTheirs} />}
        </OpenedFields>
      )}
      <ChangeNotice change={change} fields={[FIELD]} />
    </Panel>
  );
}

/** Shown if somebody else changed the tank meanwhile, with its stored threshold. */
function Changed({ tankId, onMine, onTheirs }: { tankId: string; onMine: () => void; onTheirs: () => void }) {
  const { format } = usePreferences();
  const texts = useTexts(CHANGE_TEXTS);
  const { data } = useQuery({
    queryKey: ['changed-tank', tankId],
    queryFn: async ({ signal }) => client.manage.tanks.retrieve(tankId, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (data === undefined || 'deleted' in data) return null;
  return (
    <ChangedNotice
      objectId={tankId}
      at={data.updated_at}
      theirs={texts.stored(format.exactPercent(data.min_fill_alert_percentage))}
      onMine={onMine}
      onTheirs={onTheirs}
    />
  );
}

/** A sentence such as "3 alerts in the last year instead of 7." */
function Trial({ tankId, percentage }: { tankId: string; percentage: number }) {
  const { format } = usePreferences();
  const texts = useTexts(TANK_FORM_TEXTS).threshold;
  const tried = useDeferredValue(percentage);
  const { data, error } = useQuery({
    queryKey: ['threshold-trial', tankId, tried],
    queryFn: async ({ signal }) => {
      await untilTypingPauses(signal);
      return fleet.thresholdTrial(tankId, tried, { signal });
    },
    staleTime: 60_000,
  });
  if (error !== null) return <p className="meta">{texts.failed}</p>;
  if (data === undefined) {
    return (
      <p className="meta" role="status">
        {texts.trying}
      </p>
    );
  }
  const { alerts, alerts_now: before, first_reading_at: firstAt, since } = data;
  return (
    <p className="trial" role="status">
      {alerts === before ? texts.same(alerts) : texts.trial(alerts, before)}{' '}
      {firstAt !== null && firstAt > since && texts.since(format.dateWithYear(firstAt))}
    </p>
  );
}

/** A threshold is tried only after a pause of this length, because a trial evaluates a year of readings. */
const PAUSE_MS = 400;

function untilTypingPauses(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('another threshold was typed', 'AbortError'));
    });
  });
}
