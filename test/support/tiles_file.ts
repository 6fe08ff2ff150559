import { pmtilesFile } from '../../packages/console/world/pmtiles_file.ts';
import { metadataOf, vectorTile } from '../../packages/console/world/vector_tile.ts';

/** A PMTiles file of one tile, that of the whole world at zoom 0: land, a highway across it, and a town near Celaya. */
export function tilesFile(attribution: string, town: string): Buffer {
  const content = vectorTile({
    earth: [
      {
        type: 3,
        tags: { kind: 'earth' },
        geometry: [
          [
            [0, 0],
            [4096, 0],
            [4096, 4096],
            [0, 4096],
            [0, 0],
          ],
        ],
      },
    ],
    roads: [
      {
        type: 2,
        tags: { kind: 'highway' },
        geometry: [
          [
            [0, 1809],
            [4096, 1809],
          ],
        ],
      },
    ],
    places: [
      {
        type: 1,
        tags: { kind: 'locality', name: town, min_zoom: 3, population_rank: 9 },
        geometry: [[902, 1809]],
      },
    ],
  });
  return pmtilesFile([{ zoom: 0, x: 0, y: 0, content }], metadataOf(attribution));
}
