/** The service worker of the console shows notifications, and keeps the files of the page, so that it opens without network. */
import { readMessage, SEEN_QUESTION, type ShownMessage } from './messages.ts';
import { keepShell, type ShellWorker, type WorkerEvent } from './shell_cache.ts';

interface WindowClient {
  readonly url: string;
  readonly visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown, transfer: readonly MessagePort[]): void;
}
interface ShownNotification {
  readonly data: unknown;
  close(): void;
}
interface PushEvent extends WorkerEvent {
  readonly data: { text(): string } | null;
}
interface ClickEvent extends WorkerEvent {
  readonly notification: ShownNotification;
}
interface ConsoleWorker {
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly registration: {
    getNotifications(filter: { tag: string }): Promise<readonly ShownNotification[]>;
    showNotification(title: string, options: object): Promise<void>;
  };
  readonly location: { origin: string };
}
declare const self: ShellWorker & ConsoleWorker;
/** The build replaces `KEPT_FILES` and `RELEASE`. */
declare const KEPT_FILES: readonly string[];
declare const RELEASE: string;

/** A page must answer within this time that the person sees it. */
const ANSWER_MS = 3_000;

keepShell(self, {
  name: 'console',
  release: RELEASE,
  files: KEPT_FILES,
  claims: false,
  answer(request, { page, cache }) {
    const { pathname, origin } = new URL(request.url);
    if (origin !== self.location.origin) return undefined;
    // The page is read from the service first, so that a new release is used at once.
    if (request.mode === 'navigate')
      return fetch(request).catch(
        async (error: unknown) => (await (await cache()).match(page)) ?? Promise.reject(error),
      );
    // The name of a file has a hash of its content.
    if (!/^\/console\/assets\/[^/]+\.(js|css)$/.test(pathname)) return undefined;
    return cache().then(async (kept) => {
      const known = await kept.match(pathname);
      if (known !== undefined) return known;
      const response = await fetch(request);
      if (response.ok) await kept.put(pathname, response.clone());
      return response;
    });
  },
});

const pages = async (): Promise<readonly WindowClient[]> =>
  (await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(({ url }) =>
    new URL(url).pathname.startsWith('/console'),
  );

/** Whether a signed-in person sees the console, which then shows alarms itself. A sign-in page does not answer. */
async function isSeen(): Promise<boolean> {
  const visible = (await pages()).filter(({ visibilityState }) => visibilityState === 'visible');
  const answers = visible.map(
    (page) =>
      new Promise<boolean>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', ({ data }) => resolve(data === true));
        port1.start();
        setTimeout(() => resolve(false), ANSWER_MS);
        page.postMessage(SEEN_QUESTION, [port2]);
      }),
  );
  return (await Promise.all(answers)).includes(true);
}

async function show(message: ShownMessage): Promise<void> {
  const { title, body, language, tag, id, isUrgent } = message;
  const notifications = await self.registration.getNotifications({ tag });
  const isRepeated = notifications.some(({ data }) => readMessage(data)?.id === id);
  // A test is always shown, because the person who started it sees the page.
  const isOnPage = tag !== 'test' && (await isSeen());
  // Each message is shown: WebKit ends a subscription after three messages without a notification, even if the page is visible.
  const isSilent = isRepeated || isOnPage;
  await self.registration.showNotification(title, {
    body,
    lang: language,
    tag,
    renotify: !isSilent,
    silent: isSilent,
    requireInteraction: isUrgent && !isOnPage,
    icon: '/console/icon-192.png',
    data: message,
  });
}

async function open(url: string): Promise<void> {
  const page = (await pages()).find((one) => new URL(one.url).pathname === url);
  await (page === undefined ? self.clients.openWindow(url) : page.focus());
}

self.addEventListener('push', (event) => {
  const message = readMessage(event.data?.text() ?? '');
  if (message !== undefined) event.waitUntil(show(message));
});

self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(open(readMessage(notification.data)?.url ?? '/console/'));
});
