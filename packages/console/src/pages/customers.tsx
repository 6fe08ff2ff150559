import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api.ts';
import { useTitle } from '../frame/title.ts';
import { Phone } from '../parts/phone.tsx';
import { ProblemNotice, Skeleton } from '../parts/problem.tsx';
import { useFormat, useWords } from '../preferences.tsx';
import { useUrlState } from '../url_state.ts';

const PAGE_SIZE = 50;

/** All customers, newest first. The search box finds one by name. */
export function CustomersPage() {
  const { customers: texts, fleet: list } = useWords();
  const format = useFormat();
  const { given, href } = useUrlState();
  const page = Math.max(1, Math.floor(Number(given.get('page') ?? 1)) || 1);
  useTitle(texts.title);
  const { data, error, refetch } = useQuery({
    queryKey: ['customers', page],
    queryFn: async ({ signal }) => client.customers.list({ page, size: PAGE_SIZE }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="page-head">
        <h1>{texts.title}</h1>
      </div>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} />}
      {data !== undefined && data.data.length === 0 && <p className="notice">{texts.none}</p>}
      {data !== undefined && data.data.length > 0 && (
        <>
          <table className="tanks customers">
            <thead>
              <tr>
                <th scope="col">{texts.name}</th>
                <th scope="col">{texts.mail}</th>
                <th scope="col">{texts.phone}</th>
                <th scope="col" className="number">
                  {texts.tanks}
                </th>
                <th scope="col">{texts.created}</th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((customer) => (
                <tr key={customer.id}>
                  <th scope="row">
                    <Link href={`/customers/${customer.id}`}>{customer.name}</Link>
                  </th>
                  <td>
                    {customer.email} {!customer.is_verified && <span className="meta">{texts.notVerified}</span>}
                  </td>
                  <td data-label={texts.phone}>
                    <Phone phone={customer.phone} />
                  </td>
                  <td className="number" data-label={texts.tanks}>
                    {format.count(customer.tank_count)}
                  </td>
                  <td data-label={texts.created}>{format.dateWithYear(customer.created_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <nav className="pager" aria-label={texts.title}>
            <span className="meta">
              {list.range(
                format.count((page - 1) * PAGE_SIZE + 1),
                format.count((page - 1) * PAGE_SIZE + data.data.length),
                format.count(data.total_items),
              )}
            </span>
            {page > 1 && (
              <Link className="button" href={href({ page: page === 2 ? undefined : String(page - 1) })}>
                ‹ {list.previous}
              </Link>
            )}
            {page < data.total_pages && (
              <Link className="button" href={href({ page: String(page + 1) })}>
                {list.next} ›
              </Link>
            )}
          </nav>
        </>
      )}
    </>
  );
}
