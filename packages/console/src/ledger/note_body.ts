import type { DeliveryNote, NewDeliveryNote } from '@tankwatch/client';
import { zonedMinute } from '../../../../src/values/zoned_time.ts';
import type { Request } from '../change/use_change.ts';
import { dayOf } from './note_day.ts';

/** A time as the value of an input of type datetime-local, as a clock of the organization shows it. */
export const localTime = (ms: number, zone: string): string => zonedMinute(ms, zone).replace(' ', 'T');

/** The body that replaces a stored note. It has all fields, also those that a form does not show: PUT replaces the whole note. */
export const bodyOf = (note: DeliveryNote, zone: string): NewDeliveryNote => ({
  at: note.precision === 'day' ? dayOf(note.at, zone) : note.at,
  volume: note.volume,
  unit: note.unit,
  tank: note.tank_id,
  customer: note.tank_id === null ? note.customer_id : null,
  truck: note.truck_id,
  driver: note.driver_id,
  compensated: note.compensated,
  product_temperature: note.product_temperature,
  filled_to: note.filled_to,
  status: note.status,
});

/** Series and number identify a note. */
export const putNote = (
  { series, number }: { series: string; number: string },
  body: NewDeliveryNote,
  label: string,
): Request => ({
  method: 'PUT',
  path: `/delivery-notes/${[series === '' ? '-' : series, number].map(encodeURIComponent).join('/')}`,
  body,
  label,
});

export const printed = ({ series, number }: { series: string; number: string }): string =>
  series === '' ? number : `${series}-${number}`;
