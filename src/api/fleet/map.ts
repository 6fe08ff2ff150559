import { invalidParameters } from '../../http/problem.ts';
import { operation } from '../operation.ts';
import { integerParameter } from '../parameters.ts';
import { bbox, filterParameters, fleetFilter, oneOf } from './filters.ts';
import { MAX_FEW_TANKS, readMap } from './map_cells.ts';
import { FleetMap, MAP_EXAMPLE } from './map_schema.ts';
import { scopeOf } from './tanks.ts';

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
  example: MAP_EXAMPLE,
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
