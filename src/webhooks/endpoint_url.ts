/** Returns why a URL cannot be an endpoint, or undefined if it can. */
export function endpointUrlError(text: string, { allowHttp }: { allowHttp: boolean }): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/tankwatch';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not have a fragment';
  return undefined;
}
