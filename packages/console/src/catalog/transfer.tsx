import type { FleetCustomer, ManagedTank, TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client, fleet } from '../api.ts';
import { ChangeNotice } from '../change/change_notice.tsx';
import { useReadAgain } from '../change/read_again.ts';
import { useChange } from '../change/use_change.ts';
import { ChangeForm } from '../forms/change_form.tsx';
import { TextField } from '../forms/field.tsx';
import { FormButtons } from '../forms/form_buttons.tsx';
import { OpenedForm } from '../forms/opened_form.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { nameOf } from '../status.ts';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CHANGE_TEXTS } from '../translations/change.ts';
import { TakenNotice } from './taken_notice.tsx';
import { useTyped } from './typed.ts';
import '../styles/forms.css';
import '../styles/catalog.css';

const MAX_FOUND = 8;

/** The form that transfers a tank to another customer. It says what both customers see afterwards. */
export function Transfer({ status, onClose }: { status: TankStatus; onClose: () => void }) {
  const changeTexts = useTexts(CHANGE_TEXTS);
  const texts = useTexts(CATALOG_TEXTS).transfer;
  const { tank, owner } = status;
  const readAgain = useReadAgain(['tank'], ['customer'], ['customers'], ['tanks']);
  const [chosen, setChosen] = useState<FleetCustomer | null>(null);
  const [isSubmitted, setSubmitted] = useState(false);
  const managed = useQuery({
    queryKey: ['transferred-tank', tank.id],
    queryFn: ({ signal }) => client.manage.tanks.retrieve(tank.id, { signal }),
    gcTime: 0,
  });
  const change = useChange<ManagedTank>(
    () => {
      readAgain();
      onClose();
    },
    ({ status: code }) => code === 412 && void managed.refetch(),
  );
  const { state } = change;
  const { data, error, refetch } = managed;
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if ('deleted' in data) return <p className="notice">{changeTexts.gone}</p>;
  const submit = (): void => {
    setSubmitted(true);
    if (chosen === null) return;
    change.begin({
      method: 'PATCH',
      path: `/tanks/${tank.id}`,
      body: { owner_id: chosen.id },
      ifMatch: data.etag,
      label: texts.title(nameOf(tank)),
    });
  };
  return (
    <OpenedForm title={texts.title(nameOf(tank))} onClose={onClose}>
      {(headingId) => (
        <ChangeForm aria-labelledby={headingId} onSubmit={submit} noValidate>
          <fieldset disabled={change.isBusy}>
            <OwnerPick
              exceptId={owner.id}
              chosen={chosen}
              problem={isSubmitted && chosen === null ? texts.choose : ''}
              onChoose={setChosen}
            />
            {chosen !== null && (
              <ul className="consequences" role="status">
                <li>{texts.newSees(chosen.name)}</li>
                <li>{texts.oldSees(owner.name)}</li>
                <li>{texts.deliveryNotes(owner.name)}</li>
                {status.planned_delivery !== null && <li>{texts.planned(chosen.name)}</li>}
              </ul>
            )}
            <FormButtons change={change} submit={texts.confirm} onCancel={onClose} />
          </fieldset>
          {state.kind === 'refused' && state.status === 409 && state.conflictingId !== null && (
            <TakenNotice tankId={state.conflictingId} device="" />
          )}
          <ChangeNotice
            change={change}
            conflict={({ conflictingId }) => (conflictingId === null ? changeTexts.conflict : '')}
            changed={`${changeTexts.notSaved} ${changeTexts.changedMeanwhile(changeTexts.somebody)} ${texts.lookAgain}`}
          />
        </ChangeForm>
      )}
    </OpenedForm>
  );
}

interface OwnerPickProps {
  exceptId: string;
  chosen: FleetCustomer | null;
  problem: string;
  onChoose: (customer: FleetCustomer) => void;
}

/** Finds a customer by the words of a search. */
function OwnerPick({ exceptId, chosen, problem, onChoose }: OwnerPickProps) {
  const texts = useTexts(CATALOG_TEXTS).transfer;
  const group = useId();
  const [text, setText] = useState('');
  const q = useTyped(text.trim());
  const { data } = useQuery({
    queryKey: ['customers', 'pick', q],
    queryFn: async ({ signal }) => fleet.customers({ q, size: MAX_FOUND }, { signal }),
    enabled: isSearchable(q),
  });
  const found = isSearchable(q) ? (data?.data ?? []).filter(({ id }) => id !== exceptId) : [];
  const shown = chosen === null || found.some(({ id }) => id === chosen.id) ? found : [chosen, ...found];
  return (
    <>
      <TextField
        label={texts.search}
        problem={problem}
        type="search"
        autoComplete="off"
        value={text}
        onChange={setText}
      />
      <p className="meta" role="status">
        {isSearchable(q) && data !== undefined && found.length === 0 && texts.nobody}
      </p>
      {shown.length > 0 && (
        <fieldset className="owner-pick">
          <legend>{texts.newOwner}</legend>
          {shown.map((customer) => (
            <label key={customer.id} className="box">
              <input
                type="radio"
                name={group}
                checked={customer.id === chosen?.id}
                onChange={() => onChoose(customer)}
              />
              <span>
                {customer.name}{' '}
                <span className="meta">
                  {[customer.external_key, customer.phone, customer.email].filter(Boolean).join(' · ')}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
