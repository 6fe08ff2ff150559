import type { Db, Tx } from '../db/pool.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../settings/secret_settings.ts';
import { deviceSecretContext, linkSecretContext, organizationSecrets } from './organization_secret.ts';
import {
  ALL_ROWS,
  isSealedWith,
  openSecret,
  type Resealed,
  type ResealPage,
  type SealedText,
  sealSecret,
} from './sealed_secret.ts';

/** The two secrets that an organization takes along when it moves to another cell. */
export interface OwnSecrets {
  device_secret: string;
  link_secret: string;
}

interface OrganizationRef {
  no: number;
  code: string;
}

/** A secret of an organization that came from another cell, as it is stored. */
export interface StoredSecret {
  /** Encrypted with SECRETS_KEY. */
  sealed: string;
  /**
   * Encrypted with DEVICE_SECRET or LINK_SECRET. Null if 0.2 stored it, and `tankwatch secrets reseal` did not run yet.
   */
  wrapped: string | null;
}

/**
 * The installation's DEVICE_SECRET or LINK_SECRET as keys for encryption. The prefix separates these keys from the HMAC
 * keys made from the same secrets.
 */
const wrappingKeys = (installationSecrets: readonly string[]): string[] =>
  installationSecrets.filter((secret) => secret !== '').map((secret) => `wrap ${secret}`);

/**
 * Decrypts a stored secret. Throws a UserError if no key decrypts it. The api and the gateway have no SECRETS_KEY, so
 * they decrypt the wrapped form.
 */
export function openOwnSecret(
  { sealed, wrapped }: StoredSecret,
  installationSecrets: readonly string[],
  secretsKeys: readonly string[],
  context: string,
): string {
  try {
    if (wrapped !== null) return openSecret(wrappingKeys(installationSecrets), wrapped, context);
  } catch (error) {
    if (secretsKeys.length === 0) throw error;
  }
  return openSecret(secretsKeys, sealed, context);
}

/** Stores the secrets of an organization that comes from another cell, or encrypts them again with the current keys. */
export async function storeOwnSecrets(
  tx: Tx,
  config: DeviceSecretsConfig & LinkSecretsConfig,
  { no, code }: OrganizationRef,
  { device_secret, link_secret }: OwnSecrets,
): Promise<void> {
  const [secretsKey = ''] = config.secretsKeys;
  const wrap = (installationSecrets: readonly string[], secret: string, context: string): string | null => {
    const [key] = wrappingKeys(installationSecrets);
    return key === undefined ? null : sealSecret(key, secret, context);
  };
  await tx.query(
    `insert into organization_secrets
       (organization_no, sealed_device_secret, sealed_link_secret, wrapped_device_secret, wrapped_link_secret)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_no) do update set
       sealed_device_secret = excluded.sealed_device_secret, sealed_link_secret = excluded.sealed_link_secret,
       wrapped_device_secret = excluded.wrapped_device_secret, wrapped_link_secret = excluded.wrapped_link_secret`,
    [
      no,
      sealSecret(secretsKey, device_secret, deviceSecretContext(code)),
      sealSecret(secretsKey, link_secret, linkSecretContext(code)),
      wrap(config.deviceSecrets, device_secret, deviceSecretContext(code)),
      wrap(config.linkSecrets, link_secret, linkSecretContext(code)),
    ],
  );
}

interface StoredOwnSecrets extends OrganizationRef {
  sealed_device_secret: string;
  sealed_link_secret: string;
  wrapped_device_secret: string | null;
  wrapped_link_secret: string | null;
}

/** Encrypts the secrets of organizations with the current keys, unless they are already. */
export async function resealOwnSecrets(
  tx: Tx,
  config: DeviceSecretsConfig & LinkSecretsConfig,
  { afterNo, limit }: ResealPage = ALL_ROWS,
): Promise<Resealed> {
  const { rows } = await tx.query<StoredOwnSecrets>(
    `select o.no, o.code, s.sealed_device_secret, s.sealed_link_secret, s.wrapped_device_secret, s.wrapped_link_secret
     from organization_secrets s join organizations o on o.no = s.organization_no
     where o.no > $1 order by o.no limit $2 for update of s`,
    [afterNo, limit],
  );
  const done: Resealed = { resealed: 0, lastNo: rows.at(-1)?.no ?? null, unreadable: [] };
  for (const row of rows) {
    if (isCurrent(row, config)) continue;
    const secrets = openAll(row, config);
    if (secrets === undefined) {
      done.unreadable.push(`the organization ${row.code}`);
      continue;
    }
    await storeOwnSecrets(tx, config, row, secrets);
    done.resealed++;
  }
  return done;
}

function isCurrent(row: StoredOwnSecrets, config: DeviceSecretsConfig & LinkSecretsConfig): boolean {
  const [secretsKey = ''] = config.secretsKeys;
  const [deviceContext, linkContext] = [deviceSecretContext(row.code), linkSecretContext(row.code)];
  const isWrapped = (installationSecrets: readonly string[], wrapped: string | null, context: string): boolean => {
    const [key] = wrappingKeys(installationSecrets);
    return key === undefined || (wrapped !== null && isSealedWith(key, wrapped, context));
  };
  return (
    isSealedWith(secretsKey, row.sealed_device_secret, deviceContext) &&
    isSealedWith(secretsKey, row.sealed_link_secret, linkContext) &&
    isWrapped(config.deviceSecrets, row.wrapped_device_secret, deviceContext) &&
    isWrapped(config.linkSecrets, row.wrapped_link_secret, linkContext)
  );
}

/** Decrypts both secrets. Undefined if none of the keys decrypts one of them. */
function openAll(
  row: StoredOwnSecrets,
  { deviceSecrets, linkSecrets: linkKeys, secretsKeys }: DeviceSecretsConfig & LinkSecretsConfig,
): OwnSecrets | undefined {
  const device = { sealed: row.sealed_device_secret, wrapped: row.wrapped_device_secret };
  const link = { sealed: row.sealed_link_secret, wrapped: row.wrapped_link_secret };
  try {
    return {
      device_secret: openOwnSecret(device, deviceSecrets, secretsKeys, deviceSecretContext(row.code)),
      link_secret: openOwnSecret(link, linkKeys, secretsKeys, linkSecretContext(row.code)),
    };
  } catch {
    return undefined;
  }
}

/** Every stored secret of organizations that is encrypted with SECRETS_KEY, with its context. */
export async function readSealedOwnSecrets(db: Db): Promise<SealedText[]> {
  const { rows } = await db.query<{ code: string; device: string; link: string }>(
    `select o.code, s.sealed_device_secret as device, s.sealed_link_secret as link
     from organization_secrets s join organizations o on o.no = s.organization_no`,
  );
  return rows.flatMap(({ code, device, link }) => [
    { sealed: device, context: deviceSecretContext(code) },
    { sealed: link, context: linkSecretContext(code) },
  ]);
}

/** The secret from which the passwords of an organization's devices are derived now. */
export async function readDeviceSecret(
  db: Db,
  { deviceSecrets, secretsKeys }: DeviceSecretsConfig,
  { no, code }: OrganizationRef,
): Promise<string> {
  const stored = await readStored(db, no, 'device_secret');
  const own = stored === null ? null : openOwnSecret(stored, deviceSecrets, secretsKeys, deviceSecretContext(code));
  return organizationSecrets(deviceSecrets, code, own)[0];
}

/** The secret with which the links in mails to an organization's customers are signed now. */
export async function readLinkSecret(
  db: Db,
  config: LinkSecretsConfig,
  { no, code }: OrganizationRef,
): Promise<string> {
  return linkSecrets(config, code, await readStored(db, no, 'link_secret'))[0];
}

/** All secrets that a link in a mail may be signed with, the current one first. */
export function linkSecrets(
  { linkSecrets: installationSecrets, secretsKeys }: LinkSecretsConfig,
  organizationCode: string,
  stored: StoredSecret | null,
): [string, ...string[]] {
  const context = linkSecretContext(organizationCode);
  const own = stored === null ? null : openOwnSecret(stored, installationSecrets, secretsKeys, context);
  return organizationSecrets(installationSecrets, organizationCode, own);
}

/** Reads only one of the secrets, because the worker has no right to read the device secret. */
async function readStored(
  db: Db,
  organizationNo: number,
  secret: 'device_secret' | 'link_secret',
): Promise<StoredSecret | null> {
  const { rows } = await db.query<StoredSecret>(
    `select sealed_${secret} as sealed, wrapped_${secret} as wrapped from organization_secrets where organization_no = $1`,
    [organizationNo],
  );
  return rows[0] ?? null;
}
