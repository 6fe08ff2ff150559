import type { RoundsOfDay } from '../deliveries/rounds_of_day.ts';
import type { DaysRange } from '../evaluation/pure/estimator/forecast.ts';
import { SIGN_IN_MINUTES } from '../keys/sign_in_validity.ts';
import type { CapacityUnit } from '../values/capacity_unit.ts';
import { CALL_CUSTOMER } from '../values/leak_words.ts';
import { capitalized, type TankContents } from '../values/products.ts';
import { batteryText } from './device_mail_texts.ts';
import { type Formats, listOf } from './locale.ts';
import { ORDER_TEXTS } from './order_texts.ts';
import type { ProductWords } from './product_words.ts';
import { roundDays, roundSpan } from './rounded_days.ts';
import type { DigestCounts, EventDescriptions, NoteCounts, RetractionTexts, UnreliableGauge } from './translation.ts';

export const ENGLISH = (formats: Formats, { fill_limit_percentage }: TankContents, words: ProductWords) => ({
  greeting: (name: string) => `Hello ${name},`,
  ...ORDER_TEXTS.en(words.noun),
  describe: describe(formats, words),
  /** The advice to a contact about an event; empty if there is nothing to do. */
  advice: {
    'tank.fill_recovered': '',
    'tank.refilled': 'Compare the volume with the delivery note.',
    'tank.overfilled': words.isGas
      ? 'Have the excess taken out soon: the gas expands in the heat, and the safety valve may open. Compare the volume with the delivery note.'
      : 'Look whether something has run out. Compare the volume with the delivery note.',
    'tank.rapid_loss': `${CALL_CUSTOMER.en} ${words.leak.say} Then have the tank checked for a leak.`,
    'tank.unusual_use':
      'Ask the customer whether the tank is used. If not, have it checked for a leak or a theft. If it is, the forecast already follows the new use.',
    'tank.device_reporting': '',
    'tank.gauge_unreliable': 'Have the sensor checked. Until then, its readings raise no alerts.',
    'tank.gauge_reliable': '',
    'device.battery_low': 'Replace the battery before the device is silent.',
  },
  /** The advice to a contact about a silent device. `isEstimated` is true if the mail contains the level expected at normal use. */
  silentAdvice: (isEstimated: boolean) =>
    `Check the battery and the radio connection of the device. Until it reports again, plan with ${isEstimated ? 'the estimate below' : 'the last known level'}.`,
  /** The label of a button that dials. */
  call: (phone: string) => `Call ${phone}`,
  whatToDo: 'What to do',
  labels: {
    tank: 'Tank',
    customer: 'Customer',
    phone: 'Phone',
    address: 'Address',
    level: 'Level',
    lastLevel: 'Last known level',
    estimate: 'Now, at usual use',
    volume: `${capitalized(words.noun)} left`,
    toThreshold: 'Reaches threshold in',
    toEmpty: 'Empty in',
    room: `Fits up to ${formats.percent(fill_limit_percentage)}`,
    planned: 'Delivery planned',
    loss: 'Loss',
    reading: 'Reading of',
    gauge: 'Gauge',
    device: 'Device',
    time: 'Alert of',
  },
  /** The estimated range of a tank without a sensor. `days` is null if it has no manual reading yet. */
  estimated: (range: { low: string; high: string } | null, days: number | null) => {
    const estimated = range === null ? 'Estimated' : `Estimated, ${range.low} to ${range.high}`;
    if (days === null) return `${estimated}; no manual reading yet.`;
    return `${estimated}; last manual reading ${days === 0 ? 'today' : days === 1 ? '1 day ago' : `${days} days ago`}.`;
  },
  levelAndThreshold: (level: string, threshold: string) => `${level} (alert threshold ${threshold})`,
  volumeOf: (volume: number, capacity: number, unit: CapacityUnit) =>
    `about ${formats.wholeNumber(volume)} of ${formats.volume(capacity, unit)}`,
  /** Writes a level as an estimate. */
  about: (level: string) => `about ${level}`,
  /** A number of days with its range. */
  days: (range: DaysRange) => {
    const { likely, earliest, latest, hasRange } = roundDays(range);
    if (range.likely === 0) return 'now';
    if (likely === null) return 'more than two years';
    const about = likely === 0 ? 'less than a day' : `about ${formats.number(likely)} ${likely === 1 ? 'day' : 'days'}`;
    if (!hasRange || earliest === null) return about;
    return latest === null
      ? `${about} (${formats.number(earliest)} or more)`
      : `${about} (${formats.number(earliest)} to ${formats.number(latest)})`;
  },
  emptyIn: (days: string) => (days === 'now' ? 'empty now' : `empty in ${days}`),
  lowFill: (tank: string, fill: number, threshold: number) =>
    `Your tank ${tank} is at ${formats.percent(fill)}. Its alert threshold is ${formats.percent(threshold)}.`,
  stillLow: (tank: string, threshold: number) =>
    `Your tank ${tank} is still at or below ${formats.percent(threshold)}.`,
  stillLowSubject: (tank: string) => `Reminder: ${tank} is still low`,
  lastReading: (fill: number, at: string) => `The last reading was ${formats.percent(fill)}, on ${formats.time(at)}.`,
  sentBy: (organization: string, phone: string | null) =>
    `Sent by Tankwatch for ${organization}${phone === null ? '.' : `, ${phone}.`}`,
  timesIn: (zone: string) => `Time zone: ${zone}`,
  unsubscribe: 'Unsubscribe from reminders',
  whyReminders: 'You get reminders while a tank is low. Use the link above to unsubscribe.',
  invitation: {
    subject: (organization: string) => `${organization}: please confirm your email address`,
    heading: 'Confirm your email address',
    sentences: (organization: string) => [
      `${organization} wants to send you an email when one of your tanks is low or may be leaking.`,
      'Please confirm that this is your email address. If you did not expect this email, ignore it.',
    ],
    button: 'Confirm my email address',
    validity: 'The link is valid for 14 days.',
  },
  signIn: {
    subject: (organizations: string) => `Sign in to ${organizations}`,
    heading: 'Sign in',
    typeCode: 'Type this code on the page where you asked for it:',
    orOpen: 'Or open this link, on any device:',
    button: 'Sign in',
    validity: `The code and the link are valid once, for ${SIGN_IN_MINUTES} minutes.`,
    /** What to do if the recipient did not ask for the mail. */
    notYou: (organizations: string) =>
      `If you did not ask to sign in, ignore this email: nobody can sign in without it. Do not give the code to anybody. ${organizations} never asks for it.`,
  },
  /** The label of a link to the page of a tank in the console. */
  openTank: 'See this tank and its history',
  openAll: 'See all in the console',
  disabled: {
    subject: 'A webhook was disabled',
    gone: 'The endpoint answered with status 410 (Gone).',
    failing: 'The endpoint has not accepted any event for five days.',
    endpoint: (host: string) => `The webhook to ${host} was disabled and receives no more events.`,
    remedy:
      'When the endpoint works again, ask your operator to enable the webhook and to send the missed events again.',
  },
  sample: {
    subject: (organization: string) => `${organization}: test of your alerts`,
    heading: 'This is a test',
    sentence: (email: string) => `Alerts of Tankwatch reach ${email}. There is nothing to do.`,
    example: 'Example of a level',
  },
  loss: loss(formats, words),
  retraction: retraction(formats, words),
  /** The beginning of the subject and of the text of a mail about a condition that returned. */
  returned: {
    mark: 'Still open:',
    sentence: {
      worse: 'Somebody is handling this tank, but the problem has become worse since.',
      expired: 'Somebody handled this tank until now. The problem is still open.',
      unmuted: 'This tank is no longer muted. The problem is still open.',
    },
  },
  gauge: gaugeText,
  /** Added to the mail about a refill. */
  noLongerLow: 'The tank is no longer low.',
  digest: digest(formats, words),
});

/** All texts of mails in one language. */
export type Translation = ReturnType<typeof ENGLISH>;

const describe = (formats: Formats, { noun }: ProductWords): EventDescriptions => ({
  'tank.low_fill': ({ fill_percentage, threshold_percentage }) => ({
    subject: `low, at ${formats.percent(fill_percentage)}`,
    sentence: `The tank is at ${formats.percent(fill_percentage)}. Its alert threshold is ${formats.percent(threshold_percentage)}.`,
  }),
  'tank.fill_recovered': ({ fill_percentage }) => ({
    subject: `no longer low, at ${formats.percent(fill_percentage)}`,
    sentence: `The tank is above its alert threshold again, at ${formats.percent(fill_percentage)}.`,
  }),
  'tank.order_due': ({ fill_percentage, threshold_percentage }) => ({
    subject: `order now, at ${formats.percent(fill_percentage)}`,
    sentence: `The tank is at ${formats.percent(fill_percentage)}. Its order threshold is ${formats.percent(threshold_percentage)}.`,
  }),
  'tank.refilled': ({ before_percentage, after_percentage, delivered_volume, volume_unit, maybe_gauge_fault }) => ({
    subject: `refilled to ${formats.percent(after_percentage)}${maybe_gauge_fault ? ', or the gauge was wrong' : ''}`,
    sentence: `The level rose from ${formats.percent(before_percentage)} to ${formats.percent(after_percentage)}. About ${formats.volume(delivered_volume, volume_unit)} were delivered${maybe_gauge_fault ? ', or the gauge was wrong before' : ''}.`,
  }),
  'tank.overfilled': ({ fill_percentage, limit_percentage, without_delivery }) => ({
    subject: `overfilled, ${without_delivery ? 'at' : 'to'} ${formats.percent(fill_percentage)}`,
    sentence: `${without_delivery ? 'The level rose without a delivery,' : 'The tank was filled'} to about ${formats.percent(fill_percentage)}. It may be filled to ${formats.percent(limit_percentage)}.`,
  }),
  'tank.rapid_loss': ({ from_percentage, to_percentage, hours, lost_volume, volume_unit }) => ({
    subject: `losing ${noun}`,
    sentence: `The level fell from ${formats.percent(from_percentage)} to ${formats.percent(to_percentage)} within ${formats.number(hours)} ${hours === 1 ? 'hour' : 'hours'}, about ${formats.volume(lost_volume, volume_unit)}. This is faster than normal use.`,
  }),
  'tank.unusual_use': ({ from_percentage, to_percentage, hours, used_volume, usual_volume_per_day, volume_unit }) => ({
    subject: 'unusual use',
    sentence: `The level fell from ${formats.percent(from_percentage)} to ${formats.percent(to_percentage)} within ${span(formats, hours)}, about ${formats.volume(used_volume, volume_unit)}. Usual use of this tank is at most about ${formats.volume(usual_volume_per_day, volume_unit)} a day. This can be new use, a slow leak or a theft.`,
  }),
  'tank.device_silent': ({ last_reading_at, silent_for_hours, usual_interval_hours: usual }) => ({
    subject: 'device is silent',
    sentence: `The last reading is of ${formats.time(last_reading_at)}, ${span(formats, silent_for_hours)} before this alert.${usual === undefined ? '' : ` The device usually reports every ${span(formats, usual, true)}.`} The current level is unknown.`,
  }),
  'tank.device_reporting': ({ silent_since }) => ({
    subject: 'device reports again',
    sentence: `The device reports again. It had been silent since ${formats.time(silent_since)}.`,
  }),
  'tank.gauge_unreliable': ({ reason, since, fill_percentage }) => ({
    subject: 'its gauge is unreliable',
    sentence:
      reason === 'stuck_at_limit'
        ? `The gauge has shown exactly ${formats.percent(fill_percentage)} since ${formats.time(since)}, which neither use nor a delivery explains.`
        : `The readings of the gauge have contradicted each other since ${formats.time(since)}.`,
  }),
  'tank.gauge_reliable': ({ unreliable_since, fill_percentage }) => ({
    subject: 'its gauge is reliable again',
    sentence: `The gauge shows ${formats.percent(fill_percentage)} and is reliable again. It had been unreliable since ${formats.time(unreliable_since)}.`,
  }),
  'device.battery_low': (battery) => ({
    subject: 'the battery of its device is low',
    sentence: `The device ${battery.device_id} reports a low battery${batteryText(battery, formats, ': ')}.`,
  }),
});

/** A time span as text, such as 36 hours or 9 days. */
function span(formats: Formats, hours: number, isInterval = false): string {
  const { count, isDays } = roundSpan(hours);
  const unit = isDays ? 'day' : 'hour';
  return count === 1 ? `${isInterval ? '' : '1 '}${unit}` : `${formats.number(count)} ${unit}s`;
}

const loss = (formats: Formats, { noun, leak }: ProductWords) => ({
  fall: (from: string, to: string) => `${from} to ${to}`,
  amount: ({ volume, hours, perHour }: { volume: string; hours: number; perHour: string }) =>
    `about ${volume} in ${formats.number(hours)} ${hours === 1 ? 'hour' : 'hours'}, ${perHour} an hour`,
  stopped: 'the level no longer falls',
  emptyNow: 'empty now at this rate',
  /** When the tank is empty at the rate of the loss. The day is null if it is today. */
  emptyAt: (time: string, day: string | null) =>
    `empty ${day === null ? 'at about' : `on ${day}, at about`} ${time} at this rate`,
  /** The subject of the owner's mail. */
  subject: `possible ${noun} leak`,
  heading: `Possible ${noun} leak`,
  whatToDo: 'What to do, in this order',
  /** The advice, in the order of safety. */
  steps: (emergencyNumber: string, organization: string, phone: string | null) => [
    ...leak.first,
    `${leak.call}: ${leak.emergencyIf === null ? '' : `${emergencyNumber} ${leak.emergencyIf}; `}${organization}${phone === null ? '' : ` (${phone})`} ${leak.supplierIf}.`,
    `${leak.stay} ${leak.stayUntil(organization)}`,
  ],
  canBeWrong: leak.canBeWrong,
  /** Null if no call to the emergency number is needed. */
  callEmergency: leak.emergencyIf === null ? null : leak.callFrom,
  callOrganization: (organization: string, phone: string) => leak.callFrom(`${organization}, ${phone}`),
});

/** The texts of a current loss. */
export type LossTexts = ReturnType<typeof loss>;

const retraction = (formats: Formats, { leak }: ProductWords): RetractionTexts => ({
  subject: (tank) => `Correction: ${tank}`,
  sentence({ tank, reported, because, level, emergencyNumber }) {
    const messages = listOf(
      formats.tag,
      reported.map(({ subject, at }) => `“${subject}” (${at})`),
    );
    const why = {
      gauge_fault: `The gauge of ${tank} was wrong for a while`,
      gauge_corrected: `The description of the gauge of ${tank} was corrected, and with it all its levels`,
      evaluation_fault: `A Tankwatch release evaluated the readings of ${tank} wrongly`,
      late_readings: `Late readings of ${tank} have corrected its history`,
    }[because ?? 'late_readings'];
    const now = level === null ? '' : `, and the gauge shows ${level} now`;
    const smell = emergencyNumber === null || leak.emergencyIf === null ? '' : `; ${leak.allTheSame(emergencyNumber)}`;
    return `${why}: we retract ${messages}${now}${smell}.`;
  },
});

/** An unreliable gauge: since when, the last reliable reading, and what it shows now. */
const gaugeText = ({ since, lastReliable, shown, isStuck }: UnreliableGauge): string => {
  const now =
    since !== null && shown !== null && isStuck
      ? [`since ${since.at} it shows ${shown}`]
      : [since && `unreliable since ${since.at}`, shown && `it shows ${shown} now`];
  return [lastReliable && `${lastReliable.level} on ${lastReliable.at}`, ...now]
    .filter((part) => part !== null)
    .join('; ');
};

const digest = ({ number }: Formats, { noun }: ProductWords) => ({
  /** The number of tanks in each section, without empty sections. */
  summary({ losing, low, gauge, due, silent, refilled }: DigestCounts) {
    const parts = [
      losing > 0 ? `${number(losing)} losing ${noun}` : '',
      low > 0 ? `${number(low)} low` : '',
      gauge > 0 ? `${number(gauge)} with an unreliable gauge` : '',
      due > 0 ? `${number(due)} low soon` : '',
      silent > 0 ? `${number(silent)} silent` : '',
      refilled > 0 ? `${number(refilled)} refilled` : '',
    ];
    return parts.filter((part) => part !== '').join(', ');
  },
  heading: (day: string) => `Your tanks on ${day}`,
  losing: (tanks: number) => `Losing ${noun} (${number(tanks)})`,
  low: (tanks: number) => `Low now (${number(tanks)})`,
  gauge: (tanks: number) => `Gauge unreliable (${number(tanks)})`,
  due: (tanks: number) => `Low within 3 days (${number(tanks)})`,
  silent: (tanks: number) => `Silent devices (${number(tanks)})`,
  refilled: (tanks: number) => `Refilled (${number(tanks)})`,
  notes({ consistent, not_consistent, cannot_be_told, note_without_refill, refill_without_note }: NoteCounts) {
    const alone = [
      note_without_refill > 0
        ? `${number(note_without_refill)} ${note_without_refill === 1 ? 'note' : 'notes'} without refill`
        : '',
      refill_without_note > 0
        ? `${number(refill_without_note)} ${refill_without_note === 1 ? 'refill' : 'refills'} without note`
        : '',
    ].filter((part) => part !== '');
    const compared = `Delivery notes: ${number(consistent)} ${consistent === 1 ? 'matches' : 'match'}, ${number(not_consistent)} ${not_consistent === 1 ? 'does' : 'do'} not match, ${number(cannot_be_told)} cannot be compared`;
    return `${[compared, alone.join(', ')].filter((part) => part !== '').join('; ')}.`;
  },
  /** The number of handled tanks, which are in no section. */
  handled: (tanks: number) =>
    tanks === 1 ? 'Somebody is handling 1 more tank.' : `Somebody is handling ${number(tanks)} more tanks.`,
  nothing: `No tank is low, losing ${noun}, silent or due, and none was refilled.`,
  isNew: 'new',
  more: (tanks: number) => `and ${number(tanks)} more`,
  left: (volume: string) => `${volume} left`,
  room: (volume: string) => `${volume} fit`,
  inDays: (days: string) => `low in ${days}`,
  /** The outcomes of yesterday's rounds. */
  rounds: ({ stops, delivered, notPossible }: RoundsOfDay) =>
    `Yesterday: ${number(delivered)} of ${number(stops)} ${stops === 1 ? 'stop' : 'stops'} done${notPossible > 0 ? `, ${number(notPossible)} not possible` : ''}.`,
  planned: (day: string) => `delivery planned: ${day}`,
  unconfirmed: 'a low reading is not confirmed yet',
  delivered: (volume: string) => `about ${volume}`,
  maybeGaugeFault: 'or the gauge was wrong',
  lastReading: (at: string) => `last reading ${at}`,
  /** The last reading of a tank whose current level is not known. */
  was: (level: string) => `was ${level}`,
  /** The level of a silent tank at normal use. */
  estimated: (level: string) => `at usual use, now about ${level}`,
  silentDevice: 'the device is silent',
  unreliableGauge: 'the gauge is unreliable',
});

/** The texts of a digest. */
export type DigestTexts = ReturnType<typeof digest>;
