import { Link } from 'wouter';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';

/** The parameters of the first page, to which a changed filter or order leads. */
export const FIRST_PAGE = { after: undefined, before: undefined, at: undefined };

interface PagerProps {
  page: { data: readonly unknown[]; previous: string | null; next: string | null; total_items: number };
  pageSize: number;
  label: string;
  given: URLSearchParams;
  href: (values: Readonly<Record<string, string | undefined>>) => string;
}

/** The position of a page in its list, and links to the previous and the next page. `at` is the number of the first row. */
export function Pager({ page, pageSize, label, given, href }: PagerProps) {
  const { fleet: texts } = useTranslation();
  const format = useFormat();
  const at = Math.max(1, Math.floor(Number(given.get('at') ?? 1)) || 1);
  const to = at + page.data.length - 1;
  const previousAt = Math.max(1, at - pageSize);
  return (
    <nav className="pager" aria-label={label}>
      <span className="meta">
        {texts.range(format.count(at), format.count(to), format.count(Math.max(to, page.total_items)))}
      </span>
      {page.previous !== null && (
        <Link className="button" href={href({ before: page.previous, after: undefined, at: String(previousAt) })}>
          ‹ {texts.previous}
        </Link>
      )}
      {page.next !== null && (
        <Link className="button" href={href({ after: page.next, before: undefined, at: String(to + 1) })}>
          {texts.next} ›
        </Link>
      )}
    </nav>
  );
}
