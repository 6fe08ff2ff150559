import { Tankwatch } from '@tankwatch/client';

const { TANKWATCH_URL = '', TANKWATCH_KEY = '' } = process.env;
const client = new Tankwatch({ baseUrl: TANKWATCH_URL, apiKey: TANKWATCH_KEY });
const latest = new Map<string, { created_at: string; fill_percentage: number }>();
let after: string | undefined; // read it from where the last run saved it
for (;;) {
  const page = await client.fleet.readings({ after, size: 1000 });
  for (const { tank_id, created_at, fill_percentage } of page.data) {
    if (created_at > (latest.get(tank_id)?.created_at ?? '')) latest.set(tank_id, { created_at, fill_percentage });
  }
  after = page.next ?? undefined;
  if (!page.has_more) break; // save `after` together with the readings, and continue with it in a minute
}
console.log(latest.size > 0 ? 'some tanks have new levels' : 'no tank has a new level');
