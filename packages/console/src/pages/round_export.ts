import type { TankStatus } from '@tankwatch/client';
import { csvOf } from '../csv.ts';
import type { Format } from '../format.ts';
import { addressOf, isOutdated, levelOf, nameOf, oldLevel, printedNotes, roomOf } from '../status.ts';
import { dueTexts, emptyTexts } from '../time_texts.ts';
import type { Words } from '../words/words.ts';

interface Texted {
  words: Words;
  format: Format;
  fillTo: number;
  nowMs: number;
}

/** The stops for a routing program. */
export function roundCsv(stops: readonly TankStatus[], { words, format, fillTo, nowMs }: Texted): string {
  const header = [
    words.fleet.columns.tank,
    words.customers.number,
    words.tank.customer,
    words.customers.phone,
    words.round.address,
    words.round.latitude,
    words.round.longitude,
    words.fleet.columns.level,
    words.fleet.columns.room(format.percent(fillTo)),
    words.round.due,
    words.fleet.columns.empty,
  ];
  const rows = stops.map((status) => {
    const room = roomOf(status, fillTo);
    return [
      status.tank.name,
      status.tank.custom_id ?? '',
      status.owner.name,
      status.owner.phone ?? '',
      addressOf(status),
      status.tank.location.latitude ?? '',
      status.tank.location.longitude ?? '',
      levelOf(status) ?? '',
      room === null ? '' : Math.round(room),
      dueTexts(status, nowMs, words, format).main,
      emptyTexts(status, nowMs, words, format).main,
    ];
  });
  return csvOf([header, ...rows]);
}

/** The stops for a message to the driver, two lines each. */
export function roundText(stops: readonly TankStatus[], { words, format, fillTo, nowMs }: Texted): string {
  return stops
    .map((status, at) => {
      const level = levelOf(status);
      const shown = level === null ? words.values.noReading : format.percent(level);
      const room = roomOf(status, fillTo);
      const facts = [
        isOutdated(status) ? oldLevel(status, shown, words.values) : shown,
        `${words.fleet.columns.room(format.percent(fillTo))}: ${room === null ? words.values.unknown : format.volume(room, status.tank.capacity_unit)}`,
        `${words.round.due}: ${dueTexts(status, nowMs, words, format).main}`,
        `${words.fleet.columns.empty}: ${emptyTexts(status, nowMs, words, format).main}`,
      ];
      const where = [addressOf(status), status.owner.phone ?? '', ...printedNotes(status)].filter(
        (part) => part !== '',
      );
      return `${at + 1}. ${nameOf(status.tank)}, ${status.owner.name}: ${facts.join(' · ')}\n   ${where.join(' · ')}`;
    })
    .join('\n');
}
