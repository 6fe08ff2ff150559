import { Tankwatch } from '@tankwatch/client';

const { TANKWATCH_URL = '', TANKWATCH_KEY = '' } = process.env;
const client = new Tankwatch({ baseUrl: TANKWATCH_URL, apiKey: TANKWATCH_KEY });
const liters = new Map<string, number>();
for await (const { capacity, capacity_unit, location } of client.tanks.list()) {
  const city = location.city ?? 'unknown';
  if (capacity_unit === 'liters') liters.set(city, (liters.get(city) ?? 0) + capacity);
}
console.log(`tanks in ${liters.size} cities`);
