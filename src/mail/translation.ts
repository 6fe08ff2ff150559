import type { VerdictCode } from '../deliveries/verdict_texts.ts';
import type { MailedData, MailedType, RetractionReason } from '../evaluation/pure/alerts/event_types.ts';

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

/** Delivery notes and refills by verdict. */
export type NoteCounts = Record<Exclude<VerdictCode, 'waiting'>, number>;

/** Describes an event in the language of the texts. */
export function describeEvent<Type extends MailedType>(
  { describe }: { describe: EventDescriptions },
  type: Type,
  data: MailedData[Type],
): EventTexts {
  return describe[type](data);
}
