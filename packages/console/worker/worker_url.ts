/** What this file needs of Trusted Types, which only some browsers have. */
interface TrustedTypes {
  createPolicy(
    name: 'worker',
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

const isTrustedTypes = (value: unknown): value is TrustedTypes =>
  typeof value === 'object' && value !== null && 'createPolicy' in value;

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** Registers the service worker of a page, which has only one. Under Trusted Types, one policy knows its address. */
export function registerWorker(url: string, scope: string): Promise<ServiceWorkerRegistration> {
  const trustedTypes: unknown = Reflect.get(window, 'trustedTypes');
  // A page may make a policy once.
  if (isTrustedTypes(trustedTypes))
    policy ??= trustedTypes.createPolicy('worker', { createScriptURL: (one) => (one === url ? one : '') });
  return navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url, { scope });
}
