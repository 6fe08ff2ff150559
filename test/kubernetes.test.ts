import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, onTestFinished, test } from 'vitest';
import { writeCertificate } from '../engines/certificate.ts';
import { renderKustomization } from '../engines/kustomize.ts';
import { ALL_ROLES, findSettingProblems, findUnknownSettings } from '../src/settings/setting_list.ts';
import { givenFolder } from './support/folder.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'deploy/kubernetes');
const SECRETS = '/run/secrets/tankwatch';

const Labels = Type.Record(Type.String(), Type.String());
const KubernetesObject = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String(), namespace: Type.Optional(Type.String()) }),
});
const Probe = Type.Object({ httpGet: Type.Object({ path: Type.String(), port: Type.Literal('metrics') }) });
const Workload = Type.Object({
  spec: Type.Object({
    template: Type.Object({
      metadata: Type.Object({ labels: Labels }),
      spec: Type.Object({
        terminationGracePeriodSeconds: Type.Optional(Type.Integer({ minimum: 40 })),
        automountServiceAccountToken: Type.Literal(false),
        securityContext: Type.Object({ runAsNonRoot: Type.Literal(true) }),
        containers: Type.Tuple([
          Type.Object({
            args: Type.Array(Type.String()),
            env: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
            startupProbe: Type.Optional(Probe),
            livenessProbe: Type.Optional(Probe),
            readinessProbe: Type.Optional(Probe),
            securityContext: Type.Object({
              allowPrivilegeEscalation: Type.Literal(false),
              readOnlyRootFilesystem: Type.Literal(true),
              capabilities: Type.Object({ drop: Type.Array(Type.Literal('ALL'), { minItems: 1 }) }),
            }),
          }),
        ]),
        volumes: Type.Array(
          Type.Object({ name: Type.String(), secret: Type.Optional(Type.Object({ secretName: Type.String() })) }),
        ),
      }),
    }),
  }),
});
const Selecting = Type.Object({
  spec: Type.Object({ selector: Type.Union([Type.Object({ matchLabels: Labels }), Labels]) }),
});

const objects = (await renderKustomization(FOLDER)).map((object) => ({
  ...Value.Parse(KubernetesObject, object),
  object,
}));
const migrate = (await renderKustomization(join(FOLDER, 'migrate'))).map((object) => ({
  ...Value.Parse(KubernetesObject, object),
  object,
}));
const workloads = [...objects, ...migrate]
  .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
  .map(({ kind, metadata, object }) => ({ kind, name: metadata.name, ...Value.Parse(Workload, object).spec.template }));

test('every object of the Kubernetes base has only fields and types of the Kubernetes API', async () => {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'kubernetes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const lines = [...objects, ...migrate].map(({ apiVersion, kind, object }) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
    const path = `kubernetes-types/${group?.split('.')[0]}/${version}`;
    return `${JSON.stringify(object)} satisfies import('${path}').${kind};`;
  });
  const typo = `({ spec: { maxUnavailable: 1, selectr: {} } }) satisfies import('kubernetes-types/policy/v1').PodDisruptionBudget;`;
  // The last line shows that a wrong field is an error, because otherwise tsc reports the unused @ts-expect-error.
  const text = [...lines.map((line) => `(${line.replace(' satisfies', ') satisfies')}`), '// @ts-expect-error', typo];
  await writeFile(join(folder, 'objects.ts'), `${text.join('\n')}\nexport {};\n`);
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--ignoreConfig'];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, ...options, join(folder, 'objects.ts')]).catch(
    (error: unknown) => Value.Parse(Type.Object({ stdout: Type.String() }), error),
  );
  expect(stdout).toBe('');
});

test('each role gets valid settings from the files of its own secret, and api and gateway get no SECRETS_KEY', async () => {
  const folder = await givenFolder();
  await run(join(ROOT, 'deploy/credentials.sh'), [folder]);
  const created = await readdir(folder);
  const { cert, key } = await writeCertificate(folder);
  const common = objects.find(({ kind }) => kind === 'ConfigMap')?.object;
  const { data } = Value.Parse(Type.Object({ data: Labels }), common);
  expect(workloads.map(({ name }) => name).toSorted()).toEqual([...ALL_ROLES, 'migrate'].toSorted());
  for (const role of [...ALL_ROLES, 'migrate'] as const) {
    const { spec } = workloads.find(({ name }) => name === role) ?? {};
    const own = Object.fromEntries(
      (spec?.containers[0].env ?? []).map(({ name, value }) => [
        name,
        value
          .replace(SECRETS, folder)
          .replace(/^.*tls\.crt$/, cert)
          .replace(/^.*tls\.key$/, key),
      ]),
    );
    const environment = { ...(role === 'migrate' ? {} : data), ...own };
    expect([role, findSettingProblems(environment, [role]), findUnknownSettings(environment)]).toEqual([role, [], []]);
    const files = Object.entries(own).filter(([name]) => name.endsWith('_FILE') && name !== 'REMOVALS_FILE');
    for (const [name, file] of files)
      expect([name, created.includes(file.slice(folder.length + 1))]).toEqual([name, true]);
    expect(spec?.volumes.map(({ secret }) => secret?.secretName)).toContain(`tankwatch-${role}`);
    expect(spec?.containers[0].args).toEqual([role]);
    if (role === 'api' || role === 'gateway') expect(Object.keys(own)).not.toContain('SECRETS_KEY_FILE');
  }
});

test('each role has probes, a disruption budget and a signal for scaling, and the worker keeps its volume', () => {
  const named = (kind: string): string[] =>
    objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  const roles = ALL_ROLES.toSorted();
  expect(named('PodDisruptionBudget').toSorted()).toEqual(roles);
  expect(named('StatefulSet')).toEqual(['worker']);
  expect([...named('HorizontalPodAutoscaler'), 'worker'].toSorted()).toEqual(roles);
  for (const { kind, name, metadata, spec } of workloads) {
    const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers;
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path);
    expect([name, paths]).toEqual([
      name,
      kind === 'Job' ? [undefined, undefined, undefined] : ['/healthz', '/healthz', '/readyz'],
    ]);
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/component': name,
      'app.kubernetes.io/name': 'tankwatch',
    });
  }
  // Each selector must match one workload, because one that matches nothing has no effect.
  for (const { kind, metadata, object } of objects) {
    if (!['Service', 'PodDisruptionBudget', 'Deployment', 'StatefulSet'].includes(kind)) continue;
    const { selector } = Value.Parse(Selecting, object).spec;
    const wanted = Object.entries(
      'matchLabels' in selector && typeof selector.matchLabels === 'object' ? selector.matchLabels : selector,
    );
    const selected = workloads.filter(({ metadata: { labels } }) =>
      wanted.every(([key, value]) => labels[key] === value),
    );
    expect([kind, metadata.name, selected.length]).toEqual([kind, metadata.name, 1]);
  }
});

test('the network policy deny-all refuses all traffic to and from pods', () => {
  const denied = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'deny-all')?.object;
  expect(denied).toMatchObject({ spec: { policyTypes: ['Ingress', 'Egress'] } });
  expect(denied).not.toHaveProperty('spec.ingress');
  expect(denied).not.toHaveProperty('spec.egress');
});
