import type { Entry, ReadBlock, Round } from './round.ts';

const DATABASE = 'tankwatch driver';
const VERSION = 1;

/** A link that was opened on this phone, and its round. */
export interface StoredRound {
  roundId: string;
  token: string;
  openedMs: number;
  /** The expiry in the token. The round is deleted then. Stored entries can be sent for another week. */
  readUntilMs: number;
  /** Contains names, addresses and phones. Null before the round has arrived, and after the link has expired. */
  round: Round | null;
  /** Missing if an older release stored the round. */
  readBlocks?: readonly ReadBlock[];
}

/** The database of the page: rounds, and the entries that are not sent yet. */
export class Store {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(): Promise<Store> {
    const request = indexedDB.open(DATABASE, VERSION);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore('rounds', { keyPath: 'roundId' });
      request.result.createObjectStore('outbox', { keyPath: 'id' });
    });
    return new Store(await resultOf(request));
  }

  rounds(): Promise<StoredRound[]> {
    return resultOf(this.#objects('rounds', 'readonly').getAll());
  }

  async putRound(round: StoredRound): Promise<void> {
    await this.#write('rounds', (objects) => objects.put(round));
  }

  async deleteRound(roundId: string): Promise<void> {
    await this.#write('rounds', (objects) => objects.delete(roundId));
  }

  async entries(): Promise<Entry[]> {
    const entries: Entry[] = await resultOf(this.#objects('outbox', 'readonly').getAll());
    return entries.toSorted((a, b) => a.at.localeCompare(b.at));
  }

  async putEntry(entry: Entry): Promise<void> {
    await this.#write('outbox', (objects) => objects.put(entry));
  }

  async deleteEntry(id: string): Promise<void> {
    await this.#write('outbox', (objects) => objects.delete(id));
  }

  #objects(name: string, mode: IDBTransactionMode): IDBObjectStore {
    // `strict`, because a phone whose battery dies after it has said "saved on this phone" must still have the entry.
    return this.#database.transaction(name, mode, { durability: 'strict' }).objectStore(name);
  }

  /** Resolves when the transaction is on the disk, not when the request is answered. */
  #write(name: string, change: (objects: IDBObjectStore) => IDBRequest): Promise<void> {
    const objects = this.#objects(name, 'readwrite');
    change(objects);
    return new Promise((resolve, reject) => {
      objects.transaction.addEventListener('complete', () => resolve());
      objects.transaction.addEventListener('abort', () => reject(objects.transaction.error));
    });
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
