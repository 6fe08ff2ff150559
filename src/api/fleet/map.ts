import { type Static, Type } from 'typebox';
import { invalidParameters } from '../../http/problem.ts';
import { TANK_STATUSES } from '../../status/status_rows.ts';
import { operation } from '../operation.ts';
import { integerParameter } from '../parameters.ts';
import { Closed, Named, Nullable, NullableString } from '../schemas/values.ts';
import { bbox, filterParameters, fleetFilter, oneOf } from './filters.ts';
import { MAX_FEW_TANKS, readMap } from './map_groups.ts';
import { StatusCounts } from './summary.ts';
import { scopeOf } from './tanks.ts';

const FleetMap = Named('FleetMap', {
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

const EXAMPLE: Static<typeof FleetMap> = {
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

const zoom = integerParameter(
  'Zoom of the map, as in web maps. A cell is about 32 pixels wide, and wider if the area is much larger than a screen.',
  { minimum: 0, maximum: 20 },
);

const parameters = {
  ...filterParameters,
  bbox: { ...bbox, description: 'The area: west, south, east and north in degrees. Default: the whole world.' },
  zoom,
  include: oneOf(
    ['tanks'],
    `tanks: return tanks one by one instead of in cells: all if the area has at most ${MAX_FEW_TANKS.toLocaleString('en')} ` +
      'tanks, otherwise those that are losing gas.',
  ),
};

export const retrieveMapOperation = operation({
  path: '/fleet/v1/map',
  operationId: 'retrieveMap',
  summary: 'Group tanks for a map',
  description: 'Returns the tanks of an area in cells of a grid and by city, with the number of tanks of each status.',
  returns: 'answer',
  item: FleetMap,
  example: EXAMPLE,
  parameters,
  async handle({ readers, caller, parameters: given }) {
    if (given.zoom === undefined)
      throw invalidParameters([{ param: 'zoom', code: 'required', detail: 'Send the zoom of the map.' }]);
    const { box = WORLD, ...filter } = fleetFilter(given);
    const hasTanks = given.include === 'tanks';
    const groups = await readMap(readers, { scope: scopeOf(caller), filter, box, zoom: given.zoom, hasTanks });
    return { body: { object: 'fleet_map', ...groups } };
  },
});

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
