import { commonOffsetOf } from '../deliveries/verdict_texts.ts';
import type { CatalogTank, TankStatus } from '../status/tank_status.ts';
import { commonProduct, PRODUCTS, productOf, type TankContents } from '../values/products.ts';
import type { Digest, DigestRefill, DigestSection, DigestTank } from './digest_content.ts';
import type { Block, ListItem, MailContent, Tone } from './layout.ts';
import { lossAmount, lossEmptyAt, lossSentence } from './loss_content.ts';
import { frameOf, type MailOrganization, type MailWriter, writerFor } from './mail_organization.ts';
import { contactDetails, estimatedText, gaugeText, noTankUrl, roomOf, type TankUrl, withKey } from './tank_facts.ts';

/** The daily mail to a contact. The most urgent section comes first; empty sections are left out. */
export function digestMail(
  organization: MailOrganization,
  digest: Digest,
  nowMs: number,
  tankUrl: TankUrl = noTankUrl,
  consoleUrl?: string,
): MailContent {
  const writer = writerFor(organization, contentsOf(organization, digest));
  const { formats, texts } = writer;
  const { losing, low, gauge, due, silent, refilled, rounds, notes } = digest;
  const commonOffset = commonOffsetOf(notes?.commonOffset ?? null);
  const counts = {
    losing: losing.total,
    low: low.total,
    gauge: gauge.total,
    due: due.total,
    silent: silent.total,
    refilled: refilled.total,
  };
  const day = formats.day(new Date(nowMs).toISOString());
  const section = <Item extends { tank: CatalogTank }>(
    title: (tanks: number) => string,
    tone: Tone,
    { total, listed }: DigestSection<Item>,
    itemOf: (item: Item, writer: MailWriter) => ListItem,
  ): Block[] => {
    const more = total > listed.length ? texts.digest.more(total - listed.length) : undefined;
    const items = listed.map((item) => ({ ...itemOf(item, writer), url: tankUrl(item.tank.id) }));
    return total === 0 ? [] : [{ kind: 'list', title: title(total), tone, items, more }];
  };
  const blocks = [
    ...section(texts.digest.losing, 'urgent', losing, (tank) => losingItem(tank, writer, nowMs)),
    ...section(texts.digest.low, 'warning', low, (tank) => lowItem(tank, writer, nowMs)),
    ...section(texts.digest.gauge, 'neutral', gauge, gaugeItem),
    ...section(texts.digest.due, 'warning', due, (tank) => dueItem(tank, writer, nowMs)),
    ...section(texts.digest.silent, 'neutral', silent, silentItem),
    ...section(texts.digest.refilled, 'good', refilled, refilledItem),
    ...(digest.handled === 0 ? [] : [{ kind: 'paragraph', text: texts.digest.handled(digest.handled) } as const]),
    ...(consoleUrl === undefined ? [] : [{ kind: 'link', label: texts.openAll, url: `${consoleUrl}/` } as const]),
  ];
  return {
    ...frameOf(organization, writer),
    subject: `${organization.name}, ${day}: ${texts.digest.summary(counts)}`,
    heading: texts.digest.heading(day),
    tone: losing.total > 0 ? 'urgent' : low.total + due.total > 0 ? 'warning' : 'neutral',
    blocks: [
      { kind: 'paragraph', text: texts.digest.summary(counts) || texts.digest.nothing },
      ...(rounds === null ? [] : [{ kind: 'paragraph', text: texts.digest.rounds(rounds) } as const]),
      ...(notes === undefined ? [] : [{ kind: 'paragraph' as const, text: texts.digest.notes(notes) }]),
      ...(commonOffset === null ? [] : [{ kind: 'paragraph' as const, text: commonOffset.texts[formats.language] }]),
      ...blocks,
    ],
  };
}

/**
 * The product whose words the digest uses: the common product of the losing tanks, or the default of the organization.
 */
function contentsOf({ default_product }: MailOrganization, { losing }: Digest): TankContents {
  const product = commonProduct(losing.listed.map(({ tank }) => tank.product)) ?? productOf(default_product);
  return { product, fill_limit_percentage: PRODUCTS[product].fillLimit, has_own_limit: false };
}

/** The parts that the items of all tanks have in common. */
const headOf = (
  { tank, owner, isNew }: DigestTank,
  { texts }: MailWriter,
): Pick<ListItem, 'title' | 'mark' | 'details'> => ({
  title: withKey(tank.name, tank.custom_id),
  mark: isNew ? texts.digest.isNew : undefined,
  details: contactDetails(tank, owner),
});

function losingItem(status: DigestTank, writer: MailWriter, nowMs: number): ListItem {
  const { formats, texts } = writer;
  const { loss, reading } = status;
  const { from_percentage, to_percentage } = loss ?? {};
  const level = reading === null ? '?' : formats.percent(reading.fill_percentage);
  const hasFallen = from_percentage !== undefined && to_percentage === reading?.fill_percentage;
  return {
    ...headOf(status, writer),
    value: hasFallen ? `${formats.number(from_percentage)} → ${level}` : level,
    facts: [
      ...(loss === null
        ? []
        : [lossEmptyAt(loss, nowMs, writer), (hasFallen ? lossAmount : lossSentence)(loss, status, writer)]),
      ...(reading === null ? [] : [texts.digest.lastReading(formats.shortTime(reading.created_at))]),
    ],
  };
}

function gaugeItem(status: DigestTank, writer: MailWriter): ListItem {
  const { formats, texts } = writer;
  const { lastReliable } = status;
  return {
    ...headOf(status, writer),
    value: lastReliable === null ? '?' : texts.digest.was(formats.percent(lastReliable.fill_percentage)),
    facts: [gaugeText(status, writer)],
  };
}

function lowItem(tank: DigestTank, writer: MailWriter, nowMs: number): ListItem {
  const { texts } = writer;
  const empty =
    tank.forecast === null || tank.reason !== null ? [] : [texts.emptyIn(texts.days(tank.forecast.daysToEmpty))];
  return tankItem(tank, writer, nowMs, empty);
}

function dueItem(tank: DigestTank, writer: MailWriter, nowMs: number): ListItem {
  const { texts } = writer;
  if (tank.waiting.some(({ kind }) => kind === 'low_confirmation')) {
    return tankItem(tank, writer, nowMs, [texts.digest.unconfirmed]);
  }
  const { forecast } = tank;
  const times =
    forecast === null
      ? []
      : [texts.digest.inDays(texts.days(forecast.daysToThreshold)), texts.emptyIn(texts.days(forecast.daysToEmpty))];
  return tankItem(tank, writer, nowMs, times);
}

function tankItem(status: DigestTank, writer: MailWriter, nowMs: number, forecast: readonly string[]): ListItem {
  const { formats, texts } = writer;
  const { tank, reason, volumeLeft } = status;
  const room = roomOf(status, writer);
  const estimated = estimatedText(status, writer);
  const known = [
    ...(volumeLeft === null ? [] : [texts.digest.left(formats.volume(volumeLeft, tank.capacity_unit))]),
    ...(room === null ? [] : [texts.digest.room(room)]),
    ...(status.plannedOn ? [texts.digest.planned(formats.dayToCome(status.plannedOn, nowMs))] : []),
  ];
  const doubts = {
    silent: [texts.digest.silentDevice],
    'gauge unreliable': [texts.digest.unreliableGauge],
    'no reading yet': [],
    'not evaluated yet': [],
    unclear: [],
  };
  return {
    ...headOf(status, writer),
    value: levelNow(status, writer),
    facts: [forecast, known, estimated === null ? [] : [estimated], reason === null ? [] : doubts[reason]]
      .filter((part) => part.length > 0)
      .map((part) => part.join(' · ')),
  };
}

/** The estimated level, or the last reading of a tank whose current level is not known. */
function levelNow({ forecast, reason, reading }: TankStatus, { formats, texts }: MailWriter): string {
  if (reason === null) return forecast === null ? '?' : formats.percent(forecast.fillPercentage);
  return reading === null ? '?' : texts.digest.was(formats.percent(reading.fill_percentage));
}

function silentItem(status: DigestTank, writer: MailWriter): ListItem {
  const { formats, texts } = writer;
  const { reading, forecast } = status;
  const known = [
    ...(reading === null ? [] : [texts.digest.lastReading(formats.shortTime(reading.created_at))]),
    ...(forecast === null ? [] : [texts.digest.estimated(formats.percent(forecast.fillPercentage))]),
  ];
  return {
    ...headOf(status, writer),
    value: levelNow(status, writer),
    facts: known,
  };
}

function refilledItem(event: DigestRefill, { formats, texts }: MailWriter): ListItem {
  const { tank, owner, data, occurred_at } = event;
  const delivered = texts.digest.delivered(formats.volume(data.delivered_volume, data.volume_unit));
  return {
    title: withKey(tank.name, tank.custom_id),
    value: `${formats.number(data.before_percentage)} → ${formats.percent(data.after_percentage)}`,
    facts: [
      `${delivered}${data.maybe_gauge_fault ? ` (${texts.digest.maybeGaugeFault})` : ''} · ${formats.shortTime(occurred_at)}`,
    ],
    details: [[{ text: withKey(owner.name, owner.external_key) }]],
  };
}
