/**
 * Keeps the files of the driver's page on the phone, so that it opens without network. It keeps no data of a round: those are in
 * the database of the page, which deletes them when the link expires.
 */

export interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerFetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
/** What this file needs of a service worker. The types of the page and of workers exclude each other. */
interface Worker {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: WorkerFetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}
declare const self: Worker;

/** The build writes both. */
const FILES = '__FILES__'.split(' ');
const CACHE = 'driver __RELEASE__';
const PAGE = '/driver/';

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Not from the cache of the browser: the page itself has no hash in its name.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => isOlder(name)).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

/** The console has the same origin. It has no cache today. */
const isOlder = (name: string): boolean => name.startsWith('driver ') && name !== CACHE;

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method !== 'GET' || pathname.startsWith('/driver/v1/')) return;
  // Files first from the phone: with a weak signal, waiting for the network is worse than no network.
  const wanted = request.mode === 'navigate' ? PAGE : pathname;
  event.respondWith(caches.match(wanted).then((kept) => kept ?? fetch(request)));
});
