import type { EventData } from '../evaluation/pure/alerts/event_types.ts';
import type { Loss } from '../status/loss.ts';
import type { TankStatus } from '../status/tank_status.ts';
import { ownStepsFor, productOf } from '../values/products.ts';
import { tenth } from '../values/tenth.ts';
import { HOUR_MS } from '../values/time.ts';
import { emergencyNumber } from './emergency_number.ts';
import type { Block } from './layout.ts';
import { isOneDay } from './locale.ts';
import type { MailOrganization, MailWriter } from './mail_organization.ts';
import { phoneUrl } from './tank_facts.ts';

/** A loss as text, such as "64 % to 34 %, about 150 gallons in 9 hours, 16.7 gallons an hour". */
export function lossSentence(loss: Loss, status: Pick<TankStatus, 'tank'>, writer: MailWriter): string {
  const { formats, texts } = writer;
  const fall = texts.loss.fall(formats.percent(loss.from_percentage), formats.percent(loss.to_percentage));
  return `${fall}, ${lossAmount(loss, status, writer)}`;
}

/** The loss without the levels. Its hours follow from its rate, because after a delivery it ends before the latest reading. */
export function lossAmount(loss: Loss, { tank }: Pick<TankStatus, 'tank'>, { formats, texts }: MailWriter): string {
  const { from_percentage, to_percentage, percentage_per_hour: rate, began_at, seen_at } = loss;
  const hours =
    rate === 0 ? (Date.parse(seen_at) - Date.parse(began_at)) / HOUR_MS : (from_percentage - to_percentage) / rate;
  return texts.loss.amount({
    volume: formats.volume(loss.volume, tank.capacity_unit),
    hours: tenth(hours),
    perHour: formats.volume(loss.volume_per_hour, tank.capacity_unit),
  });
}

/** The time is rounded to this step, because the rate is not more exact. */
const EMPTY_AT_STEP_MS = 10 * 60_000;

/** A text such as "empty at about 9:20 AM at this rate". It has a time and no number of hours: the mail may be read later. */
export function lossEmptyAt({ empty_at }: Loss, nowMs: number, { formats, texts }: MailWriter): string {
  if (empty_at === null) return texts.loss.stopped;
  const emptyMs = Date.parse(empty_at);
  if (emptyMs <= nowMs) return texts.loss.emptyNow;
  const at = new Date(Math.round(emptyMs / EMPTY_AT_STEP_MS) * EMPTY_AT_STEP_MS).toISOString();
  const isToday = isOneDay(formats, at, new Date(nowMs).toISOString());
  return texts.loss.emptyAt(formats.clock(at), isToday ? null : formats.day(at));
}

/** The loss as the event reported it, for a tank that no longer counts as losing. */
export function lossOfEvent(
  { from_percentage, to_percentage, hours, lost_volume }: EventData['tank.rapid_loss'],
  occurredAt: string,
): Loss {
  const atMs = Date.parse(occurredAt);
  const perHour = hours === 0 ? 0 : Math.max(0, from_percentage - to_percentage) / hours;
  return {
    began_at: new Date(atMs - hours * HOUR_MS).toISOString(),
    seen_at: occurredAt,
    from_percentage,
    to_percentage,
    volume: lost_volume,
    percentage_per_hour: perHour,
    volume_per_hour: hours === 0 ? 0 : tenth(lost_volume / hours),
    empty_at: perHour === 0 ? null : new Date(atMs + (to_percentage / perHour) * HOUR_MS).toISOString(),
  };
}

/** Advice for a person beside a leaking tank: first the steps, in the order of safety, then whom to call. */
export function safetyAdvice(
  organization: MailOrganization,
  { tank }: Pick<TankStatus, 'tank'>,
  { texts }: MailWriter,
): Block[] {
  const { name, phone, safety_steps, default_product } = organization;
  const { callEmergency } = texts.loss;
  const number = emergencyNumber(organization);
  const button = (label: string, phoneNumber: string): Block[] => {
    const url = phoneNumber.length >= 5 ? phoneUrl(phoneNumber) : `tel:${phoneNumber}`;
    return url === undefined ? [] : [{ kind: 'button', label, url }];
  };
  return [
    {
      kind: 'steps',
      title: texts.loss.whatToDo,
      steps:
        ownStepsFor(tank.product, productOf(default_product), safety_steps) ?? texts.loss.steps(number, name, phone),
      tone: 'urgent',
    },
    ...(callEmergency === null ? [] : button(callEmergency(number), number)),
    ...(phone === null ? [] : button(texts.loss.callOrganization(name, phone), phone)),
    { kind: 'paragraph', text: texts.loss.canBeWrong },
  ];
}
