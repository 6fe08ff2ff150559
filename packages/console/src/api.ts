import { AuthenticationError, Tankwatch } from '@tankwatch/client';
import { type Product, productOf } from '../../../src/values/products.ts';
import type { VolumeUnit } from './format.ts';
import { field, textIn } from './json_field.ts';

/** The session cookie authenticates every call. No script can read it. */
export const client = new Tankwatch({
  apiKey: null,
  baseUrl: window.location.origin,
  maxRetries: 1,
  timeoutMs: 15_000,
});
export const fleet = client.fleet;

/** 911 works in the Americas, and most mobile networks elsewhere redirect it. The page always shows a number. */
const DEFAULT_EMERGENCY_NUMBER = '911';

interface Organization {
  name: string;
  language: string;
  /** A name of the IANA database. Undefined if the browser does not know the zone. */
  timeZone: string | undefined;
  /** The unit of its trucks and tanks, with which forms begin. */
  volumeUnit: VolumeUnit;
  phone: string | null;
  emergencyNumber: string;
  /** The safety steps of the organization for a leaking tank. Null if it uses the texts of the console. */
  safetySteps: readonly string[] | null;
  /** The product of tanks for which no product is stored. */
  defaultProduct: Product;
  /** The product in texts about several tanks. `other` if the tanks hold different products. */
  commonProduct: Product;
}

export interface Session {
  organization: Organization;
  /** The customer that the session is narrowed to. Null if the session sees the whole organization. */
  customer: { id: string; name: string; remindersOffSince: string | null } | null;
  /** The person with console roles. Null for an owner, and for a session by key. */
  person: { id: string; name: string | null; email: string; language: string | null } | null;
  /** Whether people can be invited and sign in by mail. */
  hasMails: boolean;
  /** The rights of the person, such as `alerts`. */
  rights: readonly string[];
  /** The issuer with which the session must be renewed before it ends. Null without a sign-in with OpenID Connect. */
  issuer: { id: string; secondsLeft: number } | null;
}

export const SESSION_QUERY_KEY = ['session'] as const;

/** Returns the session, or null without one. */
export async function readSession(): Promise<Session | null> {
  const response = await fetch('/session', { headers: { accept: 'application/json' } });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`GET /session returned ${response.status}`);
  return parseSession(await response.json());
}

/** Returns whether the key is valid. */
export async function signIn(apiKey: string): Promise<boolean> {
  const response = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  if (response.ok) return true;
  if (response.status >= 500 || response.status === 429) throw new Error(`POST /session returned ${response.status}`);
  return false;
}

/** The name under which the tab stores the URL at which the person can sign out of the provider too. */
export const SIGN_OUT_ITEM = 'tankwatch.sign-out';

/** The prefixes of the names under which the tab stores drafts of forms, and changes whose outcome is not known. */
export const DRAFT_PREFIX = 'tankwatch.draft.';
export const CHANGE_PREFIX = 'tankwatch.change.';

/** The event that a form sends if it is left before its outcome is known. */
export const CHANGE_LEFT = 'changeleft';

/** Also deletes drafts and unconfirmed changes, because they may contain names and phone numbers of customers. */
export async function signOut(): Promise<void> {
  await import('./push/browser_push.ts').then(({ forgetBrowser }) => forgetBrowser()).catch(() => undefined);
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(DRAFT_PREFIX) || name.startsWith(CHANGE_PREFIX)) sessionStorage.removeItem(name);
  const response = await fetch('/session', { method: 'DELETE' });
  const url = response.status === 200 ? textIn(await response.json(), 'end_session_url') : null;
  if (url !== null) sessionStorage.setItem(SIGN_OUT_ITEM, url);
}

export const isSignedOut = (error: unknown): boolean => error instanceof AuthenticationError;

function parseSession(value: unknown): Session {
  const organization = field(value, 'organization');
  const customer = field(value, 'customer');
  const issuer = field(value, 'issuer');
  const issuerId = textIn(issuer, 'id');
  const person = field(value, 'person');
  const personId = textIn(person, 'id');
  return {
    person:
      personId === null
        ? null
        : {
            id: personId,
            name: textIn(person, 'name'),
            email: textIn(person, 'email') ?? '',
            language: textIn(person, 'language'),
          },
    hasMails: field(value, 'mails') === true,
    rights: texts(field(value, 'can')) ?? [],
    issuer: issuerId === null ? null : { id: issuerId, secondsLeft: Number(field(issuer, 'seconds_left')) },
    organization: {
      name: textIn(organization, 'name') ?? '',
      language: textIn(organization, 'language') ?? '',
      timeZone: knownZone(textIn(organization, 'time_zone')),
      volumeUnit: field(organization, 'volume_unit') === 'gallons' ? 'gallons' : 'liters',
      phone: textIn(organization, 'phone'),
      emergencyNumber: textIn(organization, 'emergency_number') ?? DEFAULT_EMERGENCY_NUMBER,
      safetySteps: texts(field(organization, 'safety_steps')),
      defaultProduct: productOf(textIn(organization, 'default_product')),
      commonProduct: productOf(textIn(organization, 'common_product')),
    },
    customer:
      typeof customer === 'object' && customer !== null
        ? {
            id: textIn(customer, 'id') ?? '',
            name: textIn(customer, 'name') ?? '',
            remindersOffSince: textIn(customer, 'reminders_off_since'),
          }
        : null,
  };
}

/** A browser may have an older list of zones than the service. */
function knownZone(name: string | null): string | undefined {
  try {
    if (name !== null) new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return name ?? undefined;
  } catch {
    return undefined;
  }
}

function texts(value: unknown): string[] | null {
  return Array.isArray(value) && value.length > 0 ? value.filter((one) => typeof one === 'string') : null;
}
