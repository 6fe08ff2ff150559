import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCertificate } from '../engines/certificate.ts';
import { findPorts, type Installation, startInstallation } from '../engines/installation.ts';
import { probeReady } from '../engines/process.ts';
import { cpuSeconds } from '../engines/process_use.ts';
import { type Router, startRouter } from '../engines/router.ts';
import { issueOneKey } from '../engines/tenant.ts';
import { until } from '../engines/until.ts';
import { atLeast, type BenchOptions, type Check, figure, type Report, upperMedian } from './report.ts';
import { reportCycles } from './report_cycles.ts';
import { runWrk } from './wrk.ts';

/** Measures what the router in front of cells costs: the same requests go to an api directly and through HAProxy, in turns. */
export async function benchRouter({ isQuick, log }: BenchOptions): Promise<Report> {
  const [rounds, seconds] = isQuick ? [3, 1] : [9, 4];
  await using installation = await startInstallation({ devices: 100 });
  const { owner, organizationNo, apiUrl, ports } = installation;
  const cell = {
    name: 'a',
    slots: ['a0'],
    host: 'a.example.com',
    apiPort: ports.api,
    ingestPort: ports.http,
    mqttPort: ports.mqtt,
  };
  const router = await startRouter([cell], {
    ROUTER_REQUESTS_PER_SENDER: '10000000',
    ROUTER_REQUESTS_PER_ADDRESS: '10000000',
  });
  try {
    const key = await issueOneKey(owner, { organizationNo });
    await installation.start('api');
    await until('the router finds the api ready', () => probeReady(router.httpPort));

    const rate = async (base: string): Promise<{ perSecond: number; requests: number }> => {
      const { refused, ...found } = await runWrk(`${base}/v1/tanks/${installation.tanks[0]?.id}`, { key, seconds });
      if (refused > 0) throw new Error(`${refused} requests were refused under load`);
      return found;
    };
    const ratios = { http: [] as number[], https: [] as number[] };
    const cpuUs = { http: [] as number[], https: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const direct = await rate(apiUrl);
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
        atLeast('requests/s through the router, ratio to direct', upperMedian(ratios.http), 0.5),
        figure('requests/s through the router with TLS, ratio to direct', upperMedian(ratios.https)),
        figure('CPU of the router per request, us', upperMedian(cpuUs.http)),
        figure('CPU of the router per request with TLS, us', upperMedian(cpuUs.https)),
        ...(await measureReports(installation, router, { isQuick, log })),
      ],
    };
  } finally {
    await router.stop();
  }
}

/** Measures the report of a device that connects for it, with TLS at the router and with TLS at the gateway. */
async function measureReports(
  installation: Installation,
  router: Router,
  { isQuick, log }: BenchOptions,
): Promise<Check[]> {
  const cycles = isQuick ? 100 : 2_000;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tankwatch-router-bench-'));
  const { cert, key } = await writeCertificate(folder.path);
  const ports = await findPorts();
  const behind = await installation.start('gateway', { GATEWAY_PROXY_PROTOCOL: 'on' });
  const direct = await installation.start('gateway', {
    ...ports.settings,
    GATEWAY_TLS_CERT: cert,
    GATEWAY_TLS_KEY: key,
  });
  await until('the router finds the gateway ready', () => probeReady(installation.ports.http));
  const ca = await readFile(cert, 'utf8');
  const used = { router: 0, behind: 0, direct: 0 };
  for (const count of [50, cycles]) {
    const before = [await router.cpuSeconds(), await cpuSeconds(behind.pid), await cpuSeconds(direct.pid)] as const;
    log(`${count} times connect, publish, disconnect: through the router, then directly`);
    await reportCycles(installation.devices, { port: router.mqttsPort, ca: router.certificate, cycles: count });
    await reportCycles(installation.devices, { port: ports.mqtt, ca, cycles: count });
    // The first round warms up.
    used.router = (await router.cpuSeconds()) - before[0];
    used.behind = (await cpuSeconds(behind.pid)) - before[1];
    used.direct = (await cpuSeconds(direct.pid)) - before[2];
  }
  const us = (seconds: number): number => (seconds / cycles) * 1e6;
  return [
    figure('CPU of the router per report: TLS connection, publish, disconnect, us', us(used.router)),
    figure('CPU of the gateway behind the router, without TLS, us', us(used.behind)),
    figure('CPU of a gateway with TLS and without a router, us', us(used.direct)),
  ];
}
