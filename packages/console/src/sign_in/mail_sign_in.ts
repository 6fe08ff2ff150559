import { field, textIn } from '../json_field.ts';

/** What a person may see after signing in: a whole organization, or one customer of it. */
export interface Choice {
  id: string;
  organization: string;
  customer: string | null;
}

/** `refused`: the address, code or choice is wrong. `gone`: the code or choice is no longer valid. */
export type SignInOutcome = 'signed-in' | 'refused' | 'gone' | 'too-many' | { choices: Choice[] };

/** Whether people can sign in by mail and with OpenID Connect. The refusal of a request without a session says so. */
export async function readOffers(): Promise<{ mails: boolean; issuers: boolean }> {
  const response = await fetch('/session', { headers: { accept: 'application/json' } });
  const schemes = response.headers.get('www-authenticate') ?? '';
  return { mails: schemes.includes('Mail'), issuers: schemes.includes('OpenID') };
}

/** Asks for a mail with a link and a code. The link opens the page that is open now. */
export async function requestMail(email: string): Promise<'sent' | 'refused' | 'too-many'> {
  const outcome = await post('/session/mails', { email, return_to: currentPage() });
  if (outcome === 'refused' || outcome === 'too-many') return outcome;
  return 'sent';
}

export const signInWithCode = (code: string): Promise<SignInOutcome> => post('/session', { code });

export const choose = (id: string): Promise<SignInOutcome> => post('/session', { choice: id });

/** The choices after the link of a mail was opened. Null if the link has expired. */
export async function readChoices(): Promise<Choice[] | null> {
  const response = await fetch('/session/choices', { headers: { accept: 'application/json' } });
  if (response.status === 410) return null;
  if (!response.ok) throw new Error(`GET /session/choices returned ${response.status}`);
  return parseChoices(await response.json());
}

/** The page of the console in the address bar, without /console. */
export function currentPage(): string {
  const { pathname, search } = window.location;
  const page = `${pathname.replace(/^\/console/, '') || '/'}${search}`;
  return /^\/[\w/.~%?=&,+:-]*$/.test(page) && !page.startsWith('/choose') ? page : '/';
}

async function post(path: string, body: object): Promise<SignInOutcome> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 200) return { choices: parseChoices(await response.json()) };
  if (response.ok) return 'signed-in';
  if (response.status === 400 || response.status === 401) return 'refused';
  if (response.status === 410) return 'gone';
  if (response.status === 429) return 'too-many';
  throw new Error(`POST ${path} returned ${response.status}`);
}

function parseChoices(value: unknown): Choice[] {
  const data = field(value, 'data');
  if (!Array.isArray(data)) return [];
  return data.map((one: unknown) => ({
    id: textIn(one, 'id') ?? '',
    organization: textIn(field(one, 'organization'), 'name') ?? '',
    customer: textIn(field(one, 'customer'), 'name'),
  }));
}
