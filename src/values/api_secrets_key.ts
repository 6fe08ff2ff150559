import { hkdfSync } from 'node:crypto';

/**
 * The key with which the api encrypts what it stores itself: responses that it repeats, client secrets of issuers, the
 * cookie of a sign-in. It is derived, so that commands and the worker, which have SECRETS_KEY, need no second key. The
 * api cannot compute SECRETS_KEY, which decrypts the secrets of all webhooks, from it.
 */
export const deriveApiSecretsKey = (secretsKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretsKey, '', 'tankwatch api', 32)).toString('hex');

/** The advice for an operator if the key is missing. */
export const SET_API_SECRETS_KEY =
  'Set API_SECRETS_KEY of the api to what `tankwatch secrets api-key` prints, and restart it.';
