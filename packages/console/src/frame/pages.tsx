import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/marks.tsx';
import { usePreferences } from '../preferences_and_words.tsx';
import { countOf, sectionQuery } from '../sections.ts';
import { useCan } from '../session.ts';
import '../styles/pages.css';

/** On a phone, these pages are behind "More". */
const MORE = ['customers', 'devices', 'events'] as const;

/** The links to the pages: in the head, and on a phone in a bar at the bottom with the number of open losses. */
export function Pages() {
  const { words } = usePreferences();
  const canPlan = useCan('deliveries');
  const [path] = useLocation();
  const more = useRef<HTMLDetailsElement>(null);
  useEffect(() => more.current?.removeAttribute('open'), [path]);
  useEffect(() => {
    const close = ({ target }: Event): void => {
      if (target instanceof Node && !more.current?.contains(target)) more.current?.removeAttribute('open');
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  const { pages, menu } = words;
  return (
    <nav className="pages" aria-label={words.product}>
      <PageLink href="/" text={pages.today} icon="home">
        <OpenLosses />
      </PageLink>
      <PageLink href="/fleet" text={pages.fleet} icon="list" />
      {canPlan && <PageLink href="/round" text={pages.round} icon="truck" />}
      <PageLink href="/ledger" text={pages.ledger} icon="note" />
      {MORE.map((name) => (
        <PageLink key={name} href={`/${name}`} text={pages[name]} isMore />
      ))}
      <details className="more" ref={more}>
        <summary aria-current={MORE.some((name) => path.startsWith(`/${name}`)) ? 'true' : undefined}>
          <Icon name="more" />
          {menu.more}
        </summary>
        <div>
          {MORE.map((name) => (
            <Link key={name} href={`/${name}`} aria-current={path.startsWith(`/${name}`) ? 'page' : undefined}>
              {pages[name]}
            </Link>
          ))}
          <Link href="/settings">{menu.settings}</Link>
        </div>
      </details>
    </nav>
  );
}

interface PageLinkProps {
  href: string;
  text: string;
  icon?: IconName;
  isMore?: boolean;
  children?: React.ReactNode;
}

function PageLink({ href, text, icon, isMore = false, children }: PageLinkProps) {
  const [path] = useLocation();
  const isCurrent = href === '/' ? path === '/' : path.startsWith(href);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined} className={isMore ? 'in-more' : undefined}>
      {icon !== undefined && <Icon name={icon} />}
      {text}
      {children}
    </Link>
  );
}

/** The number of losses that nobody handles. It is shown only on a phone; elsewhere the alarm is above every page. */
function OpenLosses() {
  const { words, format } = usePreferences();
  const { data } = useQuery(sectionQuery('losing'));
  const count = data === undefined ? 0 : countOf(data);
  if (count === 0) return null;
  return (
    <span className="page-count">
      {format.count(count)} <span className="hidden">{words.status.losing}</span>
    </span>
  );
}
