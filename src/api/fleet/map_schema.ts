import { type Static, Type } from 'typebox';
import { TANK_STATUSES } from '../../status/tank_statuses.ts';
import { Closed, Named, Nullable, NullableString } from '../schemas/values.ts';
import { StatusCounts } from './summary.ts';

export const FleetMap = Named('FleetMap', {
  object: Type.Literal('fleet_map'),
  cells: Type.Array(
    Closed({
      latitude: Type.Number({ description: 'Mean latitude of the tanks of the cell.' }),
      longitude: Type.Number({ description: 'Mean longitude.' }),
      tanks: Type.Integer({ description: 'Number of tanks.' }),
      tank_id: NullableString('ID of the tank, if the cell has only one.'),
      counts: StatusCounts,
    }),
    { description: 'Cells with tanks, the fullest first, at most 2,000.' },
  ),
  places: Type.Array(
    Closed({
      city: Type.String({ description: 'The city, written as in the tanks.' }),
      latitude: Type.Number({ description: 'Mean latitude of its tanks.' }),
      longitude: Type.Number({ description: 'Mean longitude.' }),
      tanks: Type.Integer({ description: 'Number of tanks.' }),
      counts: StatusCounts,
    }),
    { description: 'Cities with tanks, the most tanks first, at most 200.' },
  ),
  tanks: Type.Array(
    Closed({
      id: Type.String({ description: 'ID of the tank.' }),
      latitude: Type.Number({ description: 'Its latitude.' }),
      longitude: Type.Number({ description: 'Its longitude.' }),
      status: Type.Array(Type.Enum([...TANK_STATUSES]), { description: 'Its statuses, the most important first.' }),
    }),
    { description: 'Tanks that are in no cell. Empty without `include=tanks`.' },
  ),
  bounds: Nullable('The smallest area that has all these tanks. Null if there are none.', {
    west: Type.Number({ description: 'Longitude of the westernmost tank.' }),
    south: Type.Number({ description: 'Latitude of the southernmost tank.' }),
    east: Type.Number({ description: 'Longitude of the easternmost tank.' }),
    north: Type.Number({ description: 'Latitude of the northernmost tank.' }),
  }),
});

export const MAP_EXAMPLE: Static<typeof FleetMap> = {
  object: 'fleet_map',
  cells: [
    {
      latitude: 20.523,
      longitude: -100.812,
      tanks: 41,
      tank_id: null,
      counts: { losing: 0, low: 3, gauge_unreliable: 0, silent: 1, soon: 6, refilled: 2 },
    },
  ],
  places: [
    {
      city: 'Celaya',
      latitude: 20.522,
      longitude: -100.814,
      tanks: 38,
      counts: { losing: 0, low: 3, gauge_unreliable: 0, silent: 1, soon: 5, refilled: 2 },
    },
  ],
  tanks: [],
  bounds: { west: -100.83, south: 20.51, east: -100.79, north: 20.54 },
};
