import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from './loopback.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}

export interface Receiver {
  url: string;
  /** All requests in order of arrival. */
  received: Received[];
  /** Answers the requests. Can be replaced during a test. */
  answer: (response: ServerResponse, received: Received) => void;
  /** Closes all connections, including those with unanswered requests. */
  release(): void;
  close(): Promise<void>;
}

/** Starts an HTTP server that keeps the requests it receives. By default it answers 204. */
export async function startReceiver(answer: Receiver['answer'] = answering(204)): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const received = { headers: request.headers, body, atMs: Date.now() };
      receiver.received.push(received);
      receiver.answer(response, received);
    });
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}/hook`,
    received: [],
    answer,
    release: () => server.closeAllConnections(),
    close: () => closeServer(server),
  };
  return receiver;
}

export const answering =
  (status: number, headers: Record<string, string> = {}): Receiver['answer'] =>
  (response) =>
    void response.writeHead(status, headers).end();

/** An answer function that never answers. */
export const hanging: Receiver['answer'] = () => {};

export const idsOf = (received: readonly Received[]): string[] =>
  received.map(({ headers }) => String(headers['webhook-id']));
