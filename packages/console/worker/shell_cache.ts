/** Service workers keep files of a page, never data. These types are declared here, because types of pages and workers conflict. */

export interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerFetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
export interface ShellWorker {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: WorkerFetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

export interface Shell {
  /** The prefix of the name of its cache, because both pages have the same origin. */
  name: 'driver' | 'console';
  /** Changes with every build that changes the page. */
  release: string;
  /** The address of the page, then the addresses of its files. */
  files: readonly string[];
  /** Whether the worker answers requests of pages that were opened before it started. */
  claims: boolean;
  /** Returns the response to a request. Undefined leaves the request to the browser. */
  answer: (request: Request, kept: KeptFiles) => Promise<Response> | undefined;
}

interface KeptFiles {
  /** The address of the page. */
  page: string;
  cache: () => Promise<Cache>;
}

/** Keeps the files of a page in the browser, and removes the files of earlier releases. */
export function keepShell(worker: ShellWorker, { name, release, files, claims, answer }: Shell): void {
  const current = `${name} ${release}`;
  const cache = (): Promise<Cache> => caches.open(current);
  const isOlder = (one: string): boolean => one.startsWith(`${name} `) && one !== current;
  worker.addEventListener('install', (event) => {
    event.waitUntil(
      cache()
        // The page itself has no hash in its name, so it is not read from the cache of the browser.
        .then((kept) =>
          kept.addAll(
            files.map((file) => new Request(file, { cache: file.includes('/assets/') ? 'default' : 'reload' })),
          ),
        )
        .then(() => worker.skipWaiting()),
    );
  });
  worker.addEventListener('activate', (event) => {
    event.waitUntil(
      caches
        .keys()
        .then((names) => Promise.all(names.filter(isOlder).map((one) => caches.delete(one))))
        .then(() => (claims ? worker.clients.claim() : undefined)),
    );
  });
  worker.addEventListener('fetch', (event) => {
    const { request } = event;
    if (request.method !== 'GET') return;
    const answered = answer(request, { page: files[0] ?? '', cache });
    if (answered !== undefined) event.respondWith(answered);
  });
}
