import { field, textIn } from '../json_field.ts';
import { currentPage } from './mail_sign_in.ts';

/** A provider of OpenID Connect with which people can sign in. */
export interface Issuer {
  id: string;
  label: string;
}

/** The issuer of the last sign-in in this browser. It is offered first. */
const LAST_ISSUER = 'tankwatch.issuer';
/** When the session was last renewed. Prevents a redirect loop: a failed renewal is not repeated. */
const RENEWED_AT = 'tankwatch.renewed-at';
const RENEWED_SECONDS_BEFORE = 120;
const WAIT_FOR_TYPING_MS = 10_000;

/** The issuers with a button for everybody, the last one of this browser first. Null if no issuer can be used. */
export async function readIssuers(): Promise<Issuer[] | null> {
  const last = readLast();
  const { issuers, byDomain } = await fetchList('/session/issuers');
  if (issuers.length === 0 && !byDomain) return null;
  return last === null ? issuers : [last, ...issuers.filter(({ id }) => id !== last.id)];
}

/** Reads the issuers of a person who is signed in. */
export const issuersOfOrganization = (): Promise<Issuer[]> => fetchIssuers('/session/issuers');

export function issuersOfAddress(email: string): Promise<Issuer[]> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return email.includes('@')
    ? fetchIssuers(`/session/issuers?domain=${encodeURIComponent(domain)}`)
    : Promise.resolve([]);
}

export interface BeginOptions {
  email?: string;
  /** True to sign in without a page of the provider. If that fails, the browser returns to this page. */
  silent?: boolean;
  /** True to link the account at this issuer to the person who is signed in. */
  link?: boolean;
}

/** Leaves the page for the provider. Returns false if the issuer was removed or does not answer. */
export async function beginWithIssuer({ id, label }: Issuer, options: BeginOptions = {}): Promise<boolean> {
  const response = await fetch(`/session/issuers/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ return_to: currentPage(), ...options }),
  });
  if (response.status === 404) localStorage.removeItem(LAST_ISSUER);
  const body: unknown = response.ok ? await response.json() : null;
  const url = textIn(body, 'url');
  if (url === null) return false;
  if (label !== '') localStorage.setItem(LAST_ISSUER, JSON.stringify({ id, label }));
  window.location.assign(url);
  return true;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Goes to the provider and back shortly before the session ends, but not while somebody types. */
export function renewBeforeEnd({ id, secondsLeft }: { id: string; secondsLeft: number }): void {
  clearTimeout(timer);
  const isRenewed = Date.now() - Number(sessionStorage.getItem(RENEWED_AT)) < 2_000 * RENEWED_SECONDS_BEFORE;
  if (secondsLeft <= 2 * RENEWED_SECONDS_BEFORE && isRenewed) return;
  const renew = (): void => {
    if (isTyping()) {
      timer = setTimeout(renew, WAIT_FOR_TYPING_MS);
      return;
    }
    sessionStorage.setItem(RENEWED_AT, String(Date.now()));
    void beginWithIssuer({ id, label: '' }, { silent: true });
  };
  timer = setTimeout(renew, Math.max(0, secondsLeft - RENEWED_SECONDS_BEFORE) * 1_000);
}

/** Returns whether a field has text that is not saved. */
const isTyping = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('main input, main textarea')].some(
    (input) => input === document.activeElement || (input.form !== null && input.value !== input.defaultValue),
  );

const fetchIssuers = async (path: string): Promise<Issuer[]> => (await fetchList(path)).issuers;

async function fetchList(path: string): Promise<{ issuers: Issuer[]; byDomain: boolean }> {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}`);
  const body: unknown = await response.json();
  const data = field(body, 'data');
  return { issuers: Array.isArray(data) ? data.map(issuerIn) : [], byDomain: field(body, 'by_domain') === true };
}

const issuerIn = (value: unknown): Issuer => ({ id: textIn(value, 'id') ?? '', label: textIn(value, 'label') ?? '' });

function readLast(): Issuer | null {
  try {
    const issuer = issuerIn(JSON.parse(localStorage.getItem(LAST_ISSUER) ?? 'null'));
    return issuer.id === '' ? null : issuer;
  } catch {
    return null;
  }
}
