import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { searchQuery } from '../frame/search_query.ts';
import { useTranslation } from '../preferences_and_words.tsx';

interface DidYouMeanProps {
  /** The search that found nothing. */
  q: string;
  list: 'tanks' | 'customers';
  hrefOf: (q: string) => string;
}

/** Offers the corrected words of a search that has found nothing in a list. */
export function DidYouMean({ q, list, hrefOf }: DidYouMeanProps) {
  const { search: texts } = useTranslation();
  const { data } = useQuery(searchQuery(q));
  const similar = data?.similar ?? null;
  if (similar === null || similar[list].length === 0) return null;
  return <Link href={hrefOf(similar.q)}>{texts.didYouMean(similar.q)}</Link>;
}
