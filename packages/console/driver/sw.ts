/**
 * Keeps the files of the driver's page on the phone, so that the page opens without network. The data of a round are in
 * the database of the page, which deletes them when the link expires.
 */
import { keepShell, type ShellWorker } from '../worker/shell_cache.ts';

declare const self: ShellWorker;
/** The build replaces `KEPT_FILES` and `RELEASE`. */
declare const KEPT_FILES: readonly string[];
declare const RELEASE: string;

keepShell(self, {
  name: 'driver',
  release: RELEASE,
  files: KEPT_FILES,
  claims: true,
  answer(request, { page }) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/driver/v1/')) return undefined;
    // A kept file is returned without a request, because with a weak signal the page would wait long for the response.
    const wanted = request.mode === 'navigate' ? page : pathname;
    return caches.match(wanted).then((kept) => kept ?? fetch(request));
  },
});
