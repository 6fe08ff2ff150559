import type { DeliveryNote, NewDeliveryNote } from '@tankwatch/client';
import type { Request } from '../change/use_change.ts';
import { dayOf } from './note_day.ts';

/** The body that replaces a stored note. PUT replaces the whole note, so it has all fields, not only those of a form. */
export const bodyOf = (note: DeliveryNote, zone: string): NewDeliveryNote => ({
  at: note.precision === 'day' ? dayOf(note.at, zone) : note.at,
  volume: note.volume,
  unit: note.unit,
  tank: note.tank_id,
  customer: note.tank_id === null ? note.customer_id : null,
  truck: note.truck_id,
  driver: note.driver_id,
  product: note.product,
  compensated: note.compensated,
  product_temperature: note.product_temperature,
  filled_to: note.filled_to,
  status: note.status,
});

/** The request that stores a note. Series and number identify it. */
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

export const printedNumber = ({ series, number }: { series: string; number: string }): string =>
  series === '' ? number : `${series}-${number}`;
