import type { ManagedTank, TankStatus } from '@tankwatch/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { MAX_REPORT_INTERVAL_HOURS } from '../../../../src/values/report_interval.ts';
import { client } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { useDraft } from '../forms/draft.ts';
import { useFieldProblem } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { OpenedForm } from '../forms/opened_form.tsx';
import { type TypedNumber, useTypedNumbers } from '../forms/typed_number.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { addressOf } from '../status.ts';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { ChangedMeanwhile, type StoredForm } from './changed_meanwhile.tsx';
import { SimilarCustomers } from './similar_customers.tsx';
import { TakenNotice } from './taken_notice.tsx';
import { AddressFields, SourceFields, TankFields, useTankChoices } from './tank_fields.tsx';
import {
  addressOfTank,
  fieldOfParam,
  fillLimitIn,
  intervalIn,
  newTankTexts,
  orderThresholdIn,
  percentageIn,
  placeIn,
  TANK_FIELDS,
  type TankField,
  type TankTexts,
  tankBody,
  tankTexts,
} from './tank_values.ts';
import '../styles/forms.css';
import '../styles/catalog.css';

async function readStored(id: string, signal?: AbortSignal): Promise<StoredForm<TankField> | null> {
  const stored = await client.manage.tanks.retrieve(id, signal === undefined ? {} : { signal });
  return 'deleted' in stored ? null : { values: tankTexts(stored), etag: stored.etag, updatedAt: stored.updated_at };
}

/** The errors that the page finds itself. For a stored tank, only changed fields are checked. */
function useOwnProblems(
  values: TankTexts,
  capacity: TypedNumber,
  checked: readonly TankField[],
): Partial<Record<TankField, string>> {
  const texts = useTexts(CATALOG_TEXTS);
  const { fieldProblems } = useTexts(CHANGE_TEXTS);
  const low = percentageIn(values.min_fill_alert_percentage);
  const order = orderThresholdIn(values.order_threshold_percentage);
  const isOrderWrong = order === undefined || (order !== null && low !== null && order <= low);
  const isOrderChecked = checked.includes('order_threshold_percentage');
  const found: Partial<Record<TankField, string>> = {
    ...(values.name.trim() === '' && { name: texts.nameMissing }),
    ...('problem' in capacity && { capacity: capacity.problem }),
    ...(low === null && { min_fill_alert_percentage: fieldProblems.min_fill_alert_percentage }),
    ...(isOrderWrong && {
      [isOrderChecked ? 'order_threshold_percentage' : 'min_fill_alert_percentage']: texts.orderWrong,
    }),
    ...(intervalIn(values.report_interval_hours) === undefined && {
      report_interval_hours: texts.intervalWrong(MAX_REPORT_INTERVAL_HOURS),
    }),
    ...(fillLimitIn(values.fill_limit_percentage) === undefined && { fill_limit_percentage: texts.fillLimitWrong }),
    ...(placeIn(values.place) === null && { place: texts.placeWrong }),
    ...(values.source === 'device' && values.device_id.trim() === '' && { device_id: fieldProblems.device_id }),
  };
  return Object.fromEntries(checked.flatMap((field) => (found[field] ? [[field, found[field]]] : [])));
}

interface TankFormProps {
  /** Null for a new tank. */
  tank: ManagedTank | null;
  owner: { id: string; name: string };
  /** The unit of a new tank. */
  unit: string;
  /** Another tank of the owner. A new tank may have the same address. */
  neighbor: TankStatus | null;
  draftOf: string;
  onClose: () => void;
}

/** Adds a tank to a customer, or changes a tank. */
export function TankForm({ tank, owner, unit, neighbor, draftOf, onClose }: TankFormProps) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(CATALOG_TEXTS);
  const choices: Partial<Record<TankField, readonly (readonly string[])[]>> = useTankChoices();
  const fieldProblem = useFieldProblem();
  const draft = useDraft<TankField>(draftOf, {
    values: tank === null ? newTankTexts(unit) : tankTexts(tank),
    etag: tank?.etag ?? null,
  });
  const { values, changed } = draft;
  const [isSubmitted, setSubmitted] = useState(false);
  const readAgain = useReadAgain(['tank'], ['customer'], ['customers'], ['managed-tank'], ['tanks']);
  const change = useChange(() => {
    readAgain();
    onClose();
  });
  const { state } = change;
  const sent = tank === null ? TANK_FIELDS : changed;
  const capacity = useTypedNumbers().volume(values.capacity);
  const own = useOwnProblems(values, capacity, sent);
  const problemOf = (field: TankField): string => {
    const params = state.kind === 'refused' ? state.errors.map(({ param }) => param) : [];
    const param = params.find((one) => fieldOfParam(one) === field);
    return (isSubmitted ? own[field] : '') || (param === undefined ? '' : fieldProblem(state, param));
  };
  const save = (etag: string | null): void => {
    const body = tankBody(values, sent, 'value' in capacity ? capacity.value : null);
    const request = { label: texts.tankLabel(values.name.trim()), draft: draft.name };
    if (tank === null)
      change.begin({ ...request, method: 'POST', path: '/tanks', body: { ...body, owner_id: owner.id } });
    else if (etag !== null)
      change.begin({ ...request, method: 'PATCH', path: `/tanks/${tank.id}`, body, ifMatch: etag });
  };
  const discard = (): void => {
    draft.forget();
    onClose();
  };
  const submit = (): void => {
    setSubmitted(true);
    if (Object.keys(own).length > 0) return;
    if (tank !== null && changed.length === 0) discard();
    else save(draft.etag);
  };
  const fields = { values, change: draft.change, problemOf };
  return (
    <OpenedForm title={tank === null ? texts.newTankOf(owner.name) : texts.editTank(tank.name)} onClose={onClose}>
      {(headingId) => (
        <ChangeForm aria-labelledby={headingId} onSubmit={submit} noValidate>
          <fieldset disabled={change.isBusy}>
            <TankFields {...fields} />
            {tank === null && <SourceFields {...fields} />}
            {tank !== null && (
              <p className="meta">
                {texts.deviceElsewhere} <Link href={`/commission/${tank.id}`}>{texts.deviceChange}</Link>
              </p>
            )}
            <h3>{texts.where}</h3>
            {tank === null && neighbor !== null && addressOf(neighbor) !== '' && (
              <p className="button-row">
                <Button className="small" onClick={() => draft.change(addressOfTank(neighbor))}>
                  {texts.sameAddress(addressOf(neighbor))}
                </Button>
              </p>
            )}
            <AddressFields {...fields} needsPlace={tank !== null && tank.location.latitude === null} />
            {changed.includes('street') && (
              <SimilarCustomers
                typed={{ street: values.street, street_number: values.street_number }}
                exceptId={owner.id}
              />
            )}
            <FormButtons change={change} submit={tank === null ? texts.addTank : changeTexts.save} onCancel={discard} />
          </fieldset>
          {state.kind === 'refused' && state.status === 412 && tank !== null && (
            <ChangedMeanwhile
              objectId={tank.id}
              draft={draft}
              labelOf={(field) => texts.tankFields[field]}
              textOf={(field, value) => choices[field]?.find(([stored]) => stored === value)?.[1] ?? value}
              read={(signal) => readStored(tank.id, signal)}
              onMine={save}
              onTheirs={() => {
                readAgain();
                discard();
              }}
            />
          )}
          {state.kind === 'refused' && state.status === 409 && state.conflictingId !== null && (
            <TakenNotice tankId={state.conflictingId} device={values.device_id.trim()} />
          )}
          <ChangeNotice
            change={change}
            fields={
              state.kind === 'refused'
                ? state.errors
                    .map(({ param }) => param)
                    .filter((param) => TANK_FIELDS.some((field) => field === fieldOfParam(param)))
                : []
            }
            conflict={({ conflictingId }) => (conflictingId === null ? changeTexts.conflict : '')}
          />
        </ChangeForm>
      )}
    </OpenedForm>
  );
}
