/** `__Host-`: browsers accept it only over HTTPS (or from this machine), for this host alone and for the whole site. */
const NAME = '__Host-tankwatch';

/** HttpOnly keeps it from scripts. Lax, because a link in a mail must open the console signed in. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

const MAX_AGE_SECONDS = 7 * 86_400;

/** The value of the session cookie in a Cookie header; undefined if there is none. */
export function sessionCookie(header: string | undefined): string | undefined {
  const pair = header?.split('; ').find((part) => part.startsWith(`${NAME}=`));
  return pair?.slice(NAME.length + 1);
}

export const setSessionCookie = (text: string): string => `${NAME}=${text}; Max-Age=${MAX_AGE_SECONDS}; ${ATTRIBUTES}`;

export const clearSessionCookie = (): string => `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
