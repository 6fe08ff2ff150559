import type { FleetCustomer, FleetCustomerPage } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useTitle } from '../frame/title.ts';
import { StatusName } from '../parts/badge.tsx';
import { DidYouMean } from '../parts/did_you_mean.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { FIRST_PAGE, Pager } from '../parts/pager.tsx';
import { Phone } from '../parts/phone.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { numeric, Table } from '../parts/table.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { useCan } from '../session.ts';
import { ACCOUNT_TEXTS } from '../translations/accounts.ts';
import { useUrlState } from '../url_state.ts';

/** Loaded only for viewers who may add a customer. */
const NewCustomer = lazyComponent(async () => (await import('../catalog/new_customer.tsx')).NewCustomer);

const PAGE_SIZE = 50;

/** All customers by name, with what their tanks need. */
export function CustomersPage() {
  const { customers: texts, fleet: list } = useTranslation();
  const { given, href, change } = useUrlState();
  useTitle(texts.title);
  const canChange = useCan('catalog');
  const q = given.get('q') ?? '';
  const parameters = {
    q: isSearchable(q) ? q : undefined,
    size: PAGE_SIZE,
    after: given.get('after') ?? undefined,
    before: given.get('before') ?? undefined,
  };
  const { data, error, refetch } = useQuery<FleetCustomerPage>({
    queryKey: ['customers', parameters],
    queryFn: async ({ signal }) => fleet.customers(parameters, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
        {canChange && <NewCustomer />}
      </div>
      <CustomerSearch q={q} onSearch={(value) => change({ ...FIRST_PAGE, q: value }, { replace: true })} />
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && data.data.length === 0 && (
        <div className="notice" role="status">
          <p>{parameters.q === undefined ? texts.none : texts.nobody}</p>
          {parameters.q !== undefined && (
            <>
              <DidYouMean q={parameters.q} list="customers" hrefOf={(value) => href({ ...FIRST_PAGE, q: value })} />{' '}
              <Link href="/customers">{list.clear}</Link>
            </>
          )}
        </div>
      )}
      {data !== undefined && data.data.length > 0 && (
        <>
          <CustomerTable customers={data.data} />
          <Pager page={data} pageSize={PAGE_SIZE} label={texts.title} given={given} href={href} />
        </>
      )}
    </>
  );
}

/** The search begins when the viewer pauses for this long. */
const PAUSE_MS = 250;

function CustomerSearch({ q, onSearch }: { q: string; onSearch: (q: string | undefined) => void }) {
  const { customers: texts, search } = useTranslation();
  const [text, setText] = useState(q);
  /** What this field has searched for last. Any other value of the URL comes from a link or from going back. */
  const sent = useRef(q);
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  const typed = text.trim();
  useEffect(() => {
    if (typed === sent.current || (typed !== '' && !isSearchable(typed))) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      onSearch(typed === '' ? undefined : typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <search className="filters">
      <label className="customer-search">
        <span className="meta">{texts.search}</span>
        <input type="search" autoComplete="off" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <span className="meta" role="status">
        {typed !== '' && !isSearchable(typed) && search.tooShort}
      </span>
    </search>
  );
}

function CustomerTable({ customers }: { customers: readonly FleetCustomer[] }) {
  const { words, format } = usePreferences();
  const { customers: texts, values } = words;
  const people = useTexts(ACCOUNT_TEXTS);
  return (
    <Table
      className="stacked customers"
      columns={[texts.name, texts.status, numeric(texts.tanks), texts.phone, texts.mail]}
    >
      {customers.map((customer) => (
        <tr key={customer.id}>
          <th scope="row">
            <Link href={`/customers/${customer.id}`}>{customer.name}</Link>{' '}
            <span className="meta">{customer.external_key}</span>
          </th>
          <td className={customer.worst_status === null ? 'c-status nothing' : 'c-status'}>
            {customer.worst_status === null ? values.none : <StatusName name={customer.worst_status} />}
          </td>
          <td className="number c-count">
            <span className="wide">{format.count(customer.tank_count)}</span>
            <span className="narrow">{texts.tankCount(customer.tank_count, format.count(customer.tank_count))}</span>
          </td>
          <td className={customer.phone === null ? 'c-phone nothing' : 'c-phone'}>
            <Phone phone={customer.phone} />
          </td>
          <td className="mail">
            <a href={`mailto:${customer.email}`} className="quiet">
              {customer.email}
            </a>{' '}
            {!customer.is_verified && <span className="meta unbroken">{texts.notVerified}</span>}
            {customer.reminders_off_since !== null && (
              <span className="meta"> {people.noReminders(format.date(customer.reminders_off_since))}</span>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
