import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startPipeline } from '../engines/pipeline.ts';
import { freePort } from '../engines/postgres.ts';
import { startRouter } from '../engines/router.ts';
import { transaction } from '../src/db/pool.ts';
import { issueKey } from '../src/keys/issue_key.ts';
import { atLeast, type BenchOptions, figure, median, type Report } from './report.ts';

const run = promisify(execFile);

/** What the router in front of cells costs: the same requests directly to an api and through HAProxy, in turn. */
export async function benchRouter({ isQuick, log }: BenchOptions): Promise<Report> {
  const [rounds, seconds] = isQuick ? [3, 1] : [9, 4];
  const apiPort = await freePort();
  const pipeline = await startPipeline({
    devices: 100,
    isGatewayStarted: false,
    settings: { API_HOST: '127.0.0.1', API_PORT: String(apiPort), API_DRAIN_MS: '0', LOG_LEVEL: 'warn' },
  });
  const cell = { name: 'a', slots: ['a0'], host: 'a.example.com', apiPort, ingestPort: 9, mqttPort: 9 };
  const router = await startRouter([cell], {
    ROUTER_REQUESTS_PER_SENDER: '10000000',
    ROUTER_REQUESTS_PER_ADDRESS: '10000000',
  });
  try {
    const { rows } = await pipeline.owner.query<{ no: number; id: string }>(
      'select o.no, t.id from organizations o join tanks t on t.organization_no = o.no limit 1',
    );
    const [{ no: organizationNo, id } = { no: 0, id: '' }] = rows;
    const limits = { requestsPerSecond: 1_000_000, burst: 1_000_000 };
    const key = await transaction(pipeline.owner, (tx) =>
      issueKey(tx, { organizationNo, name: 'bench', scopes: ['read'], ...limits }),
    );
    void pipeline.role('api', { LOG_LEVEL: 'info' }).start();
    await untilReady(`http://127.0.0.1:${router.httpPort}/readyz`);

    const rate = async (base: string): Promise<{ perSecond: number; requests: number }> => {
      const { stdout } = await run('wrk', [
        '-t1',
        '-c32',
        `-d${seconds}s`,
        '-H',
        `X-API-Key: ${key.text}`,
        `${base}/v1/tanks/${id}`,
      ]);
      if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`requests failed under load:\n${stdout}`);
      return {
        perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
        requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
      };
    };
    const ratios = { http: [] as number[], https: [] as number[] };
    const cpuUs = { http: [] as number[], https: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const direct = await rate(`http://127.0.0.1:${apiPort}`);
      for (const scheme of ['http', 'https'] as const) {
        const cpuBefore = await router.cpuSeconds();
        const port = scheme === 'http' ? router.httpPort : router.httpsPort;
        const routed = await rate(`${scheme}://127.0.0.1:${port}`);
        const us = (((await router.cpuSeconds()) - cpuBefore) / routed.requests) * 1e6;
        log(
          `direct ${Math.round(direct.perSecond)}/s, ${scheme} ${Math.round(routed.perSecond)}/s, ${us.toFixed(0)} us`,
        );
        if (round === 0) continue; // warm-up
        ratios[scheme].push(routed.perSecond / direct.perSecond);
        cpuUs[scheme].push(us);
      }
    }
    return {
      name: 'router',
      checks: [
        // wrk, HAProxy, api and PostgreSQL share the cores, so the router takes CPU from the api. Its own cost is the CPU.
        atLeast('requests/s through the router, ratio to direct', median(ratios.http), 0.5),
        figure('the same with TLS at the router', median(ratios.https)),
        figure('CPU of the router per request, us', median(cpuUs.http)),
        figure('the same with TLS, us', median(cpuUs.https)),
      ],
    };
  } finally {
    await router.stop();
    await pipeline.stop();
  }
}

async function untilReady(url: string): Promise<void> {
  for (const deadlineMs = Date.now() + 30_000; ; ) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return;
    if (Date.now() > deadlineMs) throw new Error(`${url} is not ready after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
