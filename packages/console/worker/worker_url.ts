/** The part of Trusted Types that this file uses. Only some browsers have Trusted Types. */
interface TrustedTypes {
  createPolicy(
    name: 'worker',
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

const isTrustedTypes = (value: unknown): value is TrustedTypes =>
  typeof value === 'object' && value !== null && 'createPolicy' in value;

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** Registers the only service worker of a page. With Trusted Types, a policy accepts only its URL. */
export function registerWorker(url: string, scope: string): Promise<ServiceWorkerRegistration> {
  const trustedTypes: unknown = Reflect.get(window, 'trustedTypes');
  // A page may create a policy only once.
  if (isTrustedTypes(trustedTypes))
    policy ??= trustedTypes.createPolicy('worker', { createScriptURL: (one) => (one === url ? one : '') });
  return navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url, { scope });
}
