import type { TankStatus } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '../api.ts';
import { useOpenForm } from '../forms/draft.ts';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { sessionQuery } from '../session.ts';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { CustomerForm } from './customer_form.tsx';
import { Deletion } from './deletion.tsx';
import { OpenButton, useOpening } from './open_buttons.tsx';
import { TankForm } from './tank_form.tsx';

interface CustomerActionsProps {
  customer: { id: string; name: string };
  /** The tanks of the customer, as far as they are known. */
  tanks: readonly TankStatus[];
}

/** The buttons in the head of the page of a customer: edit the customer, add a tank, delete the customer. */
export function CustomerActions({ customer, tanks }: CustomerActionsProps) {
  const texts = useTexts(CATALOG_TEXTS);
  const { data: session } = useQuery(sessionQuery);
  const editOf = `customer.${customer.id}`;
  const newTankOf = `tank.new.${customer.id}`;
  const edit = useOpenForm(editOf);
  const newTank = useOpenForm(newTankOf);
  const deletion = useOpening();
  const [, navigate] = useLocation();
  return (
    <>
      <p className="button-row actions no-print">
        <OpenButton opening={edit}>{texts.edit}</OpenButton>
        <OpenButton opening={newTank}>{texts.newTank}</OpenButton>
        <OpenButton opening={deletion}>{texts.deletion.open}</OpenButton>
      </p>
      {edit.isOpen && <EditCustomer id={customer.id} draftOf={editOf} onClose={edit.close} />}
      {newTank.isOpen && (
        <TankForm
          tank={null}
          owner={customer}
          unit={session?.organization.volumeUnit ?? 'liters'}
          neighbor={tanks[0] ?? null}
          draftOf={newTankOf}
          onClose={newTank.close}
        />
      )}
      {deletion.isOpen && (
        <Deletion kind="customer" id={customer.id} onDeleted={() => navigate('/customers')} onClose={deletion.close} />
      )}
    </>
  );
}

/** Reads the customer and its etag before the form opens, so that a change by somebody else meanwhile is detected. */
function EditCustomer({ id, draftOf, onClose }: { id: string; draftOf: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['managed-customer', id],
    queryFn: ({ signal }) => client.manage.customers.retrieve(id, { signal }),
    gcTime: 0,
  });
  if (error !== null && data === undefined) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if ('deleted' in data) return null;
  return <CustomerForm customer={data} draftOf={draftOf} onClose={onClose} />;
}
