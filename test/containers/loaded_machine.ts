import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Value } from 'typebox/value';
import { check } from './machine.ts';
import { LoadOutcome, type LoadPlan } from './machine_load.ts';
import { must, type Reader } from './reader.ts';

const ORGANIZATION = 'a0gas';
const DEVICES = Array.from({ length: 20 }, (_, n) => `LOAD${String(n).padStart(4, '0')}`);
const MQTT_DEVICES = 8;
const HEADER =
  'owner,custom_id,name,assigned_device_id,capacity,capacity_unit,min_fill_alert_percentage,city,country,created_at';
/** Prints DEVICE TIME of every stored reading. */
const STORED = `runuser -u postgres -- psql --no-align --tuples-only tankwatch --command "
  select t.assigned_device_id || ' ' || to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD\\"T\\"HH24:MI:SS.MS\\"Z\\"')
  from tanks t cross join lateral oldest_telemetry(t.no, '-infinity', 'infinity', 2147483647) r
  where t.assigned_device_id like 'LOAD%'"`;

/** Sends readings and requests to a machine while somebody works on it. */
export class LoadedMachine {
  readonly #reader: Reader;
  readonly #child: ChildProcess;
  readonly #printed: Promise<string>;

  private constructor(reader: Reader, child: ChildProcess, printed: Promise<string>) {
    this.#reader = reader;
    this.#child = child;
    this.#printed = printed;
  }

  /** Creates tanks of this customer with devices, and begins. */
  static async start(reader: Reader, owner: string, mqttUrl: string): Promise<LoadedMachine> {
    const rows = DEVICES.map((id) => `${owner},${id},Load,${id},300,liters,20,Puebla,MX,2025-01-01T00:00:00Z`);
    await must(reader, `printf '%s\\n' '${[HEADER, ...rows].join("' '")}' > /tmp/load.csv`);
    await must(reader, `tankwatch tanks import /tmp/load.csv --organization ${ORGANIZATION}`);
    const issue = `tankwatch devices issue --organization ${ORGANIZATION} --quiet`;
    const passwords = await must(
      reader,
      `for id in ${DEVICES.slice(0, MQTT_DEVICES).join(' ')}; do ${issue} $id; done`,
    );
    const create = `tankwatch keys create --organization ${ORGANIZATION} --quiet --name`;
    const keys = await must(reader, `${create} Reads; ${create} Cloud --scope ingest`);
    const [readKey = '', ingestKey = ''] = keys.trim().split('\n');
    const devices = DEVICES.map((deviceId, n) => ({
      organizationCode: ORGANIZATION,
      deviceId,
      password: passwords.trim().split('\n')[n] ?? '',
    }));
    const plan: LoadPlan = {
      apiUrl: 'http://127.0.0.1:8080',
      ingestUrl: 'http://127.0.0.1:8081/ingest/readings',
      mqttUrl,
      readKey,
      ingestKey,
      paths: ['/v1/tanks', '/v1/customers', '/fleet/v1/tanks'],
      mqttDevices: devices.slice(0, MQTT_DEVICES),
      httpDevices: devices.slice(MQTT_DEVICES),
    };
    const script = [process.execPath, join(import.meta.dirname, 'machine_load.ts'), JSON.stringify(plan)];
    const child = spawn('nsenter', ['--target', String(reader.machine.pid()), '--net', ...script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return new LoadedMachine(reader, child, text(child.stdout));
  }

  /** Ends the load, and compares what is stored with what was acknowledged. */
  async stop(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin?.end();
    await closed;
    const { acknowledged, ...outcome } = Value.Parse(LoadOutcome, JSON.parse(await this.#printed));
    const lost = await this.#lostOf(acknowledged);
    check(`${acknowledged.length} readings acknowledged, ${lost.length} lost`, lost.length === 0, lost.join('\n'));
    check('readings were acknowledged', acknowledged.length > 0);
    console.log(JSON.stringify(outcome));
  }

  /** Compares up to six times, because the writer may need a while for the last readings. */
  async #lostOf(acknowledged: readonly string[]): Promise<string[]> {
    for (let tries = 0; ; tries++) {
      const stored = new Set((await must(this.#reader, STORED)).split('\n'));
      const lost = acknowledged.filter((reading) => !stored.has(reading));
      if (lost.length === 0 || tries === 5) return lost;
      await must(this.#reader, 'sleep 10');
    }
  }
}
