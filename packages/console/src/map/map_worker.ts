import { setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

/** The part of Trusted Types that this file uses. Only some browsers have Trusted Types. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL: (url: string) => string | null }): unknown;
}
declare global {
  interface Window {
    trustedTypes?: TrustedTypes;
  }
}

/**
 * With Trusted Types, a worker starts only from a URL that a policy has made. MapLibre passes the URL as a text, so the
 * default policy is needed, which converts texts. The policy accepts only the URL of the worker; markup, code
 * and other URLs are still refused.
 */
window.trustedTypes?.createPolicy('default', { createScriptURL: (url) => (url === workerUrl ? url : null) });
setWorkerUrl(workerUrl);
