import { readMigrations } from '../db/migrate.ts';
import type { Readers, Statement } from '../db/readers.ts';
import type { KeyVerifier } from '../keys/key_verifier.ts';

const NEWEST_MIGRATION: Statement = {
  name: 'newest_migration',
  text: 'select max(name) as name from schema_migrations',
};

/** Whether this process can serve, and if not, why: read by load balancers and by people at night. */
export class Health {
  /** Set before shutting down, so that a proxy stops sending before the socket closes. */
  isDraining = false;
  readonly #readers: Readers;
  readonly #keys: KeyVerifier;
  #neededMigration: string | undefined;

  constructor(readers: Readers, keys: KeyVerifier) {
    this.#readers = readers;
    this.#keys = keys;
  }

  /** What stands in the way; empty when ready. */
  async notReadyReasons(): Promise<string[]> {
    if (this.isDraining) return ['shutting down'];
    try {
      this.#neededMigration ??= (await readMigrations()).at(-1)?.name ?? '';
      const [newest] = await this.#readers.query<{ name: string | null }>(NEWEST_MIGRATION, []);
      const isMigrated = (newest?.name ?? '') >= this.#neededMigration;
      return [
        ...(isMigrated ? [] : ['the database lacks migrations; run: tankwatch migrate']),
        ...(this.#keys.isCurrent ? [] : ['changes to keys are not being followed']),
      ];
    } catch (error) {
      return [`the database cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`];
    }
  }
}
