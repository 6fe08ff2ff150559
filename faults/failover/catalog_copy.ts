import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { HttpClient } from '../../bench/load_client/http_client.ts';
import type { Installation } from '../../engines/installation.ts';
import { issueOneKey } from '../../engines/tenant.ts';
import { Random } from '../../src/simulation/random.ts';

const NamedObject = Type.Union([Type.Object({ name: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]);
const ChangePage = Type.Object({
  data: Type.Array(
    Type.Object({
      kind: Type.Enum(['customer', 'tank']),
      id: Type.String(),
      deleted: Type.Boolean(),
      customer: Type.Optional(NamedObject),
      tank: Type.Optional(NamedObject),
    }),
  ),
  next: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});
const Created = Type.Object({ id: Type.String() });

export interface FollowedCatalog {
  /** Successful changes. */
  changes: number;
  /** Ids of objects that are only in the catalog, only in the copy, or have different names. */
  differing: string[];
  /** Deleted objects that the feed brought back. */
  returned: number;
  /** How often the cursor was invalid (410) and the copy began again. */
  restarts: number;
}

/** Changes, deletes and creates customers over /manage/v1 as an ERP does, and ignores failures. */
async function keepChanging(http: HttpClient, url: string, key: string, signal: AbortSignal): Promise<number> {
  const random = new Random(20261116);
  const ids = new Map<string, string>();
  let changes = 0;
  for (let n = 0; !signal.aborted; n++) {
    const externalKey = `ERP-${random.whole(0, 99)}`;
    const id = ids.get(externalKey);
    const isDeletion = id !== undefined && random.next() < 0.1;
    const { status, text } = isDeletion
      ? await http.send(`${url}/manage/v1/customers/${id}`, { method: 'DELETE', key, headers: { 'if-match': '*' } })
      : await http.send(`${url}/manage/v1/customers/external_key/${externalKey}`, {
          method: 'PUT',
          key,
          json: { email: `${externalKey}@example.com`, name: `Customer ${n}` },
        });
    if (status >= 200 && status < 300) changes++;
    if (isDeletion) ids.delete(externalKey);
    else if (status === 200 || status === 201) ids.set(externalKey, Value.Decode(Created, JSON.parse(text)).id);
    await sleep(20);
  }
  return changes;
}

/** A copy of the catalog that is kept by the change feed only: the name of each object by its id. */
class Copy {
  readonly names = new Map<string, string | null>();
  readonly #deleted = new Set<string>();
  #after = '';
  returned = 0;
  restarts = 0;

  /** Reads to the end of the feed, or until a request fails. */
  async read(http: HttpClient, url: string, key: string): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const { status, text } = await http.send(`${url}/fleet/v1/changes?size=50${this.#after}`, { key });
      if (status === 410) {
        this.restarts++;
        this.#after = '';
        this.names.clear();
        this.#deleted.clear();
      }
      if (status !== 200) return;
      const page = Value.Decode(ChangePage, JSON.parse(text));
      for (const { id, deleted, customer, tank } of page.data) {
        if (deleted) this.#deleted.add(id);
        else if (this.#deleted.has(id)) this.returned++;
        if (deleted) this.names.delete(id);
        else this.names.set(id, (customer ?? tank)?.name ?? null);
      }
      if (page.next !== null) this.#after = `&after=${page.next}`;
      hasMore = page.has_more;
    }
  }

  async findDiffering({ owner, organizationNo }: Installation): Promise<string[]> {
    const { rows } = await owner.query<{ id: string; name: string | null }>(
      `select id, name from customers where organization_no = $1 and deleted_at is null
       union all select id, name from tanks where organization_no = $1 and deleted_at is null`,
      [organizationNo],
    );
    const missing = rows.filter(({ id, name }) => !this.names.has(id) || this.names.get(id) !== name);
    const stored = new Set(rows.map(({ id }) => id));
    return [...missing.map(({ id }) => id), ...[...this.names.keys()].filter((id) => !stored.has(id))];
  }
}

/** The time in which the copy must get the last changes. A change is in the feed when all older transactions have ended. */
const LAST_CHANGES_MS = 30_000;

/** Changes the catalog and follows it until it is stopped, and then reads the feed to its end. */
export async function followCatalog(installation: Installation): Promise<{ stop(): Promise<FollowedCatalog> }> {
  const { apiUrl, owner, organizationNo } = installation;
  const key = await issueOneKey(owner, { organizationNo, scopes: ['read', 'manage'] });
  const http = new HttpClient({ connections: 2, timeoutMs: 10_000 });
  const stopping = new AbortController();
  const copy = new Copy();
  const changing = keepChanging(http, apiUrl, key, stopping.signal);
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await copy.read(http, apiUrl, key);
      await sleep(250);
    }
  };
  const following = follow();
  return {
    async stop() {
      stopping.abort();
      const changes = await changing;
      await following;
      const endMs = performance.now() + LAST_CHANGES_MS;
      let differing = await copy.findDiffering(installation);
      while (differing.length > 0 && performance.now() < endMs) {
        await copy.read(http, apiUrl, key);
        await sleep(250);
        differing = await copy.findDiffering(installation);
      }
      http.close();
      return { changes, differing, returned: copy.returned, restarts: copy.restarts };
    },
  };
}
