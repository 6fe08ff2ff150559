import { Tankwatch } from '@tankwatch/client';

const { TANKWATCH_URL = '', TANKWATCH_KEY = '' } = process.env;
const client = new Tankwatch({ baseUrl: TANKWATCH_URL, apiKey: TANKWATCH_KEY });
const lowTanks = new Set<string>();
let after: string | undefined; // read it from where the last run saved it
for (;;) {
  const page = await client.fleet.events({ after, size: 200 });
  for (const { type, tank_id, retracted_at } of page.data) {
    if (type !== 'tank.low_fill') continue;
    if (retracted_at === null) lowTanks.add(tank_id);
    else lowTanks.delete(tank_id); // it was not low
  }
  after = page.next ?? undefined;
  if (!page.has_more) break; // save `after` here, and continue with it in a minute
}
console.log(lowTanks.size > 0 ? 'some tanks were low' : 'no tank was low');
