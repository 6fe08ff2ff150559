/** Whether a path stays below /console when it is appended to it. Any other path could lead to another site. */
export function isConsolePage(path: string): boolean {
  if (!/^\/[\w/.~%?=&,+:-]*$/.test(path)) return false;
  const base = 'https://this.invalid';
  const url = URL.parse(`/console${path}`, base);
  return url !== null && url.origin === base && `${url.pathname}/`.startsWith('/console/');
}
