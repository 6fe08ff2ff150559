import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { usePreferences } from '../preferences_and_words.tsx';
import { countOf, sectionQuery } from '../sections.ts';
import { useCan } from '../session.ts';
import '../styles/pages.css';

const ICONS = {
  today: 'M3 9.5L10 4l7 5.5V17H3z',
  fleet: 'M7 5h10M7 10h10M7 15h10M3.5 5h.01M3.5 10h.01M3.5 15h.01',
  round: 'M2 5h9v9H2zM11 8h3.5l3 3v3H11M5.5 14a1.6 1.6 0 1 0 .01 0zM14 14a1.6 1.6 0 1 0 .01 0z',
  ledger: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 9.5h5.5M7.5 12.5h5.5',
  more: 'M3 5h14M3 10h14M3 15h14',
} as const;

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
      <PageLink href="/" text={pages.today} icon="today">
        <OpenLosses />
      </PageLink>
      <PageLink href="/fleet" text={pages.fleet} icon="fleet" />
      {canPlan && <PageLink href="/round" text={pages.round} icon="round" />}
      <PageLink href="/ledger" text={pages.ledger} icon="ledger" />
      {MORE.map((name) => (
        <PageLink key={name} href={`/${name}`} text={pages[name]} isMore />
      ))}
      <details className="more" ref={more}>
        <summary aria-current={MORE.some((name) => path.startsWith(`/${name}`)) ? 'true' : undefined}>
          <PageIcon name="more" />
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

const PageIcon = ({ name }: { name: keyof typeof ICONS }) => (
  <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

interface PageLinkProps {
  href: string;
  text: string;
  icon?: keyof typeof ICONS;
  isMore?: boolean;
  children?: React.ReactNode;
}

function PageLink({ href, text, icon, isMore = false, children }: PageLinkProps) {
  const [path] = useLocation();
  const isCurrent = href === '/' ? path === '/' : path.startsWith(href);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined} className={isMore ? 'in-more' : undefined}>
      {icon !== undefined && <PageIcon name={icon} />}
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
