// Copies an organization into SQLite. Run it as often as you like: TANKWATCH_URL=... TANKWATCH_KEY=... node sync.ts
import { DatabaseSync } from 'node:sqlite';
import { NotFoundError, Tankwatch } from '@tankwatch/client';

const { TANKWATCH_URL = '', TANKWATCH_KEY = '', MIRROR = 'mirror.db' } = process.env;
const client = new Tankwatch({ baseUrl: TANKWATCH_URL, apiKey: TANKWATCH_KEY });
const mirror = new DatabaseSync(MIRROR);
mirror.exec(`create table if not exists objects (id text primary key, kind text, body text);
  create table if not exists readings (tank_id text, created_at text, fill real, primary key (tank_id, created_at))`);
const putObject = mirror.prepare('insert or replace into objects values (?, ?, ?)');
const putReading = mirror.prepare('insert or ignore into readings values (?, ?, ?)');
const count = mirror.prepare('select count(*) as n from readings where tank_id = ? and created_at between ? and ?');
async function mirrorReadings(tankId: string, fromMs: number, toMs: number): Promise<void> {
  const window = { created_at_gte: new Date(fromMs).toISOString(), created_at_lte: new Date(toMs).toISOString() };
  const { data, total_items } = await client.tanks.telemetry.list(tankId, { ...window, size: 100 });
  for (const { created_at, fill_percentage } of data) putReading.run(tankId, created_at, fill_percentage);
  const held = Number(count.get(tankId, window.created_at_gte, window.created_at_lte)?.['n']);
  if (held >= total_items) return;
  if (held === data.length) {
    const all = client.tanks.telemetry.list(tankId, window); // the copy has only this page
    for await (const { created_at, fill_percentage } of all) putReading.run(tankId, created_at, fill_percentage);
  } else {
    const middleMs = Math.floor((fromMs + toMs) / 2);
    await mirrorReadings(tankId, middleMs + 1, toMs);
    await mirrorReadings(tankId, fromMs, middleMs);
  }
}
const startMs = Date.now();
const objects = [...(await Array.fromAsync(client.customers.list())), ...(await Array.fromAsync(client.tanks.list()))];
mirror.exec('begin; delete from objects');
for (const object of objects) putObject.run(object.id, object.object, JSON.stringify(object));
mirror.exec(`delete from readings where tank_id not in (select id from objects); commit`);
for (const tank of objects.filter(({ object }) => object === 'tank')) {
  mirror.exec('begin');
  await mirrorReadings(tank.id, 0, startMs).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  mirror.exec('commit');
}
const held = mirror.prepare('select count(*) as readings, count(distinct tank_id) as tanks from readings').get();
console.log(`${held?.['readings']} readings of ${held?.['tanks']} tanks`);
