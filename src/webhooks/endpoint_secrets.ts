import { onlyRow } from '../db/only_row.ts';
import type { Db, Tx } from '../db/pool.ts';
import {
  ALL_ROWS,
  isSealedWith,
  openSecret,
  type Resealed,
  type ResealPage,
  type SealedText,
  sealSecret,
} from '../keys/sealed_secret.ts';
import { makeSecret } from './signature.ts';

export interface EndpointRef {
  no: number;
  id: string;
}

export interface IssuedSecret {
  id: string;
  /** The secret that signs the messages. It is shown only once. */
  secret: string;
}

/** Makes a new secret. Messages are signed with both secrets until the overlap ends, which may be at once. */
export async function rotateSecret(
  tx: Tx,
  { no, id }: EndpointRef,
  overlapHours: number,
  secretsKey: string,
): Promise<string> {
  const secret = makeSecret();
  const sealed = sealSecret(secretsKey, secret, secretContext(id));
  await tx.query('select rotate_webhook_secret($1, $2, $3)', [no, sealed, overlapHours]);
  return secret;
}

/** The URL and the secrets of an endpoint, to send a test message. There are two secrets during a rotation. */
export async function endpointTarget(
  db: Db,
  { no, id }: EndpointRef,
  secretsKeys: readonly string[],
): Promise<{ url: string; secrets: string[] }> {
  const { rows } = await db.query<{ url: string; secret: string; previous: string | null }>(
    `select url, secret, case when previous_secret_until > now() then previous_secret end as previous
     from webhook_endpoints where no = $1`,
    [no],
  );
  const { url, secret, previous } = onlyRow(rows);
  const secrets = openPreviousSecrets(secretsKeys, id, previous === null ? [] : [previous]);
  return { url, secrets: [openEndpointSecret(secretsKeys, id, secret), ...secrets] };
}

/**
 * The context that the encrypted secrets are bound to. It is the same for both secrets of an endpoint, because a
 * rotation moves the stored secret to the other column.
 */
export const secretContext = (endpointId: string): string => `the webhook ${endpointId}`;

/** Throws a UserError if the secret was stored with another SECRETS_KEY. */
export const openEndpointSecret = (secretsKeys: readonly string[], endpointId: string, sealed: string): string =>
  openSecret(secretsKeys, sealed, secretContext(endpointId));

interface SealedEndpoint {
  no: number;
  id: string;
  secret: string;
  previous_secret: string | null;
}

/**
 * Encrypts the secrets of endpoints with the current SECRETS_KEY, unless they are already. A previous secret that no
 * key opens is dropped.
 */
export async function resealEndpointSecrets(
  tx: Tx,
  secretsKeys: readonly string[],
  { afterNo, limit }: ResealPage = ALL_ROWS,
): Promise<Resealed> {
  const [secretsKey = ''] = secretsKeys;
  const { rows } = await tx.query<SealedEndpoint>(
    `select no, id, secret, previous_secret from webhook_endpoints
     where no > $1 and deleted_at is null order by no limit $2 for update`,
    [afterNo, limit],
  );
  const done: Resealed = { resealed: 0, lastNo: rows.at(-1)?.no ?? null, unreadable: [] };
  for (const { no, id, secret, previous_secret } of rows) {
    const context = secretContext(id);
    const isCurrent = [secret, previous_secret ?? secret].every((sealed) => isSealedWith(secretsKey, sealed, context));
    if (isCurrent) continue;
    if (!secretsKeys.some((key) => isSealedWith(key, secret, context))) {
      done.unreadable.push(context);
      continue;
    }
    done.resealed++;
    const reseal = (sealed: string): string =>
      sealSecret(secretsKey, openEndpointSecret(secretsKeys, id, sealed), context);
    const previous = previous_secret === null ? [] : openPreviousSecrets(secretsKeys, id, [previous_secret]);
    await tx.query(
      `update webhook_endpoints set secret = $2, previous_secret = $3,
         previous_secret_until = case when $3::text is not null then previous_secret_until end
       where no = $1`,
      [no, reseal(secret), previous.length === 0 ? null : reseal(previous_secret ?? '')],
    );
  }
  return done;
}

/** Every stored secret of endpoints with its context. */
export async function readSealedEndpoints(db: Db): Promise<SealedText[]> {
  const { rows } = await db.query<SealedEndpoint>(
    'select no, id, secret, previous_secret from webhook_endpoints where deleted_at is null',
  );
  return rows.flatMap(({ id, secret, previous_secret }) =>
    [secret, ...(previous_secret === null ? [] : [previous_secret])].map((sealed) => ({
      sealed,
      context: secretContext(id),
    })),
  );
}

/**
 * The previous secrets that can be decrypted. The others are left out, because the receiver also has the current
 * secret.
 */
export function openPreviousSecrets(
  secretsKeys: readonly string[],
  endpointId: string,
  sealed: readonly string[],
): string[] {
  return sealed.flatMap((secret) => {
    try {
      return [openEndpointSecret(secretsKeys, endpointId, secret)];
    } catch {
      return [];
    }
  });
}

/** Called at the start of a worker, because a wrong SECRETS_KEY would fail every delivery. */
export async function assertSecretsCanBeOpened(db: Db, secretsKeys: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: string; secret: string }>(
    'select id, secret from webhook_endpoints where deleted_at is null order by no desc limit 1',
  );
  for (const { id, secret } of rows) openEndpointSecret(secretsKeys, id, secret);
}
