import { QueryCache, QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Route, Router, Switch } from 'wouter';
import { isSignedOut, SESSION_KEY, type Session } from './api.ts';
import { ErrorBoundary } from './frame/error_boundary.tsx';
import { Frame, OwnerFrame } from './frame/frame.tsx';
import { useTitle } from './frame/title.ts';
import { loadFleet, loadTank } from './pages/next_pages.ts';
import { TodayPage } from './pages/today.tsx';
import { ProblemNotice, Skeleton } from './parts/problem.tsx';
import { PreferencesProvider, usePreferences, useWords } from './preferences.tsx';
import { sessionQuery } from './session.ts';

/** The first load has the day. Other pages are loaded when they are opened; the fleet and a tank a moment after the day. */
const FleetPage = lazy(async () => ({ default: (await loadFleet()).FleetPage }));
const TankPage = lazy(async () => ({ default: (await loadTank()).TankPage }));
const SignInPage = lazy(async () => ({ default: (await import('./pages/sign_in.tsx')).SignInPage }));
const OwnerPage = lazy(async () => ({ default: (await import('./pages/owner.tsx')).OwnerPage }));
const CustomerPage = lazy(async () => ({ default: (await import('./pages/customer.tsx')).CustomerPage }));
const CustomersPage = lazy(async () => ({ default: (await import('./pages/customers.tsx')).CustomersPage }));
const EventsPage = lazy(async () => ({ default: (await import('./pages/events.tsx')).EventsPage }));
const LedgerPage = lazy(async () => ({ default: (await import('./pages/ledger.tsx')).LedgerPage }));
const RoundPage = lazy(async () => ({ default: (await import('./round/rounds_page.tsx')).RoundsPage }));
const ScorePage = lazy(async () => ({ default: (await import('./pages/score.tsx')).ScorePage }));
const PeoplePage = lazy(async () => ({ default: (await import('./act/people.tsx')).PeoplePage }));
const MailsPage = lazy(async () => ({ default: (await import('./act/mails.tsx')).MailsPage }));
const WebhooksPage = lazy(async () => ({ default: (await import('./act/webhooks.tsx')).WebhooksPage }));
const AuditPage = lazy(async () => ({ default: (await import('./act/audit.tsx')).AuditPage }));
const CommissionPage = lazy(async () => ({ default: (await import('./act/commission.tsx')).CommissionPage }));
const SettingsPage = lazy(async () => ({ default: (await import('./pages/settings.tsx')).SettingsPage }));

const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The key was revoked or the session ended: sign in again. The URL stays.
    onError: (error) => {
      if (isSignedOut(error)) queryClient.setQueryData(SESSION_KEY, null);
    },
  }),
  defaultOptions: {
    queries: {
      retry: false, // the client retries
      staleTime: 10_000,
      refetchOnWindowFocus: false, // rows must not move when the viewer comes back to them
    },
  },
});

export function App() {
  return (
    <PreferencesProvider>
      <ErrorBoundary>
        <QueryClientProvider client={queryClient}>
          <Router base="/console">
            <Suspense fallback={<Skeleton rows={3} />}>
              <SessionGate />
            </Suspense>
          </Router>
        </QueryClientProvider>
      </ErrorBoundary>
    </PreferencesProvider>
  );
}

function SessionGate() {
  const { setOrganizationLanguage } = usePreferences();
  const cache = useQueryClient();
  const session = useQuery(sessionQuery);
  const language = session.data?.organization.language ?? '';
  useEffect(() => setOrganizationLanguage(language), [language, setOrganizationLanguage]);
  const [ended, setEnded] = useState<Session | null>(null);
  const { data } = session;
  useEffect(() => {
    if (data === undefined || data === null) return;
    setEnded(data);
    const { issuer } = data;
    if (issuer !== null) void import('./issuers.ts').then(({ renewBeforeEnd }) => renewBeforeEnd(issuer));
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
  return session.data.customer === null ? (
    <DispatcherPages session={session.data} />
  ) : (
    <OwnerPages session={session.data} />
  );
}

function DispatcherPages({ session }: { session: Session }) {
  return (
    <Frame session={session}>
      <Suspense fallback={<Skeleton rows={10} />}>
        <Switch>
          <Route path="/" component={TodayPage} />
          <Route path="/fleet" component={FleetPage} />
          <Route path="/tanks/:id">
            {({ id }) => <TankPage key={id} id={id} isOwner={false} organization={session.organization} />}
          </Route>
          <Route path="/round" component={RoundPage} />
          <Route path="/ledger">
            <LedgerPage session={session} />
          </Route>
          <Route path="/events" component={EventsPage} />
          <Route path="/settings">
            <SettingsPage session={session} />
          </Route>
          <Route path="/people">
            <PeoplePage session={session} />
          </Route>
          <Route path="/mails">
            <MailsPage session={session} />
          </Route>
          <Route path="/webhooks">
            <WebhooksPage session={session} />
          </Route>
          <Route path="/audit">
            <AuditPage session={session} />
          </Route>
          <Route path="/commission">
            <CommissionPage />
          </Route>
          <Route path="/commission/:id">{({ id }) => <CommissionPage key={id} tankId={id} />}</Route>
          <Route path="/score">
            <ScorePage session={session} />
          </Route>
          <Route path="/customers" component={CustomersPage} />
          <Route path="/customers/:id">{({ id }) => <CustomerPage key={id} id={id} />}</Route>
          <Route component={UnknownPage} />
        </Switch>
      </Suspense>
    </Frame>
  );
}

function OwnerPages({ session }: { session: Session }) {
  return (
    <OwnerFrame session={session}>
      <Suspense fallback={<Skeleton rows={6} />}>
        <Switch>
          <Route path="/tanks/:id">
            {({ id }) => <TankPage key={id} id={id} isOwner organization={session.organization} />}
          </Route>
          <Route path="/">
            <OwnerPage session={session} />
          </Route>
          <Route component={UnknownPage} />
        </Switch>
      </Suspense>
    </OwnerFrame>
  );
}

function UnknownPage() {
  const { problem } = useWords();
  useTitle(problem.page);
  return (
    <p className="notice">
      {problem.page} <Link href="/">{problem.home}</Link>
    </p>
  );
}
