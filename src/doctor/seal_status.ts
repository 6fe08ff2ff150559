import { CONNECTOR_SECRETS } from '../connectors/connector_secrets.ts';
import type { Db } from '../db/pool.ts';
import { CHANNEL_SECRETS } from '../duty/text_channel.ts';
import { readSealedOwnSecrets } from '../keys/own_secrets.ts';
import { isSealedWith, type SealedText } from '../keys/sealed_secret.ts';
import { CLIENT_SECRETS } from '../oidc/issuers.ts';
import { PUSH_KEY_SECRETS } from '../push/push_key.ts';
import { deriveApiSecretsKey } from '../values/api_secrets_key.ts';
import { readSealedEndpoints } from '../webhooks/endpoint_secrets.ts';

/** The number of stored secrets of a kind by the key that encrypts them. */
export interface SealStatus {
  kind: 'webhooks' | 'organizations' | 'issuers' | 'connectors' | 'text_channels' | 'push_keys';
  current: number;
  /** Encrypted with SECRETS_KEY_PREVIOUS, or with the key of the api that is derived from it. */
  previous: number;
  /** Encrypted with none of these keys. */
  unreadable: number;
}

/** `secretsKeys` are SECRETS_KEY and, during a rotation, SECRETS_KEY_PREVIOUS. */
export async function readSealStatus(db: Db, secretsKeys: readonly string[]): Promise<SealStatus[]> {
  const [current = [], previous = []] = secretsKeys.map((key) => [key, deriveApiSecretsKey(key)]);
  const statusOf = (kind: SealStatus['kind'], secrets: readonly SealedText[]): SealStatus => {
    const status: SealStatus = { kind, current: 0, previous: 0, unreadable: 0 };
    for (const { sealed, context } of secrets) {
      const isSealedWithOneOf = (keys: readonly string[]): boolean =>
        keys.some((key) => isSealedWith(key, sealed, context));
      status[isSealedWithOneOf(current) ? 'current' : isSealedWithOneOf(previous) ? 'previous' : 'unreadable']++;
    }
    return status;
  };
  return [
    statusOf('webhooks', await readSealedEndpoints(db)),
    statusOf('organizations', await readSealedOwnSecrets(db)),
    statusOf('issuers', await CLIENT_SECRETS.readAll(db)),
    statusOf('connectors', await CONNECTOR_SECRETS.readAll(db)),
    statusOf('text_channels', await CHANNEL_SECRETS.readAll(db)),
    statusOf('push_keys', await PUSH_KEY_SECRETS.readAll(db)),
  ];
}
