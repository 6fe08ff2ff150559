import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { HOUR_MS } from '../format.ts';
import { useConnection } from '../live.ts';
import { useSummary } from '../parts/status_chips.tsx';
import { useFormat, useWords } from '../preferences.tsx';
import { Menu } from './menu.tsx';
import { SearchBox } from './search_box.tsx';

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Below this number of tanks, two hours without a reading are nothing unusual. */
const LARGE_FLEET = 500;

export function Frame({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords();
  return (
    <>
      <a className="skip" href="#content">
        {words.skipToContent}
      </a>
      <header className="top">
        <Link href="/" className="organization">
          {session.organization.name}
        </Link>
        <nav className="pages" aria-label={words.product}>
          <PageLink href="/" text={words.pages.today} />
          <PageLink href="/fleet" text={words.pages.fleet} />
          <PageLink href="/round" text={words.pages.round} />
          <PageLink href="/customers" text={words.pages.customers} />
        </nav>
        <SearchBox />
        <LiveState />
        <Menu />
      </header>
      <Banners />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  );
}

export function OwnerFrame({ session, children }: { session: Session; children: ReactNode }) {
  const words = useWords();
  return (
    <>
      <a className="skip" href="#content">
        {words.skipToContent}
      </a>
      <header className="top owner-top">
        <Link href="/" className="organization">
          {session.organization.name}
        </Link>
        <span className="customer-name">{session.customer?.name}</span>
        <Menu />
      </header>
      <OfflineBanner />
      <main id="content" tabIndex={-1} className="owner">
        {children}
      </main>
      <Footer />
    </>
  );
}

function PageLink({ href, text }: { href: string; text: string }) {
  const [path] = useLocation();
  const isCurrent = href === '/' ? path === '/' : path.startsWith(href);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {text}
    </Link>
  );
}

function LiveState() {
  const { connection } = useWords();
  const format = useFormat();
  const { state, heardAtMs } = useConnection();
  useNow();
  return (
    <span className={`live-state ${state}`} title={connection[state]}>
      <span className="dot" aria-hidden="true" />
      <span className="live-text">
        {state === 'live' ? connection.live : state === 'offline' ? connection.offline : connection.updated}
      </span>{' '}
      {format.time(state === 'offline' ? heardAtMs : Math.max(heardAtMs, Date.now()))}
    </span>
  );
}

function Banners() {
  const { connection } = useWords();
  const format = useFormat();
  const nowMs = useNow();
  const { data } = useSummary();
  const newest = data?.newest_reading_at ?? null;
  const isStale =
    data !== undefined && data.total >= LARGE_FLEET && newest !== null && nowMs - Date.parse(newest) > 2 * HOUR_MS;
  return (
    <>
      <OfflineBanner />
      {isStale && <p className="banner">{connection.staleBanner(format.dateTime(newest))}</p>}
    </>
  );
}

function OfflineBanner() {
  const { connection } = useWords();
  const format = useFormat();
  const { state, heardAtMs } = useConnection();
  return (
    <div role="status">
      {state === 'offline' && <p className="banner">{connection.offlineBanner(format.time(heardAtMs))}</p>}
    </div>
  );
}

function Footer() {
  const { footer } = useWords();
  return <footer className="meta">{footer.zone(TIME_ZONE)}</footer>;
}
