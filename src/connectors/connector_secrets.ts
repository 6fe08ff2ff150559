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

/** The context that the encrypted secret is bound to (see sealSecret). */
export const connectorContext = (connectorId: string): string => `the connector ${connectorId}`;

/** Throws a UserError if the secret was stored with another SECRETS_KEY. */
export const openConnectorSecret = (
  secretsKeys: readonly string[],
  id: string,
  sealed: string | null,
): string | null => (sealed === null ? null : openSecret(secretsKeys, sealed, connectorContext(id)));

/** Encrypts the secrets of connectors with the first key, unless that is done already. All keys can decrypt them. */
export async function resealConnectorSecrets(
  tx: Tx,
  secretsKeys: readonly string[],
  { afterNo, limit }: ResealPage = ALL_ROWS,
): Promise<Resealed> {
  const [secretsKey = ''] = secretsKeys;
  const { rows } = await tx.query<{ no: number; id: string; sealed: string }>(
    `select no, id, sealed_secret as sealed from connectors
     where sealed_secret is not null and no > $1 order by no limit $2 for update`,
    [afterNo, limit],
  );
  const done: Resealed = { resealed: 0, lastNo: rows.at(-1)?.no ?? null, unreadable: [] };
  for (const { no, id, sealed } of rows) {
    const context = connectorContext(id);
    if (isSealedWith(secretsKey, sealed, context)) continue;
    if (!secretsKeys.some((key) => isSealedWith(key, sealed, context))) {
      done.unreadable.push(context);
      continue;
    }
    done.resealed++;
    await tx.query('update connectors set sealed_secret = $2 where no = $1', [
      no,
      sealSecret(secretsKey, openSecret(secretsKeys, sealed, context), context),
    ]);
  }
  return done;
}

/** Every stored secret of connectors with its context. */
export async function readSealedConnectors(db: Db): Promise<SealedText[]> {
  const { rows } = await db.query<{ id: string; sealed: string }>(
    'select id, sealed_secret as sealed from connectors where sealed_secret is not null',
  );
  return rows.map(({ id, sealed }) => ({ sealed, context: connectorContext(id) }));
}
