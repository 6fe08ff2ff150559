import { type Static, Type } from 'typebox';
import { Named } from './values.ts';

export const Deletion = Named('Deletion', {
  object: Type.Literal('deletion'),
  tanks: Type.Integer({ description: 'Tanks that are deleted.' }),
  readings: Type.Integer({ description: 'Readings of these tanks that are erased.' }),
  open_stops: Type.Integer({ description: 'Open stops at these tanks, which come off their rounds.' }),
  notes: Type.Integer({ description: 'Notes on these tanks that are erased.' }),
  delivery_notes: Type.Integer({
    description:
      'Delivery notes of the customer that are erased. Their volume stays in the sum of their truck. Those of a tank that is deleted ' +
      'alone stay with its owner.',
  }),
});

export const DELETION_EXAMPLE: Static<typeof Deletion> = {
  object: 'deletion',
  tanks: 3,
  readings: 41_208,
  open_stops: 1,
  notes: 2,
  delivery_notes: 14,
};
