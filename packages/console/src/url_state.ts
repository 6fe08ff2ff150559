import { useLocation, useSearch } from 'wouter';

/** The parameters of the page in its URL, so that the back button works and a link can be mailed. */
export function useUrlState(): {
  given: URLSearchParams;
  /** The URL of this page with changed parameters. A parameter that is undefined is removed. */
  href: (values: Readonly<Record<string, string | undefined>>) => string;
  change: (values: Readonly<Record<string, string | undefined>>, options?: { replace?: boolean }) => void;
} {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const given = new URLSearchParams(search);
  const href = (values: Readonly<Record<string, string | undefined>>): string => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return { given, href, change: (values, options) => navigate(href(values), options) };
}
