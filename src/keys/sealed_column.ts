import type { Db, Tx } from '../db/pool.ts';
import {
  ALL_ROWS,
  isSealedWith,
  openSecret,
  type Resealed,
  type ResealPage,
  type SealedText,
  sealSecret,
} from './sealed_secret.ts';

/** A column with one sealed secret in each row, or null. */
export interface SealedColumn {
  /**
   * Encrypts the secrets with the first key, unless they are already. Secrets that no key decrypts stay as they are.
   */
  reseal(tx: Tx, secretsKeys: readonly string[], page?: ResealPage): Promise<Resealed>;
  /** Every stored secret with its context. */
  readAll(db: Db): Promise<SealedText[]>;
}

/** `contextOf` returns the context that the secret of the row with this id is bound to (see sealSecret). */
export function sealedColumn(table: string, column: string, contextOf: (id: string) => string): SealedColumn {
  return {
    async reseal(tx, secretsKeys, { afterNo, limit } = ALL_ROWS) {
      const [secretsKey = ''] = secretsKeys;
      const { rows } = await tx.query<{ no: number; id: string; sealed: string }>(
        `select no, id, ${column} as sealed from ${table}
         where ${column} is not null and no > $1 order by no limit $2 for update`,
        [afterNo, limit],
      );
      const done: Resealed = { resealed: 0, lastNo: rows.at(-1)?.no ?? null, unreadable: [] };
      for (const { no, id, sealed } of rows) {
        const context = contextOf(id);
        if (isSealedWith(secretsKey, sealed, context)) continue;
        if (!secretsKeys.some((key) => isSealedWith(key, sealed, context))) {
          done.unreadable.push(context);
          continue;
        }
        done.resealed++;
        await tx.query(`update ${table} set ${column} = $2 where no = $1`, [
          no,
          sealSecret(secretsKey, openSecret(secretsKeys, sealed, context), context),
        ]);
      }
      return done;
    },
    async readAll(db) {
      const { rows } = await db.query<{ id: string; sealed: string }>(
        `select id, ${column} as sealed from ${table} where ${column} is not null`,
      );
      return rows.map(({ id, sealed }) => ({ sealed, context: contextOf(id) }));
    },
  };
}
