import { hkdfSync } from 'node:crypto';

/**
 * Derives the key with which the api encrypts the values that it stores: responses that it repeats, client secrets of issuers, the
 * cookie of a sign-in. Commands and the worker derive it from SECRETS_KEY, so they need no second key. The api cannot compute
 * SECRETS_KEY, which decrypts the secrets of all webhooks, from this key.
 */
export const deriveApiSecretsKey = (secretsKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretsKey, '', 'tankwatch api', 32)).toString('hex');

/** The advice for an operator if the key is missing. */
export const SET_API_SECRETS_KEY =
  'Set API_SECRETS_KEY of the api to the key that `tankwatch secrets api-key` prints, and restart it.';
