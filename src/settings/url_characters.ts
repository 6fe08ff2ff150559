/** Characters that separate the parts of a URL, and their codes. A password in a URL must have the codes. */
const CODES: Readonly<Record<string, string>> = {
  '#': '%23',
  '/': '%2F',
  '?': '%3F',
  '[': '%5B',
  ']': '%5D',
  ' ': '%20',
};

/**
 * Finds a character in the user name or password of an address that breaks the address, such as `#`. Such an address is
 * invalid, or names another host. Returns what to do, without the password. Undefined if there is no such character.
 */
export function urlCharacterProblem(text: string): string | undefined {
  const [, login = ''] = /^[a-z]+:\/\/(.*)@/s.exec(text) ?? [];
  const parsed = URL.parse(text);
  // `user:12/34@host` is read as the host `user` with the port 12. An @ after a = is part of a parameter.
  const isOtherHost = parsed?.username === '' && login !== '' && !login.includes('=');
  const isBroken = parsed === null || parsed.hash !== '' || isOtherHost;
  const character = isBroken ? /[#/?[\] ]/.exec(login)?.[0] : undefined;
  if (character !== undefined) {
    const characterText = character === ' ' ? 'space' : character;
    return `has a ${characterText} in its user name or password, which breaks the address; write it as ${CODES[character]}`;
  }
  if (/%(?![\da-fA-F]{2})/.test(login))
    return 'has a % in its user name or password that begins no code; write it as %25';
  return undefined;
}
