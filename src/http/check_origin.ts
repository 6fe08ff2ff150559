import type { FastifyRequest } from 'fastify';
import { foreignOrigin } from './problem.ts';

/**
 * Returns a check that throws 403 for a request from a page of another site. Browsers send Origin with
 * every method but GET and HEAD. Other programs send none, and have no cookie that could be misused.
 */
export function originCheck(publicUrl: string): (request: FastifyRequest) => void {
  const publicHost = URL.parse(publicUrl)?.host;
  return ({ headers: { origin, host, 'sec-fetch-site': site } }) => {
    if (origin === undefined) return;
    // A form on a page with the policy no-referrer sends the origin "null". Sec-Fetch-Site still shows that the page is
    // from this site.
    if (origin === 'null' && site === 'same-origin') return;
    const from = URL.parse(origin)?.host;
    if (from === undefined || ![host, publicHost].includes(from)) throw foreignOrigin();
  };
}
