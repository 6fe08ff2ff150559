import { gzipSync } from 'node:zlib';
import { zxyToTileId } from 'pmtiles';

export interface Tile {
  zoom: number;
  x: number;
  y: number;
  content: Uint8Array;
}

interface Entry {
  id: number;
  /** The number of consecutive tiles with this content. 0 for a directory. */
  run: number;
  length: number;
  offset: number;
}

const HEADER_BYTES = 127;
/** Clients read the header and the root directory with one request of 16 KiB. */
const MAX_ROOT_ENTRIES = 2_000;
/** A directory with this many entries has about 4 kB. */
const LEAF_ENTRIES = 1_000;

/**
 * Makes a file in the format PMTiles 3 with vector tiles of the whole world: https://github.com/protomaps/PMTiles/blob/main/spec/v3.
 * Tiles with the same content, such as those of the sea, are stored once.
 */
export function pmtilesFile(tiles: readonly Tile[], metadata: object): Buffer {
  const offsets = new Map<string, { offset: number; length: number }>();
  const contents: Buffer[] = [];
  const entries: Entry[] = [];
  let size = 0;
  const sorted = tiles
    .map((tile) => ({ id: zxyToTileId(tile.zoom, tile.x, tile.y), content: Buffer.from(tile.content) }))
    .toSorted((a, b) => a.id - b.id);
  for (const { id, content } of sorted) {
    const key = content.toString('latin1');
    let place = offsets.get(key);
    if (place === undefined) {
      const compressed = gzipSync(content, { level: 9 });
      place = { offset: size, length: compressed.length };
      contents.push(compressed);
      offsets.set(key, place);
      size += compressed.length;
    }
    const last = entries.at(-1);
    if (last !== undefined && last.offset === place.offset && last.id + last.run === id) last.run += 1;
    else entries.push({ id, run: 1, ...place });
  }
  const { root, leaves } = directories(entries);
  const information = gzipSync(JSON.stringify(metadata), { level: 9 });
  const parts = [root, information, leaves, Buffer.concat(contents)];
  const header = headerOf(parts, [tiles.length, entries.length, offsets.size], tiles);
  return Buffer.concat([header, ...parts]);
}

function directories(entries: readonly Entry[]): { root: Buffer; leaves: Buffer } {
  if (entries.length <= MAX_ROOT_ENTRIES) return { root: directory(entries), leaves: Buffer.alloc(0) };
  const leaves: Buffer[] = [];
  const pointers: Entry[] = [];
  let offset = 0;
  for (let index = 0; index < entries.length; index += LEAF_ENTRIES) {
    const leaf = directory(entries.slice(index, index + LEAF_ENTRIES));
    pointers.push({ id: entries[index]?.id ?? 0, run: 0, length: leaf.length, offset });
    leaves.push(leaf);
    offset += leaf.length;
  }
  return { root: directory(pointers), leaves: Buffer.concat(leaves) };
}

/** Encodes a directory: the differences of ids, then runs, lengths and offsets. The offset 0 means directly after the previous entry. */
function directory(entries: readonly Entry[]): Buffer {
  const before = (index: number): Entry => entries[index - 1] ?? { id: 0, run: 0, length: 0, offset: -1 };
  const numbers = [
    entries.length,
    ...entries.map(({ id }, index) => id - before(index).id),
    ...entries.map(({ run }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }, index) => (offset === before(index).offset + before(index).length ? 0 : offset + 1)),
  ];
  return gzipSync(Buffer.from(numbers.flatMap(varint)), { level: 9 });
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];

const MAX_LATITUDE = 85;

function headerOf(parts: readonly Buffer[], counts: readonly number[], tiles: readonly Tile[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles\x03', 'latin1');
  let offset = HEADER_BYTES;
  const places = parts.flatMap((part) => {
    offset += part.length;
    return [offset - part.length, part.length];
  });
  for (const [index, value] of [...places, ...counts].entries()) header.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  const zooms = tiles.map(({ zoom }) => zoom);
  const [least, most] = [zooms.reduce((a, b) => Math.min(a, b), 0), zooms.reduce((a, b) => Math.max(a, b), 0)];
  // The flags mean: sorted by id, directories and tiles with gzip, vector tiles.
  for (const [index, value] of [1, 2, 2, 1, least, most].entries()) header[96 + index] = value;
  for (const [index, degrees] of [-180, -MAX_LATITUDE, 180, MAX_LATITUDE].entries())
    header.writeInt32LE(degrees * 10_000_000, 102 + 4 * index);
  return header;
}
