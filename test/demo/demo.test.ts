import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, transaction } from '../../src/db/pool.ts';
import { listEscalations } from '../../src/duty/list_escalations.ts';
import { issueKey } from '../../src/keys/issue_key.ts';
import { freePort } from '../../src/setup/servers/free_port.ts';
import { stopProcess } from '../../src/setup/servers/server_process.ts';
import { DAY_MS, HOUR_MS } from '../../src/values/time.ts';
import { isWhole } from '../support/whole_tests.ts';

const whole = test.runIf(isWhole('demo/demo'));

const MAIN = join(fileURLToPath(new URL('../..', import.meta.url)), 'demo/main.ts');

interface StartedDemo {
  base_url: string;
  console_url: string;
  sign_in_url: string;
  busy_tank_id: string;
  live_api_key: string;
  database_url: string;
  mailbox_url: string;
  webhooks_url: string;
  texts_url: string;
  phone_url: string;
  stop(): Promise<void>;
}

let demo: StartedDemo;
beforeAll(async () => {
  // The truck comes six seconds after the tank is low. Earlier, no mail would be sent, because the tank would not be low any more.
  const child = spawn(process.execPath, [MAIN, '--json', '--story-seconds', '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
  });
  demo = { ...JSON.parse(line), stop: () => stopProcess(child, 'SIGTERM') };
});
afterAll(() => demo.stop());

interface Webhook {
  type: string;
  data: { tank: { name: string } };
}

async function read<Item>(url: string): Promise<Item[]> {
  return JSON.parse(await (await fetch(url)).text());
}

test('when the demo has started, the history has alerts, refills and losses, and no mail was sent about them', async () => {
  const pool = openPool({ url: demo.database_url, applicationName: 'test' });
  const { rows: types } = await pool.query<{ type: string }>('select distinct type from events');
  const { rows: states } = await pool.query<{ n: number; evaluated: number }>(
    'select count(*) as n, count(encoded_state) as evaluated from tank_states',
  );
  await pool.end();
  expect(types.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['tank.low_fill', 'tank.fill_recovered', 'tank.refilled', 'tank.rapid_loss']),
  );
  expect(states[0]?.n).toBeGreaterThan(100);
  expect(states[0]?.evaluated).toBe(states[0]?.n);
  // The mails are those of the story; no mail is about a tank of the history.
  const mails = await read<{ subject: string }>(demo.mailbox_url);
  expect(
    mails.filter(({ subject }) => !/Church Street bakery|Lake cabin|Pottery kiln|Town garage diesel/.test(subject)),
  ).toEqual([]);
});

test('the tanks for checks of the interface have measures, corrected shapes and packed months', async () => {
  const pool = openPool({ url: demo.database_url, applicationName: 'test' });
  const { rows } = await pool.query(
    `select o.code, t.id, g.definition -> 'shape' ->> 'form' as form, g.unreadable::int as unreadable,
            g.recomputed_at >= g.changed_at as is_recomputed,
            (select count(*)::int from audit_log a
             where a.organization_no = o.no and a.fields = '{gauge}' and t.no = any (a.object_nos)) as changes,
            p.months, p.measures, (select count(gauge_value)::int from telemetry c where c.tank_no = t.no) as hot_measures
     from tank_gauges g join tanks t on t.no = g.tank_no join organizations o on o.no = t.organization_no
     cross join lateral (
       select count(*)::int as months, coalesce(sum(cardinality(array_remove(gauge_values, null))), 0)::int as measures
       from packed_telemetry p where p.tank_no = t.no
     ) as p
     where o.code in ('a0valle', 'a0green') and t.deleted_at is null order by t.no`,
  );
  await pool.end();
  expect(rows.map(({ code }) => code)).toEqual(['a0valle', 'a0valle', 'a0valle', 'a0green', 'a0green']);
  for (const row of rows) {
    expect(row).toMatchObject({ form: 'horizontal_cylinder', unreadable: 0, is_recomputed: true, changes: 2 });
    expect(Math.min(row.months, row.measures, row.hot_measures)).toBeGreaterThan(3);
  }
  expect(rows[0]?.id).toBe(demo.busy_tank_id);
});

whole('a Watchman, an uplink of The Things Stack and a low battery come through the gateway', async () => {
  const sensors = async () => {
    const response = await fetch(`${demo.base_url}/fleet/v1/devices?size=200`, {
      headers: { 'x-api-key': demo.live_api_key },
    });
    const { devices } = JSON.parse(await response.text());
    const named = (name: string) => devices.find(({ tank }: { tank: { name: string } }) => tank.name === name);
    return [named('Farmhouse oil'), named('Farm propane'), named('Town garage diesel')];
  };
  await expect
    .poll(async () => (await sensors()).map((device) => Date.now() - Date.parse(device.last_heard_at) < HOUR_MS))
    .toEqual([true, true, true]);
  const [oil, gas, diesel] = await sensors();
  expect(oil).toMatchObject({ device_id: 'Oil-SonicAdv/00009630', profile: 'rtl433-oil', firmware: '1.5.3.0' });
  expect(gas).toMatchObject({ profile: 'lora-dial', state: 'reporting', battery_low_since: null, signal_dbm: -104 });
  expect(gas.battery_months_left).toEqual({ min: 4, max: 4 });
  expect(diesel).toMatchObject({ profile: 'milesight-em400', state: 'battery_low', battery_percent: 15 });
  const events = async () => (await read<Webhook>(demo.webhooks_url)).map(({ type, data }) => [type, data.tank.name]);
  await expect.poll(events).toContainEqual(['device.battery_low', 'Town garage diesel']);
});

whole('each scene of the story causes its event, its mail and its webhook', async () => {
  const expected = [
    'tank.gauge_unreliable Pottery kiln',
    'tank.low_fill Church Street bakery',
    'tank.rapid_loss Lake cabin',
    'tank.refilled Church Street bakery',
  ];
  const webhooks = async (): Promise<string[]> =>
    (await read<Webhook>(demo.webhooks_url)).map(({ type, data }) => `${type} ${data.tank.name}`);
  await expect.poll(webhooks).toEqual(expect.arrayContaining(expected));
  const mails = async (): Promise<string[]> =>
    (await read<{ to: string[]; subject: string }>(demo.mailbox_url)).map(
      ({ to, subject }) => `${to.join()} ${subject}`,
    );
  const mailTo = (address: string, text: RegExp): unknown =>
    expect.stringMatching(new RegExp(`^${RegExp.escape(address)} .*${text.source}`));
  await expect
    .poll(mails)
    .toEqual(
      expect.arrayContaining([
        mailTo('office@churchstreet.example', /Church Street bakery.*low/),
        mailTo('dispatch@champlain.example', /Church Street bakery.*low/),
        mailTo('dispatch@champlain.example', /Church Street bakery.*refilled/),
        mailTo('dispatch@champlain.example', /Lake cabin.*losing gas/),
        mailTo('dispatch@champlain.example', /Pottery kiln.*gauge/),
      ]),
    );
});

whole(
  'the leak is texted to the phone of the person on duty, and no text is sent after it is acknowledged',
  async () => {
    const texts = () => read<{ to: string; text: string; received_at: string }>(demo.texts_url);
    await expect
      .poll(texts)
      .toContainEqual(expect.objectContaining({ to: '+18025550111', text: expect.stringContaining('Lake cabin') }));
    expect(await (await fetch(demo.phone_url)).text()).toContain('Lake cabin');
    const pool = openPool({ url: demo.database_url, applicationName: 'test' });
    const { rows } = await pool.query<{ no: number; id: string; organization_no: number }>(
      `select no, id, organization_no from tanks where name = 'Lake cabin'`,
    );
    const [tank] = rows;
    if (tank === undefined) throw new Error('the tank of the story is missing');
    const key = { organizationNo: tank.organization_no, name: 'test', scopes: ['read', 'manage'] as const };
    const { text } = await transaction(pool, (tx) => issueKey(tx, key));
    const { status } = await fetch(`${demo.base_url}/manage/v1/tanks/${tank.id}/acknowledgements`, {
      method: 'POST',
      headers: { 'x-api-key': text, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ conditions: ['losing'], until: new Date(Date.now() + HOUR_MS).toISOString() }),
    });
    expect(status).toBe(201);
    const takenMs = Date.now();
    const escalations = () => listEscalations(pool, tank.organization_no);
    await expect.poll(async () => (await escalations())[0]).toMatchObject({ taken_at: expect.any(String), next: null });
    // The phone has reported that it got the text.
    await expect.poll(async () => (await escalations())[0]?.texts[0]).toMatchObject({ status: 'delivered' });
    await pool.end();
    // A text that was sent just before the acknowledgement may arrive within a second.
    expect((await texts()).filter(({ received_at: at }) => Date.parse(at) > takenMs + 1_000)).toEqual([]);
  },
);

whole('a round is planned and driven, and its note is compared with the gauge', async () => {
  const get = async (path: string) =>
    JSON.parse(await (await fetch(`${demo.base_url}${path}`, { headers: { 'x-api-key': demo.live_api_key } })).text());
  const verdictOfBakery = async () => {
    const { entries } = await get('/fleet/v1/ledger');
    return entries.find(({ tanks }: { tanks: { name: string }[] }) => tanks[0]?.name === 'Church Street bakery');
  };
  await expect
    .poll(verdictOfBakery)
    .toMatchObject({ verdict: 'consistent', note_volume: 605, truck: { name: 'Truck 2' } });
  const { data } = await get(`/fleet/v1/rounds?from=${new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10)}`);
  const { stops } = await get(`/fleet/v1/rounds/${data[0].id}`);
  const outcomes = stops.map(({ outcome, outcome_from }: Record<string, string>) => `${outcome} ${outcome_from}`);
  expect(outcomes).toEqual(expect.arrayContaining(['delivered driver', 'not_possible driver', 'open null']));
  // The history has each verdict that a bookkeeper meets.
  const { counts } = await get('/fleet/v1/ledger');
  expect(counts.consistent).toBeGreaterThan(5);
  for (const verdict of ['not_consistent', 'refill_without_note', 'note_without_refill'])
    expect(counts[verdict], verdict).toBeGreaterThan(0);
});

whole('the printed link signs a dispatcher in, once, and / leads to the console or to the reference', async () => {
  const press = () => fetch(demo.sign_in_url, { method: 'POST', redirect: 'manual' });
  expect((await fetch(demo.sign_in_url)).status).toBe(200);
  const response = await press();
  expect([response.status, response.headers.get('location')]).toEqual([303, '/console/']);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const session = await fetch(`${demo.base_url}/session`, { headers: { cookie } });
  expect(await session.json()).toMatchObject({ organization: { name: 'Lake Champlain Propane' }, customer: null });
  expect((await press()).status).toBe(410);
  const start = await fetch(demo.base_url, { redirect: 'manual' });
  // Without its built files, the console is not served.
  const isServed = (await fetch(demo.console_url)).ok;
  expect([start.status, start.headers.get('location')]).toEqual([302, isServed ? '/console/' : '/docs/']);
});

whole('a port that is in use ends the demo with one sentence', async () => {
  const port = await freePort();
  const occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(port, '127.0.0.1', resolve));
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, API_PORT: String(port) } });
  const [code, stderr] = await Promise.all([
    new Promise((resolve) => child.once('exit', resolve)),
    child.stderr.toArray().then((chunks) => chunks.join('')),
  ]);
  occupant.close();
  expect([code, stderr]).toEqual([
    1,
    `demo: port ${port} is in use; set API_PORT to another port, or stop the program that uses it.\n`,
  ]);
});
