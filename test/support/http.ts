import { request } from 'node:http';

export interface CallOptions {
  key?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed body; undefined where it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever came back
  json: any;
}

/** Sends one request over a real socket. fetch cannot be used, because it cannot send a body with GET. */
export function callApi(url: string, path: string, options: CallOptions = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
      ...(options.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(options.body)) }),
      ...options.headers,
    };
    const sent = request(url + path, { method: options.method ?? 'GET', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
