import { readFile, rename, writeFile } from 'node:fs/promises';

/** The objects of another system. It lists deletions, because an object that is missing by mistake must not be deleted. */
export interface World {
  revision: number;
  customers: { key: string; name: string; formerKeys: string[] }[];
  tanks: { ownerKey: string; customId: string; capacity: number; formerOwnerKeys: string[] }[];
  /** Keys that must not exist. */
  gone: { customers: string[]; tanks: { ownerKey: string; customId: string }[] };
}

/** The copy of a program. Positions and objects are stored together, because the program may be killed at any time. */
export interface ErpCopy {
  after: string | undefined;
  customers: Record<string, { key: string | null; etag: string }>;
  tanks: Record<string, { ownerId: string; customId: string | null; etag: string }>;
  readingsAfter: string | undefined;
  readings: Record<string, number>;
  /** Readings that the feed contained twice. */
  doubled: number;
  /** The revision for which a whole pass changed nothing. */
  settled: number;
}

const NO_COPY: ErpCopy = {
  after: undefined,
  customers: {},
  tanks: {},
  readingsAfter: undefined,
  readings: {},
  doubled: 0,
  settled: 0,
};

/** Reads the copy of a program, which is empty before the program has stored it. */
export const readCopy = async (path: string): Promise<ErpCopy> => ({
  ...structuredClone(NO_COPY),
  ...JSON.parse(await readFile(path, 'utf8').catch(() => '{}')),
});

/** Replaces a file as a whole. */
export async function store(path: string, content: object): Promise<void> {
  await writeFile(`${path}.${process.pid}`, JSON.stringify(content));
  await rename(`${path}.${process.pid}`, path);
}
