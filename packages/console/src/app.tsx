import { QueryCache, QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FunctionComponent, useEffect, useState } from 'react';
import { Link, Route, Router, Switch } from 'wouter';
import { isSignedOut, SESSION_QUERY_KEY, type Session } from './api.ts';
import { ErrorBoundary } from './frame/error_boundary.tsx';
import { Frame, OwnerFrame } from './frame/frame.tsx';
import { loadFleet, loadPageAt, loadTank } from './frame/next_pages.ts';
import { useTitle } from './frame/title.ts';
import { lazyComponent } from './parts/lazy_component.tsx';
import { ProblemNotice, Skeleton } from './parts/problem.tsx';
import { PreferencesProvider, ProductWords, usePreferences, useTranslation } from './preferences_and_words.tsx';
import { sessionQuery } from './session.ts';
import { TodayPage } from './today/today.tsx';

const page = <Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> =>
  lazyComponent(load, <Skeleton rows={10} />);

/** Pages that are not in the first download, which has the page Today. The pages of the fleet and of a tank follow soon. */
const FleetPage = page(async () => (await loadFleet()).FleetPage);
const TankPage = page(async () => (await loadTank()).TankPage);
const SignInPage = page(async () => (await import('./sign_in/sign_in.tsx')).SignInPage);
const OwnerPage = page(async () => (await import('./owner/owner.tsx')).OwnerPage);
const CustomerPage = page(async () => (await import('./customers/customer.tsx')).CustomerPage);
const CommissionPage = page(async () => (await import('./commission/commission.tsx')).CommissionPage);

/** The pages of a dispatcher whose paths have no parameters. */
const PAGES: readonly (readonly [path: string, Page: FunctionComponent<{ session: Session }>])[] = [
  ['/', TodayPage],
  ['/fleet', FleetPage],
  ['/round', page(async () => (await import('./rounds/rounds.tsx')).RoundsPage)],
  ['/ledger', page(async () => (await import('./ledger/ledger.tsx')).LedgerPage)],
  ['/customers', page(async () => (await import('./customers/customers.tsx')).CustomersPage)],
  ['/devices', page(async () => (await import('./devices/devices.tsx')).DevicesPage)],
  ['/events', page(async () => (await import('./events/events.tsx')).EventsPage)],
  ['/settings', page(async () => (await import('./settings/settings.tsx')).SettingsPage)],
  ['/people', page(async () => (await import('./settings/people.tsx')).PeoplePage)],
  ['/duty', page(async () => (await import('./duty/duty.tsx')).DutyPage)],
  ['/mails', page(async () => (await import('./settings/mails.tsx')).MailsPage)],
  ['/sources', page(async () => (await import('./settings/sources.tsx')).SourcesPage)],
  ['/webhooks', page(async () => (await import('./settings/webhooks.tsx')).WebhooksPage)],
  ['/trucks', page(async () => (await import('./settings/trucks.tsx')).TrucksPage)],
  ['/audit', page(async () => (await import('./settings/audit.tsx')).AuditPage)],
  ['/score', page(async () => (await import('./settings/score.tsx')).ScorePage)],
  ['/imports', page(async () => (await import('./imports/imports.tsx')).ImportPage)],
  ['/notifications', page(async () => (await import('./push/notifications.tsx')).NotificationsPage)],
];

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The key was revoked or the session ended: sign in again. The URL stays.
    onError: (error) => {
      if (isSignedOut(error)) queryClient.setQueryData(SESSION_QUERY_KEY, null);
    },
  }),
  defaultOptions: {
    queries: {
      retry: false, // the client retries
      staleTime: 10_000,
      refetchOnWindowFocus: false, // rows must not move when the viewer returns to the window
    },
  },
});

/** Asks for the session and the page while the translation is loading, which saves two round trips. */
export function loadAhead(): void {
  void queryClient.prefetchQuery(sessionQuery);
  loadPageAt(window.location.pathname);
}

export function App() {
  return (
    <PreferencesProvider>
      <ErrorBoundary>
        <QueryClientProvider client={queryClient}>
          <Router base="/console">
            <SessionGate />
          </Router>
        </QueryClientProvider>
      </ErrorBoundary>
    </PreferencesProvider>
  );
}

function SessionGate() {
  const { setStoredLanguages } = usePreferences();
  const cache = useQueryClient();
  const session = useQuery(sessionQuery);
  const language = session.data?.organization.language ?? '';
  const personLanguage = session.data?.person?.language ?? null;
  useEffect(() => setStoredLanguages(language, personLanguage), [language, personLanguage, setStoredLanguages]);
  const personId = session.data?.person?.id;
  useEffect(() => {
    if (personId === undefined || !import.meta.env.PROD) return undefined;
    const push = import('./push/browser_push.ts');
    void push.then(({ connectPerson }) => connectPerson(personId)).catch(() => undefined);
    return () => void push.then(({ disconnectPerson }) => disconnectPerson()).catch(() => undefined);
  }, [personId]);
  const [ended, setEnded] = useState<Session | null>(null);
  const { data } = session;
  useEffect(() => {
    if (data === undefined || data === null) return;
    setEnded(data);
    const { issuer } = data;
    if (issuer !== null) void import('./sign_in/issuers.ts').then(({ renewBeforeEnd }) => renewBeforeEnd(issuer));
  }, [data]);

  if (session.error !== null && session.data === undefined) {
    return (
      <main className="narrow">
        <ProblemNotice error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data === undefined) return <Skeleton rows={3} />;
  if (session.data === null)
    return <SignInPage endedAt={ended?.organization.name ?? null} onSignedIn={() => void cache.resetQueries()} />;
  return (
    <ProductWords product={session.data.organization.commonProduct}>
      {session.data.customer === null ? (
        <DispatcherPages session={session.data} />
      ) : (
        <OwnerPages session={session.data} />
      )}
    </ProductWords>
  );
}

function DispatcherPages({ session }: { session: Session }) {
  return (
    <Frame session={session}>
      <Switch>
        {PAGES.map(([path, Page]) => (
          <Route key={path} path={path}>
            <Page session={session} />
          </Route>
        ))}
        <Route path="/tanks/:id">
          {({ id }) => <TankPage key={id} id={id} isOwner={false} organization={session.organization} />}
        </Route>
        <Route path="/commission/:id?/:page?">
          {({ id, page: part }) => <CommissionPage key={id} tankId={id} page={part} />}
        </Route>
        <Route path="/customers/:id">{({ id }) => <CustomerPage key={id} id={id} />}</Route>
        <Route component={UnknownPage} />
      </Switch>
    </Frame>
  );
}

function OwnerPages({ session }: { session: Session }) {
  return (
    <OwnerFrame session={session}>
      <Switch>
        <Route path="/tanks/:id">
          {({ id }) => <TankPage key={id} id={id} isOwner organization={session.organization} />}
        </Route>
        <Route path="/">
          <OwnerPage session={session} />
        </Route>
        <Route component={UnknownPage} />
      </Switch>
    </OwnerFrame>
  );
}

function UnknownPage() {
  const { problem } = useTranslation();
  useTitle(problem.page);
  return (
    <p className="notice">
      {problem.page} <Link href="/">{problem.home}</Link>
    </p>
  );
}
