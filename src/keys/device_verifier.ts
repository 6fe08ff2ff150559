import { hash, timingSafeEqual } from 'node:crypto';
import { Follower } from '../db/follower.ts';
import { DatabaseUnavailable, type Readers, type Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { devicePassword } from './device_password.ts';

/** A device that proved who it is. */
export interface Device {
  organizationNo: number;
  organizationCode: string;
  deviceId: string;
  generation: number;
}

interface CredentialRow {
  user_name: string;
  generation: number;
  revoked_at: string | null;
}

const CREDENTIALS = `select o.code || '/' || c.device_id as user_name, c.generation, c.revoked_at
  from device_credentials c join organizations o on o.no = c.organization_no`;

/** Without bounds: rows restored from another server carry its transaction ids. */
const ALL_CREDENTIALS: Statement = {
  name: 'all_credentials',
  text: `select pg_snapshot_xmin(pg_current_snapshot())::text as seen_up_to, k.*
    from (select) as always left join (${CREDENTIALS}) as k on true`,
};

/** What changed since, as for keys (see KeyRing). */
const CHANGED_CREDENTIALS: Statement = {
  name: 'changed_credentials',
  text: `select pg_snapshot_xmin(pg_current_snapshot())::text as seen_up_to, k.*
    from (select) as always
    left join (
      ${CREDENTIALS} where c.changed_xid >= $1::xid8 and c.changed_xid < pg_snapshot_xmax(pg_current_snapshot())
    ) as k on true`,
};

const FIND_ORGANIZATION: Statement = {
  name: 'find_organization',
  text: 'select no from organizations where code = $1',
};
const ALL_ORGANIZATIONS: Statement = { name: 'all_organizations', text: 'select no, code from organizations' };

/**
 * Verifies devices from memory. Passwords are derived, so only devices that were rotated or revoked are held here: all
 * of them are read once, then changes are followed. While the database is away, everybody known stays welcome.
 */
export class DeviceVerifier {
  readonly #readers: Readers;
  readonly #secret: string;
  readonly #follower: Follower;
  readonly #credentials = new Map<string, { generation: number; isRevoked: boolean }>();
  readonly #organizationNos = new Map<string, number>();
  #seenUpTo: string | undefined;
  /** Told the user name of each device whose password has become void. */
  onVoid: (userName: string) => void = () => {};

  constructor(readers: Readers, secret: string, outage: Outage) {
    this.#readers = readers;
    this.#secret = secret;
    this.#follower = new Follower(() => this.#look(), outage);
  }

  async start(): Promise<void> {
    await this.#follower.start();
  }

  close(): void {
    this.#follower.close();
  }

  /** Before the first look nobody can be let in: a revoked device would be. */
  get isReady(): boolean {
    return this.#seenUpTo !== undefined;
  }

  /** Undefined for whoever is not who he says. Throws where that cannot be told. */
  async verify(userName: string, password: Uint8Array): Promise<Device | undefined> {
    if (!this.isReady) throw new DatabaseUnavailable('revoked devices are not known yet');
    const [, organizationCode, deviceId] = /^([a-z0-9]{3,16})\/([^\0]{1,64})$/s.exec(userName) ?? [];
    if (organizationCode === undefined || deviceId === undefined) return undefined;
    const { generation, isRevoked } = this.#credentials.get(userName) ?? { generation: 1, isRevoked: false };
    const expected = devicePassword(this.#secret, organizationCode, deviceId, generation);
    if (!isEqual(expected, password) || isRevoked) return undefined;
    const organizationNo = this.#organizationNos.get(organizationCode);
    if (organizationNo !== undefined) return { organizationNo, organizationCode, deviceId, generation };
    // Asked only after the password was right, so that strangers cannot make us ask. Meanwhile it may have become void.
    const [row] = await this.#readers.query<{ no: number }>(FIND_ORGANIZATION, [organizationCode]);
    if (row === undefined) return undefined;
    this.#organizationNos.set(organizationCode, row.no);
    return this.verify(userName, password);
  }

  async #look(): Promise<void> {
    if (this.#seenUpTo === undefined) {
      const organizations = await this.#readers.query<{ no: number; code: string }>(ALL_ORGANIZATIONS, []);
      for (const { no, code } of organizations) this.#organizationNos.set(code, no);
      this.#take(await this.#readers.query(ALL_CREDENTIALS, []));
    } else this.#take(await this.#readers.query(CHANGED_CREDENTIALS, [this.#seenUpTo]));
  }

  #take(rows: ({ seen_up_to: string } & (CredentialRow | { user_name: null }))[]): void {
    for (const row of rows) {
      if (row.user_name === null) continue;
      const known = this.#credentials.get(row.user_name);
      const isRevoked = row.revoked_at !== null;
      if (known?.generation === row.generation && known.isRevoked === isRevoked) continue;
      this.#credentials.set(row.user_name, { generation: row.generation, isRevoked });
      this.onVoid(row.user_name);
    }
    this.#seenUpTo = rows[0]?.seen_up_to ?? this.#seenUpTo;
  }
}

/** In the same time whatever the difference. */
function isEqual(expected: string, given: Uint8Array): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', given, 'buffer'));
}
