import { createServer, type Server } from 'node:net';

/**
 * These ports are below those that the system gives to connections (from 32768 on Linux), so no connection takes a port
 * after it was chosen and before a server listens on it.
 */
const FIRST_PORT = 10_000;
const END_PORT = 32_000;
/** A process takes its ports from a block of its own. It listens on the first port of the block as long as it runs. */
const BLOCK = 200;
const BLOCKS = (END_PORT - FIRST_PORT) / BLOCK;

let block: Promise<number> | undefined;
let chosenPorts = 0;

/** Returns a port on which nothing listens, and which no other process gets from this function. */
export async function freePort(): Promise<number> {
  block ??= claimBlock();
  const first = await block;
  for (let tried = 0; tried < BLOCK; tried++) {
    const port = first + 1 + (chosenPorts % (BLOCK - 1));
    chosenPorts += 1;
    const server = await listen(port);
    if (server === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`all ports from ${first} to ${first + BLOCK} are in use`);
}

/** The first port of a block that no other process has. */
async function claimBlock(): Promise<number> {
  const start = process.pid % BLOCKS;
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = FIRST_PORT + ((start + tried) % BLOCKS) * BLOCK;
    const claim = await listen(first);
    if (claim === undefined) continue;
    claim.unref(); // the system frees it when the process ends
    return first;
  }
  throw new Error(`all ports from ${FIRST_PORT} to ${END_PORT} are in use`);
}

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
