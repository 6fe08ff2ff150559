/** Characters that end or begin a part of an address, so that a password must have them as codes. */
const CODES: Readonly<Record<string, string>> = {
  '#': '%23',
  '/': '%2F',
  '?': '%3F',
  '[': '%5B',
  ']': '%5D',
  ' ': '%20',
};

/**
 * Finds a character in the user name or password of an address that breaks the address, such as `#`. Without this, the
 * address is invalid or, worse, names another host. Returns what to do, without the password; undefined if there is none.
 */
export function urlCharacterProblem(text: string): string | undefined {
  const [, login = ''] = /^[a-z]+:\/\/(.*)@/s.exec(text) ?? [];
  const parsed = URL.parse(text);
  // `user:12/34@host` is read as the host `user` with the port 12. An @ in a parameter, behind a =, is nothing special.
  const isOtherHost = parsed?.username === '' && login !== '' && !login.includes('=');
  const isBroken = parsed === null || parsed.hash !== '' || isOtherHost;
  const found = isBroken ? /[#/?[\] ]/.exec(login)?.[0] : undefined;
  if (found !== undefined) {
    const shown = found === ' ' ? 'space' : found;
    return `has a ${shown} in its user name or password, which breaks the address; write it as ${CODES[found]}`;
  }
  if (/%(?![\da-fA-F]{2})/.test(login))
    return 'has a % in its user name or password that begins no code; write it as %25';
  return undefined;
}
