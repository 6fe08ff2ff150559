import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../values/is_same_secret.ts';
import { isObject, parseJson } from '../values/json.ts';

export const TEXT_PROVIDERS = ['twilio', 'vonage', 'messagebird', 'gateway'] as const;
export type TextProvider = (typeof TEXT_PROVIDERS)[number];

/** The settings of a channel. `account` is the account SID of Twilio and the API key of Vonage. */
export interface ChannelSettings {
  account?: string;
  /** The sender: a number in E.164, or a name where the provider allows it. */
  from: string;
  /** The address of a gateway, or an address that replaces that of a provider, for example in another region. */
  url?: string;
}

/** The secrets of a channel. MessageBird signs reports with a separate key. */
export interface ChannelSecrets {
  secret: string;
  signing_key?: string;
}

export interface OutgoingText {
  /** The number in the format E.164. */
  to: string;
  text: string;
  /** The id of the text. */
  reference: string;
  /** The address to which the provider reports the outcome of the text; null if Tankwatch has no public address. */
  reportUrl: string | null;
}

export interface TextRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const ADDRESSES = {
  twilio: 'https://api.twilio.com',
  vonage: 'https://api.nexmo.com',
  messagebird: 'https://rest.messagebird.com',
};

/** Returns the address to which the texts of a channel are sent. */
export function addressOf(provider: TextProvider, { url, account = '' }: ChannelSettings): string {
  if (provider === 'gateway') return url ?? '';
  const base = (url ?? ADDRESSES[provider]).replace(/\/+$/, '');
  if (provider === 'twilio') return `${base}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`;
  return provider === 'vonage' ? `${base}/v1/messages` : `${base}/messages`;
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const withoutPlus = (phone: string): string => phone.replace(/^\+/, '');
const json = (authorization: string, body: object, headers: Record<string, string> = {}): Omit<TextRequest, 'url'> => ({
  headers: { 'content-type': 'application/json', accept: 'application/json', authorization, ...headers },
  body: JSON.stringify(body),
});

type Template = (
  settings: ChannelSettings,
  secrets: ChannelSecrets,
  text: OutgoingText,
) => Pick<TextRequest, 'headers' | 'body'>;

/** The documented request of each provider. */
const TEMPLATES: Readonly<Record<TextProvider, Template>> = {
  // https://www.twilio.com/docs/messaging/api/message-resource
  twilio: ({ account = '', from }, { secret }, { to, text, reference, reportUrl }) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(account, secret) },
    body: new URLSearchParams({
      To: to,
      From: from,
      Body: text,
      // The report may arrive before the response with the SID, so the address of the report contains the id of the text. Twilio signs
      // the query too.
      ...(reportUrl !== null && { StatusCallback: `${reportUrl}?reference=${reference}` }),
    }).toString(),
  }),
  // https://developer.vonage.com/en/api/messages. Reports would need an application of the account, so they are not requested.
  vonage: ({ account = '', from }, { secret }, { to, text, reference }) =>
    json(basic(account, secret), {
      message_type: 'text',
      channel: 'sms',
      to: withoutPlus(to),
      from: withoutPlus(from),
      text,
      client_ref: reference,
    }),
  // https://developers.messagebird.com/api/sms-messaging. MessageBird reports only texts with a reference.
  messagebird: ({ from }, { secret }, { to, text, reference, reportUrl }) =>
    json(`AccessKey ${secret}`, {
      recipients: [withoutPlus(to)],
      originator: from,
      body: text,
      reference,
      ...(reportUrl !== null && { reportUrl }),
    }),
  // See docs/operators/duty.md.
  gateway: ({ from }, { secret }, { to, text, reference, reportUrl }) =>
    json(`Bearer ${secret}`, { to, from, text, reference, report_url: reportUrl }, { 'idempotency-key': reference }),
};

export const requestOf = (
  provider: TextProvider,
  settings: ChannelSettings,
  secrets: ChannelSecrets,
  text: OutgoingText,
): TextRequest => ({ url: addressOf(provider, settings), ...TEMPLATES[provider](settings, secrets, text) });

/** The field of a response that contains the provider's id. */
const ID_FIELDS: Readonly<Record<TextProvider, string>> = {
  twilio: 'sid',
  vonage: 'message_uuid',
  messagebird: 'id',
  gateway: 'id',
};

/** Returns the provider's id of an accepted text; null if the response has none. */
export function acceptedId(provider: TextProvider, body: string): string | null {
  const response = parseJson(body);
  const id = isObject(response) ? response[ID_FIELDS[provider]] : undefined;
  return typeof id === 'string' && id.length <= 200 ? id : null;
}

/** A request in which a provider reports the outcome of a text. */
export interface ReportRequest {
  /** The address that the provider called: the public address with path and query. */
  url: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface TextReport {
  reference: string | null;
  providerId: string | null;
  /** True if the text was delivered, false if delivery failed; null if the outcome is not known yet. */
  isDelivered: boolean | null;
  reason: string;
}

/** Reads a report; undefined if the provider of this channel has not signed the request. Vonage sends no reports. */
export function readReport(
  provider: TextProvider,
  secrets: ChannelSecrets,
  request: ReportRequest,
  nowMs: number,
): TextReport | undefined {
  if (provider === 'twilio') return twilioReport(secrets, request);
  if (provider === 'messagebird') return messageBirdReport(secrets, request, nowMs);
  return provider === 'gateway' ? gatewayReport(secrets, request) : undefined;
}

const headerOf = ({ headers }: ReportRequest, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

function outcomeOf(status: string, delivered: readonly string[], failed: readonly string[]): boolean | null {
  if (delivered.includes(status)) return true;
  return failed.includes(status) ? false : null;
}

/** Twilio signs the address and all fields, in the order of their names, with the auth token (X-Twilio-Signature). */
function twilioReport({ secret }: ChannelSecrets, request: ReportRequest): TextReport | undefined {
  const form = new URLSearchParams(request.body);
  const fields = [...form].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const signed = `${request.url}${fields.map(([name, value]) => `${name}${value}`).join('')}`;
  const expected = createHmac('sha1', secret).update(signed).digest('base64');
  if (!isSameSecret(headerOf(request, 'x-twilio-signature'), expected)) return undefined;
  const status = form.get('MessageStatus') ?? '';
  return {
    reference: request.query.get('reference'),
    providerId: form.get('MessageSid'),
    isDelivered: outcomeOf(status, ['delivered', 'read'], ['undelivered', 'failed', 'canceled']),
    reason: `${status} ${form.get('ErrorCode') ?? ''}`.trim(),
  };
}

/** MessageBird signs a JWT with the hashes of address and body (MessageBird-Signature-JWT). */
function messageBirdReport(
  { signing_key: key }: ChannelSecrets,
  request: ReportRequest,
  nowMs: number,
): TextReport | undefined {
  const claims = key === undefined ? undefined : claimsOf(headerOf(request, 'messagebird-signature-jwt'), key);
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  if (
    claims?.['iss'] !== 'MessageBird' ||
    claims['url_hash'] !== sha256(request.url) ||
    (request.body !== '' && claims['payload_hash'] !== sha256(request.body)) ||
    typeof claims['exp'] !== 'number' ||
    claims['exp'] * 1_000 < nowMs - 5_000
  )
    return undefined;
  const status = request.query.get('status') ?? '';
  return {
    reference: request.query.get('reference'),
    providerId: request.query.get('id'),
    isDelivered: outcomeOf(status, ['delivered'], ['delivery_failed', 'expired']),
    reason: status,
  };
}

/** Returns the claims of a JWT; undefined if this key has not signed it with HMAC. */
function claimsOf(token: string, key: string): Readonly<Record<string, unknown>> | undefined {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const header = parseJson(Buffer.from(head, 'base64url').toString());
  const algorithms = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;
  const name = isObject(header) ? header['alg'] : undefined;
  const algorithm = Object.entries(algorithms).find(([known]) => known === name)?.[1];
  if (algorithm === undefined) return undefined;
  const expected = createHmac(algorithm, key).update(`${head}.${claims}`).digest('base64url');
  if (!isSameSecret(signature, expected)) return undefined;
  const parsed = parseJson(Buffer.from(claims, 'base64url').toString());
  return isObject(parsed) ? parsed : undefined;
}

function gatewayReport({ secret }: ChannelSecrets, request: ReportRequest): TextReport | undefined {
  const expected = `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`;
  if (!isSameSecret(headerOf(request, 'x-signature'), expected)) return undefined;
  const report = parseJson(request.body);
  if (!isObject(report)) return undefined;
  const { reference, status } = report;
  return {
    reference: typeof reference === 'string' ? reference : null,
    providerId: null,
    isDelivered: outcomeOf(String(status), ['delivered'], ['failed']),
    reason: String(status).slice(0, 200),
  };
}
