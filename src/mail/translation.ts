import type { EventData, EventType, RetractionReason } from '../evaluation/pure/alerts/event_types.ts';
import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';

/** The texts of an event: the end of a subject line, and a sentence. */
export interface EventTexts {
  subject: string;
  sentence: string;
}

export type EventDescriptions = { [Type in EventType]: (data: EventData[Type]) => EventTexts };

/** The number of tanks in each section of a digest. */
export interface DigestCounts {
  losing: number;
  low: number;
  gauge: number;
  due: number;
  silent: number;
  refilled: number;
}

/** A loss that goes on. */
export interface LossTexts {
  /** From which level to which, how much, in how many hours, and how much an hour. */
  sentence: (loss: { from: string; to: string; volume: string; hours: number; perHour: string }) => string;
  /** When the tank is empty at the rate of the loss. Null: the level does not fall any more. */
  emptyIn: (hours: number | null) => string;
  perHour: (volume: string) => string;
  /** For the owner. */
  subject: string;
  heading: string;
  whatToDo: string;
  /** What to do, in the order of safety. */
  steps: (emergencyNumber: string, organization: string, phone: string | null) => string[];
  canBeWrong: string;
  callEmergency: (emergencyNumber: string) => string;
  callOrganization: (organization: string, phone: string) => string;
}

/** A correction: what a mail said was wrong. */
export interface RetractionTexts {
  subject: (tank: string) => string;
  /** One sentence. `level`: what the gauge shows now. `emergencyNumber`: for a person beside a tank that was said to leak. */
  sentence: (retraction: {
    tank: string;
    said: readonly { what: string; at: string }[];
    /** Null: late readings. */
    because: RetractionReason | null;
    level: string | null;
    emergencyNumber: string | null;
  }) => string;
}

/** Why a condition is mailed again that somebody took care of. */
export type ReturnReason = 'worse' | 'expired' | 'unmuted';

/** All texts of mails in one language. */
export interface Translation {
  greeting: (name: string) => string;
  describe: EventDescriptions;
  /** What a contact should do about an event; an empty text if nothing is to be done. */
  advice: Readonly<Record<Exclude<EventType, 'tank.low_fill'>, string>>;
  /** What a contact should do about a low tank. Each part is null if it is not known. */
  lowAdvice: (days: string | null, room: string | null) => string;
  /** The label of a button that dials. */
  call: (phone: string) => string;
  whatToDo: string;
  labels: Readonly<
    Record<
      | 'tank'
      | 'customer'
      | 'phone'
      | 'address'
      | 'level'
      | 'lastLevel'
      | 'estimate'
      | 'volume'
      | 'toThreshold'
      | 'toEmpty'
      | 'room'
      | 'loss'
      | 'reading'
      | 'gauge'
      | 'device'
      | 'time',
      string
    >
  >;
  /** The level with the threshold beside it. */
  levelAndThreshold: (level: string, threshold: string) => string;
  /** An estimated volume out of the capacity. */
  volumeOf: (volume: number, capacity: number, unit: CapacityUnit) => string;
  /** An estimate. */
  about: (level: string) => string;
  /** A number of days with its range. */
  days: (range: DaysRange) => string;
  emptyIn: (days: string) => string;
  lowFill: (tank: string, fill: number, threshold: number) => string;
  stillLow: (tank: string, threshold: number) => string;
  stillLowSubject: (tank: string) => string;
  lastReading: (fill: number, at: string) => string;
  /** How a customer orders gas. */
  order: (organization: string, phone: string | null, canReply: boolean) => string;
  sentBy: (organization: string, phone: string | null) => string;
  timesIn: (zone: string) => string;
  unsubscribe: string;
  whyReminders: string;
  invitation: {
    subject: (organization: string) => string;
    heading: string;
    sentences: (organization: string) => string[];
    button: string;
    validity: string;
  };
  signIn: {
    subject: (organizations: string) => string;
    heading: string;
    typeCode: string;
    orOpen: string;
    button: string;
    validity: string;
    /** What to do if somebody else has asked for the mail. */
    notYou: (organizations: string) => string;
  };
  /** The label of a link to the page of a tank in the console. */
  openTank: string;
  openAll: string;
  disabled: { subject: string; gone: string; failing: string; endpoint: (host: string) => string; remedy: string };
  sample: {
    subject: (organization: string) => string;
    heading: string;
    sentence: (email: string) => string;
    example: string;
  };
  loss: LossTexts;
  retraction: RetractionTexts;
  /** Before the subject and the text of a mail about a condition that returned. */
  returned: { mark: string; sentence: Readonly<Record<ReturnReason, string>> };
  /** A gauge that cannot be relied on: since when, what was last believed, and what it shows now. */
  gauge: (since: string | null, believed: { level: string; at: string } | null, shown: string | null) => string;
  /** After a refill. */
  noLongerLow: string;
  digest: DigestTexts;
}

export interface DigestTexts {
  /** The number of tanks in each section, without those that are empty. */
  summary: (counts: DigestCounts) => string;
  heading: (day: string) => string;
  losing: (tanks: number) => string;
  low: (tanks: number) => string;
  gauge: (tanks: number) => string;
  due: (tanks: number) => string;
  silent: (tanks: number) => string;
  refilled: (tanks: number) => string;
  /** Tanks that somebody takes care of; they are in no section. */
  handled: (tanks: number) => string;
  nothing: string;
  isNew: string;
  more: (tanks: number) => string;
  left: (volume: string) => string;
  room: (volume: string) => string;
  inDays: (days: string) => string;
  /** A low reading that is not confirmed yet. */
  unconfirmed: string;
  delivered: (volume: string) => string;
  maybeGaugeFault: string;
  lastReading: (at: string) => string;
  /** The last reading of a tank whose current level is not known. */
  was: (level: string) => string;
  /** The level of a silent tank at its usual use. */
  estimated: (level: string) => string;
  silentDevice: string;
  unreliableGauge: string;
}

/** Describes an event in the language of the texts. */
export function describeEvent<Type extends EventType>(
  { describe }: Pick<Translation, 'describe'>,
  type: Type,
  data: EventData[Type],
): EventTexts {
  return describe[type](data);
}
