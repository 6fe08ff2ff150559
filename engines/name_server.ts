import { createSocket, type Socket } from 'node:dgram';

export interface NameServer {
  /** The address in the form of the worker's setting WEBHOOK_DNS_SERVERS. */
  address: string;
  /** Queries that were never answered. */
  ignored: number;
  stop(): void;
}

const HOST = '127.77.0.53';

/**
 * A resolver on loopback. Names under honest.test have the address 127.0.0.1. Every other query stays without an
 * answer, as from a resolver that waits for a name server that hangs. The resolver listens on port 53 if that is
 * permitted, so that the system's own resolver can use it too.
 */
export async function startNameServer(): Promise<NameServer> {
  const socket = await listenOn(53).catch(() => listenOn(0));
  const server = {
    address: `${HOST}:${socket.address().port}`,
    ignored: 0,
    stop: () => void socket.close(),
  };
  socket.on('message', (query, { address, port }) => {
    const answer = answerTo(query);
    if (answer === undefined) server.ignored++;
    else socket.send(answer, port, address);
  });
  return server;
}

function listenOn(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, HOST, () => resolve(socket));
  });
}

const TYPE_A = 1;

/** RFC 1035: the header, the question again, and for type A one record that refers to the question's name. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  if (!labels.join('.').endsWith('honest.test')) return undefined;
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(12, at + 5);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2); // an answer, recursion available, no error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  const record = Buffer.from([0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, ...(type === TYPE_A ? [record] : [])]);
}
