import { hash, timingSafeEqual } from 'node:crypto';
import { changedSince, PollingLoop, type PollPosition, withPollPosition } from '../db/polling_loop.ts';
import { DatabaseUnavailableError, type Readers, type Statement } from '../db/readers.ts';
import type { Outage } from '../health/outage.ts';
import { REVOCATION_POLL_MS } from './credential_sources.ts';
import { devicePassword, deviceUserName } from './device_password.ts';
import { deviceSecretContext, organizationSecrets } from './organization_secret.ts';
import { openOwnSecret, type StoredSecret } from './own_secrets.ts';

/** An authenticated device. */
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

type SeenCredential = PollPosition & (CredentialRow | { user_name: null });

const CREDENTIALS = `select o.code || '/' || c.device_id as user_name, c.generation, c.revoked_at
  from device_credentials c join organizations o on o.no = c.organization_no`;

/**
 * There are no bounds on changed_xid, because rows restored from another server have the transaction ids of that
 * server.
 */
const ALL_CREDENTIALS: Statement = {
  name: 'all_credentials',
  text: withPollPosition(CREDENTIALS),
};

/** The credentials that changed since the last poll. */
const CHANGED_CREDENTIALS: Statement = {
  name: 'changed_credentials',
  text: withPollPosition(`${CREDENTIALS} where ${changedSince('c.changed_xid')}`),
};

const FIND_ORGANIZATION: Statement = {
  name: 'find_organization',
  text: 'select no from organizations where code = $1 and deleted_at is null',
};
const ALL_ORGANIZATIONS: Statement = {
  name: 'all_organizations',
  text: 'select no, code from organizations where deleted_at is null',
};
/** Reads few rows by an index, because organizations are rarely deleted. */
const DELETED_ORGANIZATIONS: Statement = {
  name: 'deleted_organizations',
  text: 'select code from organizations where deleted_at is not null',
};
const SECRETS = `select o.code, s.sealed_device_secret as sealed, s.wrapped_device_secret as wrapped
  from organization_secrets s join organizations o on o.no = s.organization_no`;
const ALL_SECRETS: Statement = {
  name: 'all_device_secrets',
  text: withPollPosition(SECRETS),
};
/**
 * The secrets that changed since the last poll. The secret of an erased organization stays in memory, but its devices
 * are refused.
 */
const CHANGED_SECRETS: Statement = {
  name: 'changed_device_secrets',
  text: withPollPosition(`${SECRETS} where ${changedSince('s.changed_xid')}`),
};
type SeenSecret = PollPosition & ((StoredSecret & { code: string }) | { code: null });

export interface DeviceVerifierOptions {
  /** The installation's device secrets: the current one, and the previous one during a rotation. */
  deviceSecrets: readonly string[];
  /** The keys that decrypt the secrets of organizations that came from another cell and were stored by 0.2. */
  secretsKeys: readonly string[];
  outage: Outage;
}

/**
 * Verifies device passwords from memory. Passwords are derived, so only rotated and revoked devices are kept in memory.
 * These devices are read once, then polled for changes. While the database is unavailable, devices are verified with
 * the last known state.
 */
export class DeviceVerifier {
  readonly #readers: Readers;
  readonly #options: DeviceVerifierOptions;
  readonly #follower: PollingLoop;
  readonly #credentials = new Map<string, { generation: number; isRevoked: boolean }>();
  readonly #organizationNos = new Map<string, number>();
  /** The secrets by organization code. Null if a secret cannot be decrypted. */
  readonly #ownSecrets = new Map<string, string | null>();
  /** The poll position of the secrets, which are read at another time than the credentials. */
  #seenSecrets: PollPosition | undefined;
  /** Codes of deleted organizations: their devices are refused. */
  #deletedOrganizations: ReadonlySet<string> = new Set();
  /** Undefined before the first poll. */
  #seen: PollPosition | undefined;
  /** Called with the user name of each device whose password was rotated or revoked. */
  onCredentialChanged: (userName: string) => void = () => {};
  /** Called with the code of an organization whose devices are refused, because its secret cannot be decrypted. */
  onUnopenedSecret: (organizationCode: string, error: unknown) => void = () => {};

  constructor(readers: Readers, options: DeviceVerifierOptions) {
    this.#readers = readers;
    this.#options = options;
    this.#follower = new PollingLoop(() => this.#poll(), options.outage, REVOCATION_POLL_MS);
  }

  async start(): Promise<void> {
    await this.#follower.start();
  }

  close(): void {
    this.#follower.close();
  }

  /** False until the first poll succeeded. Until then no device is accepted, because it could be revoked. */
  get isReady(): boolean {
    return this.#seen !== undefined;
  }

  /** Returns undefined if the user name or the password is wrong. Throws if the database is needed but unavailable. */
  async verify(userName: string, password: Uint8Array): Promise<Device | undefined> {
    if (!this.isReady)
      throw new DatabaseUnavailableError('the revoked devices have not been read from the database yet');
    const [, organizationCode, deviceId] = /^([a-z0-9]{3,16})\/([^\0]{1,64})$/s.exec(userName) ?? [];
    if (organizationCode === undefined || deviceId === undefined) return undefined;
    const { generation, isRevoked } = this.#credentials.get(userName) ?? { generation: 1, isRevoked: false };
    const isRight = this.#secretsOf(organizationCode).some((secret) =>
      isEqual(devicePassword(secret, deviceId, generation), password),
    );
    if (!isRight || isRevoked || this.#deletedOrganizations.has(organizationCode)) return undefined;
    const organizationNo = this.#organizationNos.get(organizationCode);
    if (organizationNo !== undefined) return { organizationNo, organizationCode, deviceId, generation };
    // Queried only if the password is right, so that unauthenticated clients cannot cause queries. The device is
    // verified again afterwards, because it can be revoked during the query.
    const [row] = await this.#readers.query<{ no: number }>(FIND_ORGANIZATION, [organizationCode]);
    if (row === undefined) return undefined;
    this.#organizationNos.set(organizationCode, row.no);
    return this.verify(userName, password);
  }

  /** False if the device was rotated or revoked, or its organization deleted, after it was verified. */
  isCurrent({ organizationCode, deviceId, generation }: Device): boolean {
    if (this.#deletedOrganizations.has(organizationCode)) return false;
    const known = this.#credentials.get(deviceUserName(organizationCode, deviceId));
    return known === undefined ? generation === 1 : known.generation === generation && !known.isRevoked;
  }

  #secretsOf(organizationCode: string): readonly string[] {
    const ownSecret = this.#ownSecrets.get(organizationCode);
    if (ownSecret === null) return [];
    return organizationSecrets(this.#options.deviceSecrets, organizationCode, ownSecret ?? null);
  }

  async #poll(): Promise<void> {
    await this.#readOwnSecrets();
    const deleted = await this.#readers.query<{ code: string }>(DELETED_ORGANIZATIONS, []);
    this.#deletedOrganizations = new Set(deleted.map(({ code }) => code));
    if (this.#seen === undefined) return this.#readAll();
    const changed = await this.#readers.query<SeenCredential>(CHANGED_CREDENTIALS, [this.#seen.seen_up_to]);
    // The transaction ids of another server, such as a promoted standby, do not continue those of the previous server.
    if (changed[0] !== undefined && changed[0].server !== this.#seen.server) return this.#readAll();
    this.#apply(changed);
  }

  async #readAll(): Promise<void> {
    const organizations = await this.#readers.query<{ no: number; code: string }>(ALL_ORGANIZATIONS, []);
    this.#organizationNos.clear();
    for (const { no, code } of organizations) this.#organizationNos.set(code, no);
    const rows = await this.#readers.query<SeenCredential>(ALL_CREDENTIALS, []);
    const stored = new Set(rows.map(({ user_name }) => user_name));
    for (const userName of this.#credentials.keys().filter((known) => !stored.has(known))) {
      this.#credentials.delete(userName);
      this.onCredentialChanged(userName);
    }
    this.#apply(rows);
  }

  /** If the secret of an organization cannot be decrypted, only the devices of this organization are refused. */
  async #readOwnSecrets(): Promise<void> {
    const seen = this.#seenSecrets;
    const changed = seen === undefined ? [] : await this.#readers.query<SeenSecret>(CHANGED_SECRETS, [seen.seen_up_to]);
    const isOtherServer = changed[0]?.server !== seen?.server;
    const rows = seen === undefined || isOtherServer ? await this.#readers.query<SeenSecret>(ALL_SECRETS, []) : changed;
    const { deviceSecrets, secretsKeys } = this.#options;
    for (const row of rows) {
      if (row.code === null) continue;
      try {
        this.#ownSecrets.set(row.code, openOwnSecret(row, deviceSecrets, secretsKeys, deviceSecretContext(row.code)));
      } catch (error) {
        this.#ownSecrets.set(row.code, null);
        this.onUnopenedSecret(row.code, error);
      }
    }
    this.#seenSecrets = rows[0] ?? seen;
  }

  #apply(rows: readonly SeenCredential[]): void {
    for (const row of rows) {
      if (row.user_name === null) continue;
      const known = this.#credentials.get(row.user_name);
      const isRevoked = row.revoked_at !== null;
      if (known?.generation === row.generation && known.isRevoked === isRevoked) continue;
      this.#credentials.set(row.user_name, { generation: row.generation, isRevoked });
      this.onCredentialChanged(row.user_name);
    }
    this.#seen = rows[0] ?? this.#seen;
  }
}

/** Compares in constant time. */
function isEqual(expected: string, given: Uint8Array): boolean {
  return timingSafeEqual(hash('sha256', expected, 'buffer'), hash('sha256', given, 'buffer'));
}
