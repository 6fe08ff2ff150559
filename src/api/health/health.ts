import { readMigrations } from '../../db/migrate.ts';
import type { ReadSources } from '../../db/read_sources.ts';
import type { Statement } from '../../db/readers.ts';
import { cached } from '../../health/cached.ts';
import type { KeyVerifier } from '../../keys/key_verifier.ts';
import { explanationOf } from '../../values/explanation.ts';

const NEWEST_MIGRATION: Statement = {
  name: 'newest_migration',
  text: 'select max(name) as name from schema_migrations',
};

/** Whether this process can serve requests, and the reasons if not. */
export class Health {
  /** Set before the shutdown, so that a proxy stops sending requests before the socket closes. */
  isDraining = false;
  readonly #sources: ReadSources;
  readonly #keys: KeyVerifier;
  #requiredMigration: string | undefined;

  constructor(sources: ReadSources, keys: KeyVerifier) {
    this.#sources = sources;
    this.#keys = keys;
  }

  /** Empty if the process is ready. */
  async notReadyReasons(): Promise<readonly string[]> {
    return this.isDraining ? ['shutting down'] : this.#databaseReasons();
  }

  readonly #databaseReasons = cached(async (): Promise<readonly string[]> => {
    try {
      this.#requiredMigration ??= (await readMigrations()).at(-1)?.name ?? '';
      const [newest] = await this.#sources.read('', ({ readers }) =>
        readers.query<{ name: string | null }>(NEWEST_MIGRATION, []),
      );
      // With a replica, reads continue while the primary is unavailable, as long as known keys are trusted.
      const areKeysKnown = this.#sources.replica() === undefined ? this.#keys.isCurrent : this.#keys.isTrusted;
      const isMigrated = (newest?.name ?? '') >= this.#requiredMigration;
      return [
        ...(isMigrated ? [] : ['the database lacks migrations; run: tankwatch migrate']),
        ...(areKeysKnown ? [] : ['changes of API keys cannot be read from the database']),
      ];
    } catch (error) {
      const reason = explanationOf(error)?.sentence ?? (error instanceof Error ? error.message : 'unknown error');
      return [`the database cannot be read: ${reason}`];
    }
  });
}
