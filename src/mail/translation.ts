import type { VerdictCode } from '../deliveries/verdict_texts.ts';
import type { MailedData, MailedType, RetractionReason } from '../evaluation/pure/alerts/event_types.ts';
import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import type { DigestTexts, LossTexts } from './english.ts';
import type { OrderTexts } from './order_texts.ts';

/** The texts of an event: the end of a subject line, and a sentence. */
export interface EventTexts {
  subject: string;
  sentence: string;
}

export type EventDescriptions = { [Type in MailedType]: (data: MailedData[Type]) => EventTexts };

/** The number of tanks in each section of a digest. */
export type DigestCounts = Record<'losing' | 'low' | 'gauge' | 'due' | 'silent' | 'refilled', number>;

/** The texts of a retraction: the content of an earlier mail was wrong. */
export interface RetractionTexts {
  subject: (tank: string) => string;
  /**
   * One sentence. `level` is what the gauge shows now. `emergencyNumber` is given if the mail goes to the owner of a tank
   * that was reported to leak.
   */
  sentence: (retraction: {
    tank: string;
    /** The events that were reported, with the subjects of their mails. */
    reported: readonly { subject: string; at: string }[];
    /** Null for late readings. */
    because: RetractionReason | null;
    level: string | null;
    emergencyNumber: string | null;
  }) => string;
}

/** Why a handled condition is mailed again. */
export type ReturnReason = 'worse' | 'expired' | 'unmuted';

export interface UnreliableGauge {
  /** The start of the fault. It has no date if it is on the day of `lastReliable`. */
  since: { at: string; isSameDay: boolean } | null;
  lastReliable: { level: string; at: string } | null;
  shown: string | null;
  /** True if the gauge always shows the same value. */
  isStuck: boolean;
}

/** All texts of mails in one language. */
export interface Translation extends OrderTexts {
  greeting: (name: string) => string;
  describe: EventDescriptions;
  /** The advice to a contact about an event; empty if there is nothing to do. */
  advice: Readonly<Record<Exclude<MailedType, 'tank.low_fill' | 'tank.order_due' | 'tank.device_silent'>, string>>;
  /** The advice to a contact about a silent device. `isEstimated` is true if the mail contains the level expected at normal use. */
  silentAdvice: (isEstimated: boolean) => string;
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
      | 'planned'
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
  /** The estimated range of a tank without a sensor. `daysSinceDip` is null if it has no dip yet. */
  estimated: (range: { low: string; high: string } | null, daysSinceDip: number | null) => string;
  /** An estimated volume out of the capacity. */
  volumeOf: (volume: number, capacity: number, unit: CapacityUnit) => string;
  /** Writes a level as an estimate. */
  about: (level: string) => string;
  /** A number of days with its range. */
  days: (range: DaysRange) => string;
  emptyIn: (days: string) => string;
  lowFill: (tank: string, fill: number, threshold: number) => string;
  stillLow: (tank: string, threshold: number) => string;
  stillLowSubject: (tank: string) => string;
  lastReading: (fill: number, at: string) => string;
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
    /** What to do if the recipient did not ask for the mail. */
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
  /** The beginning of the subject and of the text of a mail about a condition that returned. */
  returned: { mark: string; sentence: Readonly<Record<ReturnReason, string>> };
  /** An unreliable gauge: since when, the last reliable reading, and what it shows now. */
  gauge: (gauge: UnreliableGauge) => string;
  /** Added to the mail about a refill. */
  noLongerLow: string;
  digest: DigestTexts;
}

/** Delivery notes and refills by verdict. */
export type NoteCounts = Record<Exclude<VerdictCode, 'waiting'>, number>;

/** Describes an event in the language of the texts. */
export function describeEvent<Type extends MailedType>(
  { describe }: Pick<Translation, 'describe'>,
  type: Type,
  data: MailedData[Type],
): EventTexts {
  return describe[type](data);
}
