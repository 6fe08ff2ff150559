import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { CHANGE_LEFT, CHANGE_PREFIX, type Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { HOUR_MS } from '../format.ts';
import { BROWSER_ZONE } from '../organization.ts';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { useSummary } from '../parts/status_chips.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { Alarm } from './alarm.tsx';
import { LiveState, OldBanner } from './live_state.tsx';
import { Menu } from './menu.tsx';
import { useNavigationFocus } from './navigation_focus.ts';
import { Pages } from './pages.tsx';
import { SearchBox } from './search_box.tsx';
import { useSteadyPointer } from './steady_pointer.ts';

const UnconfirmedChanges = lazyComponent(
  async () => (await import('../change/unconfirmed_changes.tsx')).UnconfirmedChanges,
);

/** In a smaller fleet, two hours without a reading are not unusual. */
const LARGE_FLEET = 500;

interface FrameProps {
  session: Session;
  children: ReactNode;
}

export function Frame({ session, children }: FrameProps) {
  const header = (
    <>
      <Pages />
      <SearchBox />
      <LiveState />
    </>
  );
  return (
    <Shell session={session} header={header} banners={<Banners session={session} />}>
      {children}
    </Shell>
  );
}

export function OwnerFrame({ session, children }: FrameProps) {
  return (
    <Shell
      session={session}
      header={<span className="customer-name">{session.customer?.name}</span>}
      banners={
        <>
          <OldBanner />
          <Alarm isOwner />
          <UnconfirmedBanner session={session} />
        </>
      }
      isOwner
    >
      {children}
    </Shell>
  );
}

interface ShellProps extends FrameProps {
  /** Shown between the name of the organization and the menu. */
  header: ReactNode;
  banners: ReactNode;
  isOwner?: boolean;
}

function Shell({ session, header, banners, isOwner = false, children }: ShellProps) {
  const words = useTranslation();
  useNavigationFocus();
  useSteadyPointer();
  return (
    <>
      <a className="skip" href="#content">
        {words.skipToContent}
      </a>
      {/* Above the header, because panels that open below the header must not cover the number to call. */}
      {banners}
      <header className={isOwner ? 'top owner-top' : 'top'}>
        <Link href="/" className="organization">
          {session.organization.name}
        </Link>
        {header}
        <Menu hasSettings={!isOwner} />
      </header>
      <PrintHead organization={session.organization.name} />
      <main id="content" tabIndex={-1} className={isOwner ? 'owner' : undefined}>
        {children}
      </main>
      <Footer />
    </>
  );
}

/** The name of the organization and the time of printing, which texts on paper such as "2 minutes ago" need. */
function PrintHead({ organization }: { organization: string }) {
  const { footer } = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  return (
    <p className="print-only print-head meta">
      {organization} · {footer.printedAt(format.fullTime(nowMs))} ({format.zoneName(BROWSER_ZONE)})
    </p>
  );
}

/** Loads `UnconfirmedChanges` only if there is a change with an unknown outcome, from a form or page that was left. */
function UnconfirmedBanner({ session }: { session: Session }) {
  const [hasChanges, setHasChanges] = useState(() =>
    Object.keys(sessionStorage).some((name) => name.startsWith(CHANGE_PREFIX)),
  );
  useEffect(() => {
    const show = (): void => setHasChanges(true);
    window.addEventListener(CHANGE_LEFT, show);
    return () => window.removeEventListener(CHANGE_LEFT, show);
  }, []);
  return hasChanges && <UnconfirmedChanges session={session} />;
}

function Banners({ session }: { session: Session }) {
  const { connection } = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const { data } = useSummary();
  const newest = data?.newest_reading_at ?? null;
  const isStale =
    data !== undefined && data.total >= LARGE_FLEET && newest !== null && nowMs - Date.parse(newest) > 2 * HOUR_MS;
  return (
    <>
      <OldBanner />
      <Alarm />
      <UnconfirmedBanner session={session} />
      {isStale && <p className="banner">{connection.staleBanner(format.dateTime(newest))}</p>}
    </>
  );
}

function Footer() {
  const { footer } = useTranslation();
  const format = useFormat();
  return (
    <footer className="meta" title={BROWSER_ZONE}>
      {footer.zone(format.zoneName(BROWSER_ZONE))}
    </footer>
  );
}
