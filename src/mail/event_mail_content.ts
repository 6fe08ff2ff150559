import type { MailedData, MailedType } from '../evaluation/pure/alerts/event_types.ts';
import type { Loss } from '../status/loss.ts';
import type { TankStatus } from '../status/tank_status.ts';
import type { Block, Fact, MailContent, Tone } from './layout.ts';
import { lossEmptyAt, lossOfEvent, lossSentence, safetyAdvice } from './loss_content.ts';
import { frameOf, type MailOrganization, type MailWriter, writerFor } from './mail_organization.ts';
import {
  callButton,
  forecastFacts,
  gaugeFacts,
  levelFacts,
  noTankUrl,
  placeFacts,
  plannedDelivery,
  roomOf,
  type TankUrl,
  tankLink,
} from './tank_facts.ts';
import { describeEvent } from './translation.ts';

/** An event with everything that a mail about it contains. */
export type MailedEvent = {
  [Type in MailedType]: {
    type: Type;
    occurred_at: string;
    data: MailedData[Type];
    organization: MailOrganization;
    status: TankStatus;
    /** True for a refill that also ended an alert. One mail reports both. */
    isRecovery?: boolean;
  };
}[MailedType];

const TONES: Readonly<Record<MailedType, Tone>> = {
  'tank.low_fill': 'warning',
  'tank.fill_recovered': 'good',
  'tank.order_due': 'warning',
  'tank.refilled': 'good',
  'tank.overfilled': 'warning',
  'tank.rapid_loss': 'urgent',
  'tank.unusual_use': 'warning',
  'tank.device_silent': 'neutral',
  'tank.device_reporting': 'good',
  'tank.gauge_unreliable': 'neutral',
  'tank.gauge_reliable': 'good',
  'device.battery_low': 'neutral',
};

/** The mail to a contact. It contains all facts for a decision: the address, the phone number, the volume. */
export function contactMail(event: MailedEvent, tankUrl: TankUrl = noTankUrl, nowMs: number = Date.now()): MailContent {
  const { type, data, organization, status } = event;
  const writer = writerFor(organization, status.tank);
  const { formats, texts } = writer;
  const { subject, sentence } = describeEvent(texts, type, data);
  const loss = lossIn(event);
  const emptyAtRate = loss === null ? null : lossEmptyAt(loss, nowMs, writer);
  const subjectEnd = emptyAtRate === null ? '' : `, ${emptyAtRate}`;
  const tone = TONES[type];
  const level = levelOf(event);
  const isCurrent = type !== 'tank.device_silent' && type !== 'tank.gauge_unreliable';
  const advice = adviceOf(event, writer, nowMs);
  const room = roomOf(status, writer);
  const facts = [
    ...placeFacts(status, writer),
    ...(level === null ? [] : levelFacts(status, level, writer, isCurrent)),
    ...(loss === null ? [] : readingFacts(status, writer)),
    ...(type === 'tank.device_silent' && status.forecast !== null
      ? [{ label: texts.labels.estimate, value: texts.about(formats.percent(status.forecast.fillPercentage)) }]
      : []),
    ...(type === 'tank.gauge_unreliable' ? gaugeFacts(status, writer) : []),
    // The forecast assumes normal use, so it is left out while the tank loses gas.
    ...(isCurrent && loss === null ? forecastFacts(status, writer) : []),
    ...(loss === null
      ? []
      : [{ label: texts.labels.loss, value: `${lossSentence(loss, status, writer)}; ${emptyAtRate}` }]),
    ...((type === 'tank.low_fill' || type === 'tank.order_due') && room !== null
      ? [{ label: texts.labels.room, value: room }]
      : []),
    { label: texts.labels.device, value: status.tank.assigned_device_id },
    ...alertFacts(event, loss, writer),
  ];
  return {
    ...frameOf(organization, writer),
    subject: `${status.tank.name} (${status.owner.name}): ${subject}${subjectEnd || (type === 'tank.low_fill' ? emptyIn(status, writer) : '')}`,
    heading: `${status.tank.name}: ${subject}`,
    tone,
    blocks: [
      { kind: 'paragraph', text: event.isRecovery ? `${sentence} ${texts.noLongerLow}` : sentence },
      ...(level !== null && isCurrent ? [levelBar(status, level, tone)] : []),
      ...(advice === '' ? [] : [{ kind: 'advice', title: texts.whatToDo, text: advice, tone } as const]),
      ...(type === 'tank.rapid_loss' ? callButton(status.owner.phone, writer) : []),
      { kind: 'facts', facts },
      ...tankLink(status, tankUrl, writer),
    ],
  };
}

/** The mail to the owner of a low or losing tank. */
export function customerMail(
  event: MailedEvent,
  tankUrl: TankUrl = noTankUrl,
  nowMs: number = Date.now(),
): MailContent {
  const loss = lossIn(event);
  if (loss !== null) return customerLossMail(event, loss, tankUrl, nowMs);
  if (event.type !== 'tank.low_fill') throw new Error(`customers get no mails about ${event.type}`);
  const { data, organization, status } = event;
  const writer = writerFor(organization, status.tank);
  const { texts } = writer;
  const { subject } = describeEvent(texts, event.type, data);
  const facts = [
    ...levelFacts(status, data.fill_percentage, writer, true),
    ...forecastFacts(status, writer),
    ...alertFacts(event, null, writer),
  ];
  return {
    ...frameOf(organization, writer),
    subject: `${status.tank.name}: ${subject}`,
    heading: `${status.tank.name}: ${subject}`,
    tone: 'warning',
    blocks: [
      { kind: 'paragraph', text: texts.greeting(status.owner.name) },
      { kind: 'paragraph', text: texts.lowFill(status.tank.name, data.fill_percentage, data.threshold_percentage) },
      levelBar(status, data.fill_percentage, 'warning'),
      ...orderAdvice(organization, status, writer, nowMs),
      { kind: 'facts', facts },
      ...tankLink(status, tankUrl, writer),
    ],
  };
}

/**
 * The mail to the owner, who may be beside a leaking tank: what to do, in the order of safety, then whom to call, then
 * the figures. It is also sent if the tank is low; only the figures show that.
 */
function customerLossMail(event: MailedEvent, loss: Loss, tankUrl: TankUrl, nowMs: number): MailContent {
  const { organization, status } = event;
  const writer = writerFor(organization, status.tank);
  const { texts } = writer;
  const level = status.reading?.fill_percentage ?? loss.to_percentage;
  const facts = [
    ...levelFacts(status, level, writer, true),
    ...readingFacts(status, writer),
    { label: texts.labels.loss, value: `${lossSentence(loss, status, writer)}; ${lossEmptyAt(loss, nowMs, writer)}` },
    ...alertFacts(event, loss, writer),
  ];
  return {
    ...frameOf(organization, writer),
    subject: `${status.tank.name}: ${texts.loss.subject}`,
    heading: `${texts.loss.heading}: ${status.tank.name}`,
    tone: 'urgent',
    blocks: [
      ...safetyAdvice(organization, status, writer),
      levelBar(status, level, 'urgent'),
      { kind: 'facts', facts },
      ...tankLink(status, tankUrl, writer),
    ],
  };
}

/** The time of the reading, which can be hours before the mail. */
const readingFacts = ({ reading }: TankStatus, { formats, texts }: MailWriter): Fact[] =>
  reading === null ? [] : [{ label: texts.labels.reading, value: formats.time(reading.created_at) }];

/** The time of the alert, unless it equals the time of the reading. */
const alertFacts = ({ occurred_at, status }: MailedEvent, loss: Loss | null, { formats, texts }: MailWriter): Fact[] =>
  loss !== null && status.reading !== null && formats.time(status.reading.created_at) === formats.time(occurred_at)
    ? []
    : [{ label: texts.labels.time, value: formats.time(occurred_at) }];

/** The current loss of the tank, or the loss that the event reports. */
function lossIn({ type, data, occurred_at, status }: MailedEvent): Loss | null {
  if (type === 'tank.low_fill' || type === 'tank.rapid_loss') {
    if (status.loss !== null) return status.loss;
    if (type === 'tank.rapid_loss') return lossOfEvent(data, occurred_at);
  }
  return null;
}

/** Advice on how to order, with a button that dials. If a planned delivery comes in time, the advice says so instead. */
export function orderAdvice(
  organization: MailOrganization,
  status: TankStatus,
  writer: MailWriter,
  nowMs: number,
): Block[] {
  const { name, phone, reply_to } = organization;
  const { whatToDo, order } = writer.texts;
  const planned = plannedDelivery(status, organization, writer, nowMs);
  return [
    {
      kind: 'advice',
      title: whatToDo,
      text: order({ name, phone, canReply: reply_to !== null }, planned),
      tone: 'warning',
    },
    ...(planned?.isInTime === true ? [] : callButton(phone, writer)),
  ];
}

export const levelBar = ({ tank }: TankStatus, fillPercentage: number, tone: Tone): Block => ({
  kind: 'level',
  fillPercentage,
  thresholdPercentage: tank.min_fill_alert_percentage,
  tone,
});

/** How long the content lasts; null if the current level is not known. */
const daysLeft = ({ forecast, reason }: TankStatus, { texts }: MailWriter): string | null =>
  forecast === null || reason !== null ? null : texts.days(forecast.daysToEmpty);

/** The advice to a contact; empty if there is nothing to do. */
function adviceOf({ type, status, organization }: MailedEvent, writer: MailWriter, nowMs: number): string {
  const { texts } = writer;
  if (type === 'tank.device_silent') return texts.silentAdvice(status.forecast !== null);
  if (type !== 'tank.low_fill' && type !== 'tank.order_due') return texts.advice[type];
  const days = daysLeft(status, writer);
  return texts.lowAdvice(
    { isEmpty: days !== null && status.forecast?.daysToEmpty.likely === 0, days, room: roomOf(status, writer) },
    plannedDelivery(status, organization, writer, nowMs),
  );
}

/** The end of a subject line; empty if there is no forecast. */
function emptyIn(status: TankStatus, writer: MailWriter): string {
  const days = daysLeft(status, writer);
  return days === null ? '' : `, ${writer.texts.emptyIn(days)}`;
}

/** The level after the event, or the last known one. */
function levelOf({ type, data, status }: MailedEvent): number | null {
  if (type === 'tank.refilled') return data.after_percentage;
  if (type === 'tank.rapid_loss')
    return status.loss === null ? data.to_percentage : (status.reading?.fill_percentage ?? data.to_percentage);
  if (type === 'tank.unusual_use') return data.to_percentage;
  // The readings of an unreliable gauge are not used as a level.
  if (type === 'tank.gauge_unreliable') return status.lastReliable?.fill_percentage ?? null;
  if (type === 'tank.device_silent' || type === 'tank.device_reporting' || type === 'device.battery_low')
    return status.reading?.fill_percentage ?? null;
  return data.fill_percentage;
}
