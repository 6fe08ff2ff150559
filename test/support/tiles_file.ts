import { gzipSync } from 'node:zlib';

/** Protocol buffers, as far as a tile needs them. */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
const field = (number: number, bytes: readonly number[]): number[] => [
  number * 8 + 2,
  ...varint(bytes.length),
  ...bytes,
];
const numberField = (number: number, value: number): number[] => [number * 8, ...varint(value)];
const text = (value: string): number[] => [...Buffer.from(value)];
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

/** A layer with one feature of a kind: a line or a polygon through these points of 4,096 by 4,096. */
function layer(name: string, type: 'line' | 'polygon', kind: string, points: readonly [number, number][]): number[] {
  let [x, y] = [0, 0];
  const steps = points.map(([px, py]) => {
    const step = [zigzag(px - x), zigzag(py - y)];
    [x, y] = [px, py];
    return step;
  });
  const [first = [], ...others] = steps;
  const commands = [9, ...first, (others.length << 3) | 2, ...others.flat(), ...(type === 'polygon' ? [15] : [])];
  const feature = [
    ...field(2, [0, 0]),
    ...numberField(3, type === 'line' ? 2 : 3),
    ...field(4, commands.flatMap(varint)),
  ];
  return field(3, [
    ...numberField(15, 2),
    ...field(1, text(name)),
    ...field(2, feature),
    ...field(3, text('kind')),
    ...field(4, field(1, text(kind))),
    ...numberField(5, 4096),
  ]);
}

/** A PMTiles file of one tile, that of the whole world at zoom 0: land, and a highway across it. */
export function tilesFile(attribution: string): Buffer {
  const tile = gzipSync(
    Buffer.from([
      ...layer('earth', 'polygon', 'earth', [
        [0, 0],
        [4096, 0],
        [4096, 4096],
        [0, 4096],
      ]),
      ...layer('roads', 'line', 'highway', [
        [0, 1800],
        [4096, 1800],
      ]),
    ]),
  );
  // One entry: tile 0, one run, its length, and its offset plus one.
  const directory = gzipSync(Buffer.from([1, 0, 1, ...varint(tile.length), 1]));
  const layers = ['earth', 'landcover', 'water', 'buildings', 'roads', 'boundaries', 'places'];
  const vector_layers = layers.map((id) => ({ id, fields: {} }));
  const metadata = gzipSync(Buffer.from(JSON.stringify({ attribution, vector_layers })));
  const header = Buffer.alloc(127);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  const [directoryAt, metadataAt] = [127, 127 + directory.length];
  const dataAt = metadataAt + metadata.length;
  const places = [directoryAt, directory.length, metadataAt, metadata.length, dataAt, 0, dataAt, tile.length, 1, 1, 1];
  for (const [at, value] of places.entries()) header.writeBigUInt64LE(BigInt(value), 8 + 8 * at);
  // Clustered; directories and tiles with gzip; vector tiles; zoom 0 only; the whole world.
  for (const [at, value] of [1, 2, 2, 1, 0, 0].entries()) header[96 + at] = value;
  for (const [at, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 10_000_000, 102 + 4 * at);
  return Buffer.concat([header, directory, metadata, tile]);
}
