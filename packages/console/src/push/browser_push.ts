import { SEEN_QUESTION } from '../../worker/messages.ts';
import { registerWorker } from '../../worker/worker_url.ts';

/** Whose notifications this browser shows, and its number at the service. Kept in the browser; it contains no secret. */
interface OwnBrowser {
  person: string;
  id: string;
}
const KEY = 'tankwatch.push';

/** Browsers allow it with https only. On an iPhone, only an installed app has it. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The number of this browser at the service, if it shows notifications of this person. */
export function ownBrowserId(person: string): string | null {
  const own = readOwn();
  return own?.person === person ? own.id : null;
}

let registered: Promise<ServiceWorkerRegistration> | undefined;
const worker = (): Promise<ServiceWorkerRegistration> =>
  (registered ??= registerWorker('/console/sw.js', '/console/').catch((error: unknown) => {
    registered = undefined; // the next call tries again
    throw error;
  }));

/** Who is signed in on this page. Only then the page shows alarms itself, and no notification is needed. */
let signedIn: string | undefined;

function answerWorker({ data, ports }: MessageEvent): void {
  if (data === SEEN_QUESTION) ports[0]?.postMessage(signedIn !== undefined && document.visibilityState === 'visible');
}

/**
 * Keeps the files of the console in the browser of a person of the organization, and says to the service worker that the person sees
 * the page. A browser that was turned on belongs to the new session, so that signing out turns it off; that of somebody else is off.
 */
export async function keepApp(person: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  signedIn = person;
  navigator.serviceWorker.addEventListener('message', answerWorker);
  navigator.serviceWorker.startMessages();
  const registration = await worker();
  if (!canPush()) return;
  const own = readOwn();
  const subscription = own === undefined ? null : await registration.pushManager.getSubscription();
  if (own === undefined) return;
  const isOwn = own.person === person && subscription !== null;
  // The person may have removed it in another browser.
  if (!isOwn || !(await storeBrowser(person, subscription, own.id))) await forgetBrowser();
}

/** The session has ended in this open page: it shows no alarms any more. */
export function leaveApp(): void {
  signedIn = undefined;
}

/** Turns notifications on. False if the person does not allow them. */
export async function turnOn(person: string, publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { pushManager } = await worker();
  const former = await pushManager.getSubscription();
  // One for another key, such as that of another installation at this address, gets nothing.
  await former?.unsubscribe();
  await storeBrowser(person, await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }));
  return true;
}

/** Turns them off here. The service forgets the browser by its number, or when the push service says that it is gone. */
export async function forgetBrowser(): Promise<void> {
  const own = readOwn();
  localStorage.removeItem(KEY);
  if (own === undefined || !canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration('/console/');
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** False if the service does not know the browser with this number any more. */
async function storeBrowser(person: string, subscription: PushSubscription, knownId?: string): Promise<boolean> {
  const { endpoint, keys } = subscription.toJSON();
  const response = await fetch('/session/push', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, keys, name: browserName(), id: knownId }),
  });
  if (response.status === 404) return false;
  if (!response.ok) throw new Error(`POST /session/push returned ${response.status}`);
  const id: unknown = Reflect.get(await response.json(), 'id');
  if (typeof id === 'string') localStorage.setItem(KEY, JSON.stringify({ person, id } satisfies OwnBrowser));
  return true;
}

function readOwn(): OwnBrowser | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '');
    const [person, id] = [Reflect.get(Object(stored), 'person'), Reflect.get(Object(stored), 'id')];
    return typeof person === 'string' && typeof id === 'string' ? { person, id } : undefined;
  } catch {
    return undefined;
  }
}

/** How people know a browser: `Chrome, Android`. */
function browserName(agent = navigator.userAgent): string {
  const first = (names: Readonly<Record<string, RegExp>>): string | undefined =>
    Object.entries(names).find(([, pattern]) => pattern.test(agent))?.[0];
  const browser = first({ Edge: /Edg/, Firefox: /Firefox|FxiOS/, Chrome: /Chrome|CriOS/, Safari: /Safari/ });
  const system = first({
    Android: /Android/,
    iPhone: /iPhone|iPad/,
    Windows: /Windows/,
    Mac: /Mac OS/,
    Linux: /Linux/,
  });
  return [browser ?? 'Browser', system].filter(Boolean).join(', ');
}
