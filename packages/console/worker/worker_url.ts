/** What this file needs of Trusted Types, which only some browsers have. */
interface TrustedTypes {
  createPolicy(
    name: 'worker',
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

const isTrustedTypes = (value: unknown): value is TrustedTypes =>
  typeof value === 'object' && value !== null && 'createPolicy' in value;

/** Registers the service worker of a page. Under Trusted Types, one policy knows one address. To be called once. */
export function registerWorker(url: string, scope: string): Promise<ServiceWorkerRegistration> {
  const trustedTypes: unknown = Reflect.get(window, 'trustedTypes');
  const policy = isTrustedTypes(trustedTypes)
    ? trustedTypes.createPolicy('worker', { createScriptURL: (one) => (one === url ? one : '') })
    : undefined;
  return navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url, { scope });
}
