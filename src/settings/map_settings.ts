import { closeSync, openSync, readSync } from 'node:fs';
import { reasonOf } from '../values/error_reason.ts';
import type { SettingReader } from './setting_reader.ts';

/** The background of the console's map. If both are empty, it is the world map that the console contains. */
export interface MapConfig {
  /** The address of a MapLibre style on another server. */
  styleUrl: string;
  /** A PMTiles file that the api serves. */
  tilesFile: string;
}

const STYLE_ADDRESS = 'an address of a style that begins with https:// or http://';

export function mapSettings(setting: SettingReader): MapConfig {
  const styleUrl = setting.matching('MAP_STYLE_URL', /^(https?:\/\/\S+)?$/, '', STYLE_ADDRESS);
  const tilesFile = setting.matching('MAP_PMTILES', /^(.+\.pmtiles)?$/, '', 'a file whose name ends with .pmtiles');
  if (styleUrl !== '' && !URL.canParse(styleUrl)) setting.addError(`MAP_STYLE_URL must be ${STYLE_ADDRESS}`);
  if (styleUrl !== '' && tilesFile !== '') setting.addError('set either MAP_STYLE_URL or MAP_PMTILES, not both');
  if (tilesFile.endsWith('.pmtiles')) checkTilesFile(setting, tilesFile);
  return { styleUrl, tilesFile };
}

/** "PMTiles" and the version of the format. */
const HEADER = Buffer.from('PMTiles\x03', 'latin1');

function checkTilesFile(setting: SettingReader, path: string): void {
  try {
    const file = openSync(path, 'r');
    const header = Buffer.alloc(HEADER.length);
    readSync(file, header, 0, HEADER.length, 0);
    closeSync(file);
    if (!header.equals(HEADER)) setting.addError(`MAP_PMTILES names a file that is not PMTiles, version 3: ${path}`);
  } catch (error) {
    setting.addError(`MAP_PMTILES names a file that cannot be read: ${reasonOf(error)}`);
  }
}
