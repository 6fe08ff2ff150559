import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isMetadataAddress } from '../../src/http/private_addresses.ts';
import { providerFetch } from '../../src/oidc/provider_fetch.ts';
import { discover, Providers } from '../../src/oidc/provider_sign_in.ts';
import { CLIENT, ProviderBrowser, startProvider, type TestProvider } from '../support/provider.ts';

const MIB = 1_048_576;
const REDIRECT_URL = 'http://127.0.0.1:9/callback';
const DISCOVERY = '/.well-known/openid-configuration';

async function givenProvider(): Promise<TestProvider> {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  provider.start([REDIRECT_URL], 'http://127.0.0.1:9/console/');
  // Without an address in the ID token, the userinfo endpoint is asked.
  provider.accounts.set('ana', { sub: 'ana', name: 'Ana' });
  return provider;
}

async function signIn({ url }: TestProvider, providers = new Providers()) {
  const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
  const issuer = { id: 'issuer', url, ...client, scopes: [], groupClaim: 'groups', groupRoles: {} };
  const begun = await providers.authorize(issuer, { redirectUrl: REDIRECT_URL });
  return providers.identify(issuer, await new ProviderBrowser().walk(begun.url, 'ana'), begun.proof);
}

/** A server that answers in its own way. */
async function givenServer(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { url, connections: () => connections };
}

const discoverAt = (url: string) => discover({ url, clientId: CLIENT.id, clientSecret: null });

describe('answers of a provider', () => {
  test('of 1 MiB are read, and larger ones are refused at every endpoint', async () => {
    const provider = await givenProvider();
    const paths = [DISCOVERY, '/token', '/jwks', '/me'];
    for (const path of paths) provider.changes.set(path, (answer) => answer.padEnd(MIB));
    expect(await signIn(provider)).toMatchObject({ subject: 'ana', name: 'Ana' });
    for (const path of paths) {
      provider.changes.set(path, (answer) => answer.padEnd(MIB + 1));
      await expect(signIn(provider), path).rejects.toThrow('has more than 1 MiB');
      provider.changes.delete(path);
    }
    expect(await signIn(provider)).toMatchObject({ subject: 'ana' });
  });

  test('that do not end are aborted after 1 MiB', async () => {
    const closed = Promise.withResolvers<number>();
    const { url } = await givenServer((_request, response) => {
      let sent = 0;
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => {
        let isWritable = true;
        while (isWritable) {
          isWritable = response.write(' '.repeat(65_536));
          sent += 65_536;
        }
      }, 1);
      response.once('close', () => {
        clearInterval(timer);
        closed.resolve(sent);
      });
    });
    await expect(discoverAt(url)).rejects.toThrow('has more than 1 MiB');
    await closed.promise;
  });

  test('are limited by their size after decompression', async () => {
    const compressed = gzipSync(' '.repeat(4 * MIB));
    expect(compressed.length).toBeLessThan(MIB);
    const { url } = await givenServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(compressed);
    });
    await expect(discoverAt(url)).rejects.toThrow('has more than 1 MiB');
  });

  test('that come byte by byte are awaited for 5 seconds', async () => {
    const { url } = await givenServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(timer));
    });
    await expect(discoverAt(url)).rejects.toThrow('operation timed out');
  });

  test('that redirect are not followed', async () => {
    const inside = await givenServer((_request, response) => response.end('{}'), '127.0.0.2');
    const { url } = await givenServer((_request, response) => {
      response.writeHead(302, { location: `${inside.url}/` }).end();
    });
    await expect(discoverAt(url)).rejects.toThrow('unexpected HTTP response status code');
    expect(inside.connections()).toBe(0);
  });
});

describe('endpoints', () => {
  const ENDPOINTS = ['token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const naming = (endpoint: string, url: string) => (answer: string) =>
    JSON.stringify({ ...JSON.parse(answer), [endpoint]: url });

  test('at private addresses are refused for a public issuer, and not for a private one', async () => {
    const provider = await givenProvider();
    const inside = await givenServer((_request, response) => response.writeHead(404).end(), '127.0.0.2');
    // The address of the provider counts as public here, because this machine has no public address.
    const publicIssuer = () => new Providers(() => providerFetch({ isPrivate: (address) => address !== '127.0.0.1' }));
    expect(await signIn(provider, publicIssuer())).toMatchObject({ subject: 'ana' });
    for (const endpoint of ENDPOINTS) {
      provider.changes.set(DISCOVERY, naming(endpoint, inside.url));
      await expect(signIn(provider, publicIssuer()), endpoint).rejects.toMatchObject({
        kind: 'unreachable',
        message: `${new URL(inside.url).host} has a private address, but the issuer has a public one`,
      });
    }
    expect(inside.connections()).toBe(0);
    for (const endpoint of ENDPOINTS) {
      provider.changes.set(DISCOVERY, naming(endpoint, inside.url));
      await expect(signIn(provider), endpoint).rejects.toMatchObject({ kind: 'invalid' });
    }
    expect(inside.connections()).toBe(ENDPOINTS.length);
  });

  test('at metadata addresses of a cloud are refused for every issuer', async () => {
    const provider = await givenProvider();
    const metadata = await givenServer((_request, response) => response.writeHead(404).end(), '127.0.0.3');
    // An address of this machine is used as that of the metadata, so that a request that is not refused stays on this machine.
    const fetchOf = () => providerFetch({ isMetadata: (address) => address === '127.0.0.3' });
    for (const endpoint of ENDPOINTS) {
      provider.changes.set(DISCOVERY, naming(endpoint, metadata.url));
      await expect(signIn(provider, new Providers(fetchOf)), endpoint).rejects.toThrow('has a private address');
    }
    const issuer = { url: metadata.url.replace('http:', 'https:'), clientId: CLIENT.id, clientSecret: null };
    await expect(discover(issuer, fetchOf())).rejects.toThrow('at which there can be no provider');
    expect(metadata.connections()).toBe(0);
  });
});

test('metadata addresses are recognized in every notation, and addresses of private networks are not among them', () => {
  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fd20:ce::254',
    'no address',
  ])
    expect(isMetadataAddress(address), address).toBe(true);
  for (const address of [
    '127.0.0.1',
    '10.0.0.5',
    '192.168.1.2',
    '100.64.0.1',
    '::1',
    'fd00::5',
    '64:ff9b::808:808',
    '8.8.8.8',
  ])
    expect(isMetadataAddress(address), address).toBe(false);
});
