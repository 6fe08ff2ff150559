import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { RawMessage } from '../telemetry/raw_message.ts';
import { builtInProfiles } from './built_in_profiles.ts';
import type { GaugeProfile } from './profiles/profile.ts';

export const MAX_INTERVAL_MINUTES = 10_080;
export const MAX_PERIOD_MINUTES = 44_640;

/** The settings for a device that sends several readings without times. Without them, only the newest reading is stored. */
export const GaugeSettings = Type.Object(
  {
    interval_minutes: Type.Integer({
      minimum: 1,
      maximum: MAX_INTERVAL_MINUTES,
      description: 'The time between two readings of a message.',
    }),
    period_minutes: Type.Integer({
      minimum: 1,
      maximum: MAX_PERIOD_MINUTES,
      description: 'The time between two messages.',
    }),
  },
  { additionalProperties: false },
);
export type GaugeSettings = Static<typeof GaugeSettings>;
const compiled = Compile(GaugeSettings);
export const isGaugeSettings = (value: unknown): value is GaugeSettings => compiled.Check(value);

/** The selectors that an organization can assign a profile to. */
const SELECTOR = /^(device|model|application|topic)=([^\p{Cc}*]{1,100})(\*?)$/u;

/** The limit of the database, in characters. */
const MAX_SELECTOR_LENGTH = 120;

/** The selector as it is stored: devices in upper case, others in lower case. Undefined if the text is not a selector. */
export function parseSelector(text: string): string | undefined {
  const [, kind = '', name = '', star = ''] = SELECTOR.exec(text.trim()) ?? [];
  if (kind === '' || (star !== '' && kind !== 'device')) return undefined;
  const folded = kind === 'device' ? `device=${name.toUpperCase()}${star}` : `${kind}=${name.toLowerCase()}`;
  // The length is checked after the change of case, because ß becomes SS in upper case.
  return folded.length > MAX_SELECTOR_LENGTH ? undefined : folded;
}

export interface SelectedProfile {
  profile: GaugeProfile;
  settings: GaugeSettings | null;
  /**
   * True if a profile is assigned to exactly this device. The device may then be a bridge, which reports for other
   * devices of its organization.
   */
  mayNameDevices: boolean;
}

type Names = Pick<RawMessage, 'profile' | 'deviceId' | 'model' | 'application' | 'topic'>;

/** The profiles and assignments of one organization. */
export class OrganizationGauges {
  readonly #profiles = new Map<string, GaugeProfile>();
  readonly #assigned = new Map<string, { profile: string; settings: GaugeSettings | null }>();
  /** The selectors of devices that end with *, longest first. */
  #prefixes: string[] = [];
  /** The profiles by the models that they name themselves. */
  #models = new Map<string, GaugeProfile>();

  /** Adds or replaces a profile, or removes it if `profile` is null. */
  setProfile(name: string, profile: GaugeProfile | null): void {
    if (profile === null) this.#profiles.delete(name);
    else this.#profiles.set(name, profile);
    this.#models = new Map();
    for (const kept of this.#profiles.values())
      for (const model of kept.models ?? []) this.#models.set(model.toLowerCase(), kept);
  }

  /** Assigns a profile, or removes the assignment if `assigned` is null. */
  assign(selector: string, assigned: { profile: string; settings: GaugeSettings | null } | null): void {
    if (assigned === null) this.#assigned.delete(selector);
    else this.#assigned.set(selector, assigned);
    if (!selector.endsWith('*')) return;
    this.#prefixes = [...this.#assigned.keys()]
      .filter((key) => key.endsWith('*'))
      .toSorted((a, b) => b.length - a.length);
  }

  named(name: string): SelectedProfile | undefined {
    const profile = this.#profiles.get(name) ?? builtInProfiles().get(name);
    return profile && { profile, settings: null, mayNameDevices: false };
  }

  /** `topic` is the part below the topic of a device. True if a profile is assigned to it: devices may then publish to it. */
  hasTopic(topic: string): boolean {
    return this.#assigned.has(`topic=${topic.toLowerCase()}`);
  }

  /**
   * The profile that the sender names, otherwise that of the first assignment that fits, otherwise the profile that names the model.
   * The length of a message is never used, because two models send 8 bytes.
   */
  select({ profile: named, deviceId, model, application, topic }: Names): SelectedProfile | undefined {
    if (named !== undefined) return this.named(named);
    // Most organizations assign nothing. This keeps the work for each of their messages small.
    if (this.#assigned.size === 0 && !model) return undefined;
    const device = typeof deviceId === 'string' ? `device=${deviceId.toUpperCase()}` : undefined;
    const assigned =
      (topic ? this.#bySelector(`topic=${topic.toLowerCase()}`) : undefined) ??
      (device === undefined ? undefined : (this.#bySelector(device) ?? this.#byPrefix(device))) ??
      (model ? this.#bySelector(`model=${model.toLowerCase()}`) : undefined) ??
      (application ? this.#bySelector(`application=${application.toLowerCase()}`) : undefined);
    if (assigned !== undefined)
      return { ...assigned, mayNameDevices: device !== undefined && this.#assigned.has(device) };
    if (!model) return undefined;
    const profile = this.#models.get(model.toLowerCase()) ?? builtInModels().get(model.toLowerCase());
    return profile && { profile, settings: null, mayNameDevices: false };
  }

  #bySelector(selector: string): SelectedProfile | undefined {
    const assigned = this.#assigned.get(selector);
    const named = assigned && this.named(assigned.profile);
    return named && assigned && { ...named, settings: assigned.settings };
  }

  #byPrefix(device: string): SelectedProfile | undefined {
    const selector = this.#prefixes.find((prefix) => device.startsWith(prefix.slice(0, -1)));
    return selector === undefined ? undefined : this.#bySelector(selector);
  }
}

let models: ReadonlyMap<string, GaugeProfile> | undefined;
function builtInModels(): ReadonlyMap<string, GaugeProfile> {
  models ??= new Map(
    [...builtInProfiles().values()].flatMap((profile) =>
      (profile.models ?? []).map((model) => [model.toLowerCase(), profile] as const),
    ),
  );
  return models;
}
