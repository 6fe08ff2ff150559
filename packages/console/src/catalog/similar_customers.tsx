import type { FindSimilarCustomersParameters } from '@tankwatch/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fleet } from '../api.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';
import { useTyped } from './typed.ts';

type Typed = Omit<FindSimilarCustomersParameters, 'except'>;

interface SimilarCustomersProps {
  /** What was typed. Empty texts are not compared. */
  typed: Readonly<Record<keyof Typed, string>> | Readonly<Partial<Record<keyof Typed, string>>>;
  /** The customer that is edited, or that gets the tank. */
  exceptId?: string | undefined;
}

/** Shows customers that may be the same as the typed one. The form can still be saved. */
export function SimilarCustomers({ typed, exceptId }: SimilarCustomersProps) {
  const texts = useTexts(CATALOG_TEXTS).similar;
  const given = Object.entries(typed)
    .map(([name, text]) => [name, text.trim()] as const)
    .filter(([, text]) => text !== '' && text.length <= 200);
  const query = useTyped(new URLSearchParams(given.map(([name, text]) => [name, text])).toString());
  const { data } = useQuery({
    queryKey: ['similar-customers', query, exceptId],
    queryFn: ({ signal }) =>
      fleet.similarCustomers({ ...Object.fromEntries(new URLSearchParams(query)), except: exceptId }, { signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const found = query === '' ? [] : (data?.customers ?? []);
  return (
    <div role="status">
      {found.length > 0 && (
        <div className="notice similar">
          <p>
            <b>{'street' in typed ? texts.titleOfPlace : texts.title}</b>
          </p>
          <ul>
            {found.map(({ id, name, external_key: key, phone, same }) => (
              <li key={id}>
                <Link href={`/customers/${id}`}>{name}</Link>{' '}
                <span className="meta">{[key, phone].filter(Boolean).join(' · ')}</span>{' '}
                {same.map((part) => texts.same[part]).join(', ')}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
