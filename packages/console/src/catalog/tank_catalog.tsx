import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '../api.ts';
import { useOpenForm } from '../forms/draft.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { Deletion } from './deletion.tsx';
import { OpenButton, useOpening } from './open_buttons.tsx';
import { TankForm } from './tank_form.tsx';
import { Transfer } from './transfer.tsx';

/** The buttons on the page of a tank: edit the tank, transfer it to another customer, delete it. */
export function TankCatalog({ status }: { status: TankStatus }) {
  const texts = useTexts(CATALOG_TEXTS);
  const editOf = `tank.${status.tank.id}`;
  const edit = useOpenForm(editOf);
  const [transfer, deletion] = [useOpening(), useOpening()];
  const [, navigate] = useLocation();
  return (
    <>
      <p className="button-row actions no-print">
        <OpenButton opening={edit}>{texts.edit}</OpenButton>
        <OpenButton opening={transfer}>{texts.transfer.open}</OpenButton>
        <OpenButton opening={deletion}>{texts.deletion.open}</OpenButton>
      </p>
      {edit.isOpen && <EditTank status={status} draftOf={editOf} onClose={edit.close} />}
      {transfer.isOpen && <Transfer status={status} onClose={transfer.close} />}
      {deletion.isOpen && (
        <Deletion
          kind="tank"
          id={status.tank.id}
          onDeleted={() => navigate(`/customers/${status.owner.id}`)}
          onClose={deletion.close}
        />
      )}
    </>
  );
}

/** Reads the tank and its etag before the form opens, so that a change by somebody else meanwhile is detected. */
function EditTank({ status, draftOf, onClose }: { status: TankStatus; draftOf: string; onClose: () => void }) {
  const { tank, owner } = status;
  const { data, error, refetch } = useQuery({
    queryKey: ['edited-tank', tank.id],
    queryFn: ({ signal }) => client.manage.tanks.retrieve(tank.id, { signal }),
    gcTime: 0,
  });
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if ('deleted' in data) return null;
  return (
    <TankForm tank={data} owner={owner} unit={data.capacity_unit} neighbor={null} draftOf={draftOf} onClose={onClose} />
  );
}
