import type { Phone } from '@tankwatch/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client, fleet } from '../api.ts';
import { useNow } from '../clock.ts';
import { useTitle } from '../frame/title.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { Phones } from '../parts/phones.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { TankTable } from '../parts/tank_table.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { useCan } from '../session.ts';
import { CustomerRefills, CustomerUse } from './customer_history.tsx';

/** Loaded only for viewers who may change customers and tanks. */
const CustomerActions = lazyComponent(async () => (await import('../catalog/customer_actions.tsx')).CustomerActions);

const MAX_TANKS = 100;

/** For a customer without a tank, the service sends only the phone to call first. */
const onlyPhone = (number: string | null): Phone[] =>
  number === null ? [] : [{ number, whose: null, text_for_loss: false }];

/** One customer with all tanks, the most urgent first. */
export function CustomerPage({ id }: { id: string }) {
  const { customers: texts, fleet: list } = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const canChange = useCan('catalog');
  const {
    data: customer,
    error,
    refetch,
  } = useQuery({
    queryKey: ['customer', id],
    queryFn: ({ signal }) => client.customers.retrieve(id, { signal }),
  });
  const tanks = useQuery({
    queryKey: ['customer', id, 'tanks'],
    queryFn: async ({ signal }) => fleet.tanks({ owner_id: id, size: MAX_TANKS, include: 'spark' }, { signal }),
    enabled: customer !== undefined && !customer.deleted,
    refetchInterval: 60_000,
  });
  useTitle(customer === undefined || customer.deleted ? texts.title : customer.name);

  if (error !== null && customer === undefined) {
    return <ProblemNotice error={error} notFound={texts.notFound} onRetry={() => void refetch()} />;
  }
  if (customer === undefined) return <Skeleton rows={8} />;
  if (customer.deleted) return <p className="notice">{texts.deleted}</p>;
  const rows = tanks.data?.data ?? [];
  const number = rows[0]?.owner.external_key ?? null;
  return (
    <>
      <div className="page-head">
        <h1>{customer.name}</h1>
        {canChange && tanks.data !== undefined && <CustomerActions customer={customer} tanks={rows} />}
      </div>
      <p className="facts">
        {number !== null && (
          <span>
            {texts.number} {number}
          </span>
        )}
        <Phones phones={rows[0]?.owner.phones ?? onlyPhone(customer.phone)} />
        <span>
          <a href={`mailto:${customer.email}`}>{customer.email}</a>{' '}
          <span className="meta">{customer.is_verified ? texts.verified : texts.notVerified}</span>
        </span>
        <span className="meta">
          {customer.last_seen_at === null
            ? texts.neverSeen
            : texts.lastSeen(format.ago(nowMs - Date.parse(customer.last_seen_at)))}
        </span>
      </p>
      <h2>{texts.tanks}</h2>
      {tanks.error !== null && <ProblemNotice error={tanks.error} onRetry={() => void tanks.refetch()} />}
      {tanks.data === undefined && tanks.error === null && <Skeleton rows={3} />}
      {tanks.data !== undefined && rows.length === 0 && <p className="notice">{texts.noTanks}</p>}
      {rows.length > 0 && <TankTable rows={rows} hasOwner={false} />}
      {typeof tanks.data?.next === 'string' && (
        <p>
          <Link href={`/fleet?customer=${id}`}>
            {list.range('1', format.count(rows.length), format.count(tanks.data.total_items))}
          </Link>
        </p>
      )}
      {rows.length > 0 && (
        <div className="columns">
          <CustomerUse id={id} />
          <CustomerRefills id={id} />
        </div>
      )}
    </>
  );
}
