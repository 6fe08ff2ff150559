import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback.ts';

/** A reading of a cloud. */
export interface CloudReading {
  device: string;
  atMs: number;
  /** The level from 0 to 1. */
  level: number;
}

/** What a cloud does with a request instead of its normal answer. `fields` renames the field of the level. */
export type CloudFault = { status: number; retryAfter?: string } | { hang: true } | { body: string } | { fields: true };

export interface Cloud {
  url: string;
  /** All requests so far. */
  requests: { atMs: number; path: string; query: URLSearchParams }[];
  /** The faults of the next requests, one for each. */
  faults: CloudFault[];
  /** Paths that are answered with 500. */
  failing: Set<string>;
  /** The key or the `user:password` that is accepted. */
  secret: string;
  close(): Promise<void>;
}

type OnRequest = (cloud: Cloud) => void;
type Answer = (request: IncomingMessage, url: URL, fault: CloudFault | undefined) => object | number | Buffer;

/** Starts a server that answers with JSON, a status or a file. */
export async function startCloud(
  secret: string,
  { port = 0, onRequest = () => {} }: { port?: number; onRequest?: OnRequest },
  answer: Answer,
): Promise<Cloud> {
  const cloud: Cloud = {
    url: '',
    requests: [],
    faults: [],
    failing: new Set(),
    secret,
    close: () => closeServer(server),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://cloud');
    cloud.requests.push({ atMs: Date.now(), path: url.pathname, query: url.searchParams });
    onRequest(cloud);
    if (cloud.failing.has(url.pathname)) return respond(response, 500, '{}');
    const fault = cloud.faults.shift();
    if (fault !== undefined && 'hang' in fault) return;
    if (fault !== undefined && 'status' in fault)
      return respond(
        response,
        fault.status,
        '{}',
        fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter },
      );
    if (fault !== undefined && 'body' in fault) return respond(response, 200, fault.body);
    const content = answer(request, url, fault);
    if (typeof content === 'number') respond(response, content, '{}');
    else respond(response, 200, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  });
  cloud.url = `http://127.0.0.1:${await listenOnLoopback(server, port)}`;
  return cloud;
}

function respond(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body);
}

export interface OtodataOptions {
  /** Returns all readings of a period, both ends included, in the order of time. */
  readings: (fromMs: number, toMs: number) => CloudReading[];
  devices?: object[];
  pageSize?: number;
  port?: number;
  onRequest?: (cloud: Cloud) => void;
}

/**
 * Starts a cloud that behaves as the public description of Otodata's Nee-Vo API v29 says: JSON only with Accept, pages from 0, a
 * Count that is not the number of Logs.
 */
export async function startOtodata(options: OtodataOptions): Promise<Cloud> {
  const { readings, devices = [], pageSize = 10_000 } = options;
  const cloud = await startCloud('otodata-key', options, (request, url, fault) => {
    if (request.headers.authorization !== `Bearer ${cloud.secret}`) return 401;
    if (!(request.headers.accept ?? '').startsWith('application/json')) return 406;
    if (url.pathname === '/devices') return devices;
    if (url.pathname !== '/tanklevels') return 404;
    const [start = '', end = ''] = ['startDateUtc', 'endDateUtc'].map((name) => url.searchParams.get(name) ?? '');
    const page = Number(url.searchParams.get('page') ?? 0);
    const all = readings(Date.parse(start), Date.parse(end));
    const logs = all.slice(page * pageSize, (page + 1) * pageSize).map(({ device, atMs, level }) => ({
      Id: Number(device),
      LogDateUtc: new Date(atMs).toISOString().replace('.000Z', 'Z'),
      [fault !== undefined && 'fields' in fault ? 'TankLevel' : 'Level']: level,
      BatteryLevel: 3.6,
      SensorTrouble: 0,
      SignalStrength: 85,
      Temperature: 20.5,
      Value: Math.round(level * 10_000),
      ValueType: 0,
    }));
    return { Count: 10_000, StartDateUtc: start, EndDateUtc: end, Supplier: 'OTODATA', Logs: logs };
  });
  return cloud;
}

/** Starts a cloud as the public description of Tank Utility's API says: a token for a login, one request for each device. */
export async function startTankUtility(readings: ReadonlyMap<string, CloudReading | null>): Promise<Cloud> {
  const cloud = await startCloud('office@example.com:pass:word', {}, (request, url) => {
    const { pathname, searchParams } = url;
    if (pathname === '/getToken') {
      const expected = `Basic ${Buffer.from(cloud.secret).toString('base64')}`;
      return request.headers.authorization === expected ? { token: 'token 1' } : 401;
    }
    if (searchParams.get('token') !== 'token 1') return 401;
    if (pathname === '/devices') return { devices: [...readings.keys()] };
    const id = decodeURIComponent(pathname.slice('/devices/'.length));
    const reading = readings.get(id);
    if (reading === undefined) return 404;
    const common = { device_id: id, name: `Tank ${id}`, address: '1 Main St', capacity: 500, fuelType: 'propane' };
    if (reading === null) return { device: common };
    const { atMs, level } = reading;
    const lastReading = { tank: level * 100, temperature: 68, time: atMs, time_iso: new Date(atMs).toISOString() };
    return { device: { ...common, lastReading } };
  });
  return cloud;
}
