import type { ChangeContext } from '../catalog/change_context.ts';
import { type FieldProblem, refuseProblems } from '../values/change_refusal.ts';
import type { GivenStop } from './round_stops.ts';
import { findTransport } from './trucks.ts';

/** An object that is identified by its id or by its external key. */
type Named<Kind extends string, Id = string> = { [Name in `${Kind}_id`]?: Id | undefined } & {
  [Name in `${Kind}_external_key`]?: string | undefined;
};

type NamedStop = Omit<GivenStop, 'tank_id'> & Named<'tank'>;
type NamedPlan = Named<'truck'> & Named<'driver', string | null> & { stops?: readonly NamedStop[] | undefined };

type WithIds<Plan> = Omit<Plan, keyof NamedPlan> & {
  truck_id?: string;
  driver_id?: string | null;
  stops?: GivenStop[];
};

/**
 * The plan of a round with ids instead of external keys. Throws if a key is unknown, or if an id is given too. A new
 * round needs a truck, and each stop needs a tank.
 */
export async function withIds<Plan extends NamedPlan>(
  change: Pick<ChangeContext, 'tx' | 'organizationNo'>,
  { truck_id, truck_external_key, driver_id, driver_external_key, stops, ...plan }: Plan,
  { needsTruck = false }: { needsTruck?: boolean } = {},
): Promise<WithIds<Plan>> {
  const problems: FieldProblem[] = [];
  const idOf = async <Id extends string | null>(
    kind: 'truck' | 'driver',
    id: Id | undefined,
    key: string | undefined,
  ): Promise<Id | string | undefined> => {
    if (key === undefined) return id;
    if (id !== undefined) problems.push(bothGiven(kind));
    const found = await findTransport(change.tx, change.organizationNo, kind, { externalKey: key });
    if (found === undefined) problems.push({ field: `${kind}_external_key`, reason: `must be that of a ${kind}` });
    return found?.object.id;
  };
  const truck = await idOf('truck', truck_id, truck_external_key);
  const driver = await idOf('driver', driver_id, driver_external_key);
  if (needsTruck && truck === undefined && problems.length === 0)
    problems.push({ field: 'truck_id', reason: 'must be given, or truck_external_key' });
  const given = stops && (await tanksOfStops(change, stops, problems));
  refuseProblems(problems);
  return {
    ...plan,
    ...(truck !== undefined && { truck_id: truck }),
    ...(driver !== undefined && { driver_id: driver }),
    ...(given && { stops: given }),
  };
}

const bothGiven = (kind: string): FieldProblem => ({
  field: `${kind}_external_key`,
  reason: `must not be given together with ${kind}_id`,
});

async function tanksOfStops(
  { tx, organizationNo }: Pick<ChangeContext, 'tx' | 'organizationNo'>,
  stops: readonly NamedStop[],
  problems: FieldProblem[],
): Promise<GivenStop[]> {
  const keys = stops.flatMap(({ tank_external_key: key }) => key ?? []);
  const { rows } =
    keys.length === 0
      ? { rows: [] }
      : await tx.query<{ id: string; external_key: string }>(
          'select id, external_key from tanks where organization_no = $1 and external_key = any ($2) and deleted_at is null',
          [organizationNo, keys],
        );
  const ids = new Map(rows.map(({ id, external_key }) => [external_key, id]));
  return stops.map(({ tank_id, tank_external_key: key, ...stop }, index) => {
    const field = `stops[${index}].tank_external_key`;
    if (key !== undefined && tank_id !== undefined)
      problems.push({ field, reason: 'must not be given together with tank_id' });
    const id = key === undefined ? tank_id : ids.get(key);
    if (id === undefined && key !== undefined) problems.push({ field, reason: 'must be that of a tank' });
    else if (id === undefined)
      problems.push({ field: `stops[${index}].tank_id`, reason: 'must be given, or tank_external_key' });
    return { ...stop, tank_id: id ?? '' };
  });
}
