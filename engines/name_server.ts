import { createSocket, type Socket } from 'node:dgram';

export interface NameServer {
  /** The address in the form of the worker's setting WEBHOOK_DNS_SERVERS. */
  address: string;
  /** The number of queries that were not answered. */
  ignored: number;
  stop(): void;
}

const HOST = '127.77.0.53';

/**
 * Starts a resolver on loopback. Names under honest.test have the address 127.0.0.1. Other queries get no answer, as from a
 * resolver that waits for a hanging name server. The resolver listens on port 53 if that is permitted, so that the resolver of
 * the system can use it too.
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

/** Makes an answer (RFC 1035): the header, the question, and for type A one record that refers to the name in the question. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let index = 12;
  let length = query[index] ?? 0;
  while (length > 0) {
    labels.push(query.toString('latin1', index + 1, index + 1 + length).toLowerCase());
    index += 1 + length;
    length = query[index] ?? 0;
  }
  if (!labels.join('.').endsWith('honest.test')) return undefined;
  const type = query.readUInt16BE(index + 1);
  const question = query.subarray(12, index + 5);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2); // an answer, recursion available, no error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  const record = Buffer.from([0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, ...(type === TYPE_A ? [record] : [])]);
}
