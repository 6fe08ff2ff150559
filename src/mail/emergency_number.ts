import { countryOf } from '../values/country.ts';

/** The data that determines the emergency number of an organization. */
interface EmergencyRegion {
  /** The language tag with a region, such as `es-MX`. */
  language: string;
  time_zone: string;
  /** The number that the organization has set. */
  emergency_phone: string | null;
}

/** Countries in which 911 reaches help, as ISO 3166 codes. */
const WITH_911 = new Set(
  'AG AR BB BS BZ CA CR DM DO EC GD GU GY HN JM KN LC MX PA PE PH PR PY SV TT US UY VC VE VI'.split(' '),
);

/**
 * The number to call in an emergency. There is always one, because a warning must have a number. Without a country, the
 * continent of the time zone decides. Mobile networks of most countries also connect 112.
 */
export function emergencyNumber({ language, time_zone, emergency_phone }: EmergencyRegion): string {
  if (emergency_phone !== null) return emergency_phone;
  const country = countryOf(language);
  const has911 = country === null ? /^(America|US|Canada|Mexico)\//.test(time_zone) : WITH_911.has(country);
  return has911 ? '911' : '112';
}
