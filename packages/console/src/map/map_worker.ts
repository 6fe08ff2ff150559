import { setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

/** What this file needs of Trusted Types, which only some browsers have. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL: (url: string) => string | null }): unknown;
}
declare global {
  interface Window {
    trustedTypes?: TrustedTypes;
  }
}

/**
 * Under Trusted Types a worker starts only from an address that a policy has made. MapLibre reads its address as a text, so the
 * policy must be the default one, which turns texts into addresses. It knows one address, and no markup and no code: everything
 * else is refused as before.
 */
window.trustedTypes?.createPolicy('default', { createScriptURL: (url) => (url === workerUrl ? url : null) });
setWorkerUrl(workerUrl);
