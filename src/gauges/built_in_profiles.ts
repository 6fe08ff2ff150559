import { readdirSync, readFileSync } from 'node:fs';
import { parseProfile } from './profiles/parse_profile.ts';
import type { GaugeProfile } from './profiles/profile.ts';

const FOLDER = new URL('../../gauges/', import.meta.url);
let profiles: ReadonlyMap<string, GaugeProfile> | undefined;

/** The profiles that come with Tankwatch, by name. They are read at the first call. */
export function builtInProfiles(): ReadonlyMap<string, GaugeProfile> {
  profiles ??= new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json'))
      .toSorted()
      .map((file) => {
        const profile = parseProfile(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));
        if ('errors' in profile) throw new Error(`gauges/${file}: ${profile.errors.join(' ')}`);
        return [profile.profile, profile];
      }),
  );
  return profiles;
}
