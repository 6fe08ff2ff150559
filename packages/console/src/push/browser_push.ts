import { SEEN_QUESTION } from '../../worker/messages.ts';
import { registerWorker } from '../../worker/worker_url.ts';
import { textIn } from '../json_field.ts';

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

let registration: Promise<ServiceWorkerRegistration> | undefined;
const getRegistration = (): Promise<ServiceWorkerRegistration> =>
  (registration ??= registerWorker('/console/sw.js', '/console/').catch((error: unknown) => {
    registration = undefined; // the next call tries again
    throw error;
  }));

/** The id of the person who is signed in. Undefined if the page shows no alarms. */
let signedInId: string | undefined;

/** Answers whether the person sees the page, which then shows alarms itself, so that notifications make no sound. */
function answerWorker({ data, ports }: MessageEvent): void {
  if (data === SEEN_QUESTION) ports[0]?.postMessage(signedInId !== undefined && document.visibilityState === 'visible');
}

/**
 * Registers the service worker, which keeps the files of the console and asks whether the person sees the page. If this
 * browser shows notifications of the person, links it to the new session, so that signing out turns them off. Turns off
 * the notifications of another person.
 */
export async function connectPerson(person: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  signedInId = person;
  navigator.serviceWorker.addEventListener('message', answerWorker);
  navigator.serviceWorker.startMessages();
  const { pushManager } = await getRegistration();
  const own = canPush() ? readOwn() : undefined;
  if (own === undefined) return;
  const subscription = await pushManager.getSubscription();
  const isOwn = own.person === person && subscription !== null;
  // The service refuses the browser if the person has removed it in another browser.
  if (!isOwn || !(await storeBrowser(person, subscription, own.id))) await forgetBrowser();
}

/** Called when the session ends while the page is open. The page then shows no alarms. */
export function disconnectPerson(): void {
  signedInId = undefined;
}

/** Turns notifications on in this browser. Returns false if the person does not allow them. */
export async function turnOn(person: string, publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { pushManager } = await getRegistration();
  const oldSubscription = await pushManager.getSubscription();
  // An old subscription may have another key, for example of an earlier installation at this address, and get nothing.
  await oldSubscription?.unsubscribe();
  await storeBrowser(person, await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }));
  return true;
}

/** Turns notifications off in this browser. The service deletes it with the session, or when the push service reports it as gone. */
export async function forgetBrowser(): Promise<void> {
  const own = readOwn();
  localStorage.removeItem(KEY);
  if (own === undefined || !canPush()) return;
  const worker = await navigator.serviceWorker.getRegistration('/console/');
  const subscription = await worker?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** Stores the subscription of this browser. Returns false if the service no longer has the browser with this id. */
async function storeBrowser(person: string, subscription: PushSubscription, knownId?: string): Promise<boolean> {
  const { endpoint, keys } = subscription.toJSON();
  const response = await fetch('/session/push', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, keys, name: browserName(), id: knownId }),
  });
  if (response.status === 404) return false;
  if (!response.ok) throw new Error(`POST /session/push returned ${response.status}`);
  const id = textIn(await response.json(), 'id');
  if (id !== null) localStorage.setItem(KEY, JSON.stringify({ person, id } satisfies OwnBrowser));
  return true;
}

function readOwn(): OwnBrowser | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '');
    const [person, id] = [textIn(stored, 'person'), textIn(stored, 'id')];
    return person !== null && id !== null ? { person, id } : undefined;
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
