import { Option } from 'commander';
import { builtInProfiles } from '../../gauges/built_in_profiles.ts';
import { checkGaugeProfile, findGaugeProfile } from '../../gauges/gauge_changes.ts';
import type { GaugeProfile } from '../../gauges/profiles/profile.ts';
import { InvalidValuesError } from '../../values/change_refusal.ts';
import { UserError } from '../../values/user_error.ts';
import { organizationNo, withDatabase } from '../command.ts';
import { readJsonInput } from '../input_file.ts';

export const profileOrganizationOption = (): Option =>
  new Option('--organization <code>', 'also use the profiles of this organization');

export async function findProfile(name: string, organization: string | undefined): Promise<GaugeProfile> {
  const profile =
    organization === undefined
      ? builtInProfiles().get(name)
      : await withDatabase(async ({ pool }) => findGaugeProfile(pool, await organizationNo(pool, organization), name));
  if (profile === undefined)
    throw new UserError(`there is no profile ${name}; see: tankwatch gauges list. A file must end with .json.`);
  return profile;
}

export async function readProfileFile(path: string): Promise<GaugeProfile> {
  const definition = await readJsonInput(path);
  try {
    return checkGaugeProfile(definition);
  } catch (error) {
    if (!(error instanceof InvalidValuesError)) throw error;
    throw new UserError([`${path} is not a profile:`, ...error.problems.map(({ reason }) => reason)].join('\n  '));
  }
}
