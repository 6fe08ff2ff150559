import { decodePlaceWeather } from '../evaluation/weather_codec.ts';
import { amount } from '../values/text_format.ts';
import { type CheckContext, type CheckFinding, finding, firstOfMany, warning } from './finding.ts';

/** The worker computes weather every five minutes. */
const OVERDUE_MINUTES = 60;

/** Finds places without current weather. Their tanks have forecasts without weather, which is not visible otherwise. */
export async function checkWeather({ pool }: CheckContext): Promise<CheckFinding[]> {
  const { rows: places } = await pool.query<{
    organization: string;
    place: string;
    known_until: string;
    outlook: string;
    tanks: number;
  }>(
    `select o.code as organization, p.name as place, p.known_until::text, p.outlook, count(*) as tanks
     from places p join organizations o on o.no = p.organization_no
     join tank_weather w on w.place_no = p.no and w.share > 0
     where o.deleted_at is null and p.outlook is not null
     group by o.code, p.no order by p.known_until, o.code, p.name`,
  );
  const now = Date.now();
  const stale = places.filter(({ outlook }) => !decodePlaceWeather(outlook)?.asOf(now).isUseful);
  const { rows: overdue } = await pool.query<{ n: number }>(
    `select count(*) as n from places p join organizations o on o.no = p.organization_no
     where o.deleted_at is null and p.changed_at < now() - make_interval(mins => $1)
       and (p.computed_at is null or p.computed_at < p.changed_at)`,
    [OVERDUE_MINUTES],
  );
  const [first] = stale;
  const late = overdue[0]?.n ?? 0;
  return [
    ...(first === undefined
      ? []
      : [
          warning(
            firstOfMany(
              `the weather of ${first.place} (${first.organization}) ends on ${first.known_until}: forecasts of ${amount(first.tanks, 'tanks')} are without weather`,
              stale.length,
            ),
            'import or push current temperatures (docs/operators/weather.md), or delete the place with tankwatch weather remove',
          ),
        ]),
    ...(late === 0
      ? []
      : [
          finding(
            `new weather of ${amount(late, 'places')} is not in the forecasts after ${OVERDUE_MINUTES} minutes`,
            'check that tankwatch worker is running, and see its log',
          ),
        ]),
  ];
}
