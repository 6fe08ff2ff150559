import { SEEN_QUESTION } from '../../worker/messages.ts';
import { registerWorker } from '../../worker/worker_url.ts';

/** The person whose notifications this browser shows, and the id of this browser at the service. */
interface OwnBrowser {
  person: string;
  id: string;
}
const KEY = 'tankwatch.push';

/** Browsers allow notifications only with https. On an iPhone, only an installed app can show them. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The id of this browser at the service, if the browser shows notifications of this person. */
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

/** The person who is signed in. While the page is visible, it shows alarms itself, and no notification is needed. */
let signedIn: string | undefined;

function answerWorker({ data, ports }: MessageEvent): void {
  if (data === SEEN_QUESTION) ports[0]?.postMessage(signedIn !== undefined && document.visibilityState === 'visible');
}

/**
 * Keeps the files of the console in the browser, and tells the service worker whether the person sees the page. If this
 * browser shows notifications of the person, it is linked to the new session, so that signing out ends them.
 * Notifications of somebody else are turned off.
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
  // The person may have removed this browser in another browser.
  if (!isOwn || !(await storeBrowser(person, subscription, own.id))) await forgetBrowser();
}

/** Called when the session ends while the page is open, because the page then shows no alarms. */
export function leaveApp(): void {
  signedIn = undefined;
}

/** Turns notifications on. False if the person does not allow them. */
export async function turnOn(person: string, publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { pushManager } = await worker();
  const former = await pushManager.getSubscription();
  // A subscription for another key, for example of an earlier installation at this address, would get nothing.
  await former?.unsubscribe();
  await storeBrowser(person, await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }));
  return true;
}

/** Turns notifications off here. The service deletes the browser now, or when the push service reports it as gone. */
export async function forgetBrowser(): Promise<void> {
  const own = readOwn();
  localStorage.removeItem(KEY);
  if (own === undefined || !canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration('/console/');
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** False if the service no longer knows the browser with this id. */
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

/** A name of this browser for people, such as `Chrome, Android`. */
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
