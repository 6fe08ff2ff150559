import { HttpClient, type HttpRequest } from '../../bench/load_client/http_client.ts';

/** Sends one request over a new connection. Throws unless it succeeds. */
export async function call(url: string, request: HttpRequest): Promise<unknown> {
  const http = new HttpClient({ connections: 1 });
  try {
    const { status, failure, text } = await http.send(url, request);
    if (status < 200 || status > 299) throw new Error(`${url} was answered with ${status}: ${failure}${text}`);
    return JSON.parse(text);
  } finally {
    http.close();
  }
}
