import { OPERATIONS } from '../../src/api/operations.ts';
import type { ParameterSet } from '../../src/api/parameters.ts';
import { Random } from '../../src/simulation/random.ts';
import { isObject } from '../../src/values/json.ts';
import type { FuzzCaller, Tenants } from './tenants.ts';

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Splits a text into values, so that the lists below stay short. */
const list = (text: string): string[] => text.split('|');

/** Routes that no operation defines. */
const OTHER_PATHS = [
  list(
    '/|/docs/|/docs/js/scalar.js|/openapi.json|/console/|/console/tanks|/healthz|/readyz|/metrics|/.well-known/security.txt',
  ),
  list(
    '/session|/session/mails|/session/choices|/session/links/:id|/links/:id|/v1|/v1/|/%|//|/v1/%ff|/fleet/v1/x|/v1/tanks/:id/',
  ),
].flat();
const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const TIMES = [
  list(
    '2025-08-13T16:38:55.453Z|2025-08-13T18:38:55+02:00|0000-01-01T00:00:00Z|0001-01-01T00:00:00+23:59|2025-01-01T00:00:60Z',
  ),
  list(
    '9999-12-31T23:59:59-23:59|9999-12-31T23:59:59.999999999Z|2025-02-30T00:00:00Z|+275760-09-13T00:00:00Z|infinity|now',
  ),
  list('1969-12-31T23:59:59Z|0100-01-01T00:00:00Z|2025-01-01'),
].flat();
const NUMBERS = [
  list('0|1|2|50|100|200|201|1200|-1|9007199254740991|9007199254740992|99999999999999999999|1e9|0x10|1.5| 5|NaN|٣'),
  list('20.52,-100.81|90,180|-90,-180|20.5,-100.9,20.6,-100.7|1,1,1,1'),
].flat();
const TEXTS = [
  list("| |%|---|house|Celaya|a0theirs|'; select 1 --|\0|a\0b|\u2028|\ud800|../../etc/passwd|<script>|%00|\\|_|UTC|{}"),
  ['America/Mexico_City', '😀'.repeat(20), 'a'.repeat(201), 'a'.repeat(5_000)],
].flat();
const POSITIONS: (string | number)[] = [
  list('infinity|-infinity|0000-01-01|9999-12-31|2025-02-30|2025-01-01|999999999999999999|253402300800000|-1|1|\0'),
  [0, 1, -1, 0.5, 32_767, -32_768, 2_147_483_647, -2_147_483_648, 1e308],
].flat();
const HEADERS = [
  list(
    'accept-encoding: br;q=x, *|if-none-match: "x", W/"|accept: ÿ|content-type: application/json|origin: null|expect: nothing',
  ),
  list('content-type: text/plain; charset=ÿ|range: bytes=9-1|last-event-id: ÿ'),
  [`x-request-id: ${'a'.repeat(500)}`],
].flat();
const BODIES = [
  list(
    '{}|[]|null|"|{"api_key":""}|{"code":"12345678"}|{"choice":"x"}|{"email":"a@b.example"}|page=2&size=3|page=1&page=2|%|\0|',
  ),
  ['{"email":"a@b.example","return_to":"//x"}', '{"a":'.repeat(3_000)],
].flat();
const MAX_CURSORS = 200;

/** Makes requests over every route, method and kind of caller from the definitions of the operations. The seed determines them. */
export class FuzzRequests {
  readonly #tenants: Tenants;
  readonly #random: () => number;
  /** Cursors from responses. `#cursor` forges others from them. */
  readonly #cursors: string[] = [];

  constructor(tenants: Tenants, seed: number) {
    this.#tenants = tenants;
    const random = new Random(seed);
    this.#random = () => random.next();
  }

  next(): { caller: FuzzCaller; request: FuzzRequest } {
    const caller = this.#pick(this.#random() < 0.75 ? this.#tenants.readers : this.#tenants.callers);
    const method = this.#random() < 0.85 ? 'GET' : this.#pick(METHODS);
    const operation = this.#random() < 0.85 ? this.#pick(OPERATIONS) : undefined;
    const template = operation?.path ?? this.#pick(OTHER_PATHS);
    const query = operation === undefined ? '' : this.#query(operation.parameters);
    const address = `2001:db8:${Math.floor(this.#random() * 65_536).toString(16)}::1`;
    const hasBody = method !== 'HEAD' && this.#random() < (method === 'GET' ? 0.03 : 0.5);
    return {
      caller,
      request: {
        method,
        path: template.replace(':id', this.#id()) + query,
        headers: {
          ...this.#header(),
          'x-forwarded-for': address,
          ...caller.headers,
        },
        ...(hasBody ? { body: this.#pick(BODIES) } : {}),
      },
    };
  }

  /** Keeps the cursors of an answer, to forge others from them. */
  learn(text: string): void {
    for (const [, cursor = ''] of text.matchAll(/"(?:next_cursor|cursor|next|after)":"([A-Za-z0-9_-]{10,})"/g)) {
      if (this.#cursors.length < MAX_CURSORS) this.#cursors.push(cursor);
      else this.#cursors[Math.floor(this.#random() * MAX_CURSORS)] = cursor;
    }
  }

  get knownCursors(): number {
    return this.#cursors.length;
  }

  /** Returns a random header in one of ten requests, otherwise none. */
  #header(): Record<string, string> {
    if (this.#random() > 0.1) return {};
    const [, name = '', value = ''] = /^([^:]+): (.*)$/s.exec(this.#pick(HEADERS)) ?? [];
    return { [name]: value };
  }

  #id(): string {
    const chance = this.#random();
    if (chance < 0.8) return this.#pick(this.#tenants.ids);
    return chance < 0.9 ? '01989f2e-0000-7000-8000-000000000000' : encodeURIComponent(this.#text().toWellFormed());
  }

  #query(parameters: ParameterSet): string {
    const names = Object.keys(parameters).filter(() => this.#random() < 0.25);
    if (this.#random() < 0.03) names.push('unknown', ...names.slice(0, 1));
    const given = names.map((name) => `${name}=${this.#encode(this.#value(name, parameters))}`);
    return given.length === 0 ? '' : `?${given.join('&')}`;
  }

  #encode(text: string): string {
    return this.#random() < 0.03
      ? `%${text.slice(0, 20).replaceAll(/[^\w]/g, '')}`
      : encodeURIComponent(text.toWellFormed());
  }

  /** Returns mostly a value of the kind that the parameter has, and sometimes any text. */
  #value(name: string, parameters: ParameterSet): string {
    const schema: unknown = parameters[name]?.schema;
    const { type, format, enum: values } = isObject(schema) ? schema : {};
    if (this.#random() < 0.1) return this.#text();
    if (/after|cursor|before/.test(name) && format !== 'date-time') return this.#cursor();
    if (Array.isArray(values)) return String(this.#pick(values));
    if (format === 'date-time') return this.#pick(TIMES);
    if (/id/.test(name)) return this.#pick(this.#tenants.ids);
    return type === 'integer' || type === 'number' || /near|box|bbox|bounds/.test(name)
      ? this.#pick(NUMBERS)
      : this.#text();
  }

  #cursor(): string {
    if (this.#cursors.length === 0 || this.#random() < 0.1) return this.#text();
    const cursor = this.#pick(this.#cursors);
    if (this.#random() < 0.2) return cursor;
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(content) || !Array.isArray(content[1])) return cursor;
    const position = content[1].map((value: unknown) => (this.#random() < 0.6 ? this.#pick(POSITIONS) : value));
    if (this.#random() < 0.1) position.push(1);
    return Buffer.from(JSON.stringify([content[0], position])).toString('base64url');
  }

  #text(): string {
    return this.#pick([...TEXTS, ...TIMES, ...NUMBERS]);
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }
}
