/** What service workers keep: files of a page, never data. The types of pages and of workers exclude each other, so these are own ones. */

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
  /** What the name of its cache begins with. Both pages have the same origin. */
  name: 'driver' | 'console';
  /** Changes with every build that changes the page. */
  release: string;
  /** The address of the page first, then its files. */
  files: readonly string[];
  /** Whether it answers the requests of pages that were open before it. */
  claims: boolean;
  /** Called for each request; undefined leaves it to the browser. */
  answer: (request: Request, keep: Keep) => Promise<Response> | undefined;
}

interface Keep {
  /** The page. */
  page: string;
  cache: () => Promise<Cache>;
}

/** Keeps the files of a page in the browser, and removes those of earlier releases. */
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
