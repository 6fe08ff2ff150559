import { readFile } from 'node:fs/promises';

const UNIT_BYTES: Readonly<Record<string, number>> = { kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

export interface ShippedSettings {
  /** WAL that the disk of a database has to hold. */
  walReserveBytes: number;
  maxConnections: number;
}

/** Reads what a plan needs from deploy/postgresql.conf. */
export async function readShippedSettings(): Promise<ShippedSettings> {
  const text = await readFile(new URL('../../deploy/postgresql.conf', import.meta.url), 'utf8');
  return parseSettings(text);
}

/** For a replica that is unavailable, the primary keeps WAL on top of max_wal_size, up to max_slot_wal_keep_size. */
export function parseSettings(text: string): ShippedSettings {
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}\\s*=\\s*(\\S+)`, 'm').exec(text)?.[1];
  const bytesOf = (name: string): number => {
    const [, number, unit = ''] = /^(\d+)([kMGT]B)$/.exec(valueOf(name) ?? '') ?? [];
    return Number(number ?? 0) * (UNIT_BYTES[unit] ?? 0);
  };
  const maxWalBytes = bytesOf('max_wal_size');
  const maxConnections = Number(valueOf('max_connections'));
  if (maxWalBytes === 0 || Number.isNaN(maxConnections))
    throw new Error('deploy/postgresql.conf has no max_wal_size or no max_connections');
  return { walReserveBytes: maxWalBytes + bytesOf('max_slot_wal_keep_size'), maxConnections };
}
