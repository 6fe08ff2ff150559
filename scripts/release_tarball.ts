import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Under `npm run`, this variable names the repository, and npm would install there. */
const { npm_config_local_prefix: _, ...environment } = process.env;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The parts of the source tree that an installation needs. Node runs the TypeScript files directly. */
export const SHIPPED =
  'bin deploy docs examples gauges migrations src engines/nats-server.sh engines/postgres.sh openapi.json README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE'.split(
    ' ',
  );
/** Files that only `npm ci` needs to install the packages. They are not shipped. */
const FOR_NPM = ['package-lock.json', '.npmrc', 'packages/client/package.json', 'packages/console/package.json'];
const NPM_OPTIONS = [
  '--omit=dev',
  '--omit=optional',
  '--ignore-scripts',
  '--prefer-offline',
  '--no-fund',
  '--no-audit',
];

export interface Tarball {
  version: string;
  /** Absolute paths: the tarball, its software bill of materials, and the checksums of both. */
  files: { tarball: string; sbom: string; checksums: string };
}

/**
 * Builds `tankwatch-X.Y.Z.tar.gz` with everything but Node: the source, the production packages, the built console,
 * migrations and deploy files. Entries are sorted and have the time `builtAt`, so that the same source and packages give
 * the same bytes.
 */
export async function buildTarball(outputFolder: string, builtAt: Date): Promise<Tarball> {
  const manifest: { name: string; version: string } & Record<string, unknown> = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  const name = `tankwatch-${manifest.version}`;
  const work = await mkdtemp(join(tmpdir(), 'tankwatch-tarball-'));
  try {
    const stage = join(work, name);
    await mkdir(stage);
    await mkdir(outputFolder, { recursive: true });
    for (const path of ['package.json', ...SHIPPED, ...FOR_NPM])
      await cp(join(ROOT, path), join(stage, path), { recursive: true });
    await run('npm', ['ci', ...NPM_OPTIONS], { cwd: stage, env: environment });
    for (const path of [...FOR_NPM, 'packages', 'node_modules/@tankwatch', 'node_modules/.package-lock.json'])
      await rm(join(stage, path), { recursive: true, force: true });
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(shippedManifest(manifest), null, 2)}\n`);
    const sbom = join(outputFolder, `${name}.sbom.cdx.json`);
    await writeSbom(stage, sbom);
    const builtConsole = join(stage, 'packages/console/dist');
    await run(
      'npm',
      [
        'exec',
        '--',
        'vite',
        'build',
        'packages/console',
        '--logLevel=warn',
        '--emptyOutDir',
        `--outDir=${builtConsole}`,
      ],
      {
        cwd: ROOT,
      },
    );
    const tarball = join(outputFolder, `${name}.tar.gz`);
    await pack(work, name, tarball, builtAt);
    const checksums = join(outputFolder, 'SHA256SUMS');
    await writeFile(checksums, (await Promise.all([tarball, sbom].map(checksumLine))).join(''));
    return { version: manifest.version, files: { tarball, sbom, checksums } };
  } finally {
    await rm(work, { recursive: true });
  }
}

/** The package.json of the tarball: without scripts and packages for developers, which the tarball does not contain. */
function shippedManifest(manifest: Record<string, unknown>): Record<string, unknown> {
  const kept = ['name', 'version', 'private', 'description', 'license', 'type', 'engines', 'bin', 'dependencies'];
  return Object.fromEntries(kept.map((field) => [field, manifest[field]]));
}

/** The software bill of materials (CycloneDX) of the packages that are installed in the folder. */
async function writeSbom(folder: string, file: string): Promise<void> {
  const { stdout } = await run('npm', ['sbom', '--sbom-format=cyclonedx'], {
    cwd: folder,
    env: environment,
    maxBuffer: 64 * 1_048_576,
  });
  await writeFile(file, stdout);
}

/** Makes the files readable by every user, independent of the umask of this machine, because the roles run as another user. */
async function pack(folder: string, name: string, tarball: string, builtAt: Date): Promise<void> {
  const time = `@${Math.floor(builtAt.getTime() / 1_000)}`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w'];
  await run('tar', ['--create', '--gzip', '--sort=name', `--mtime=${time}`, ...owner, `--file=${tarball}`, name], {
    cwd: folder,
  });
}

/** Formats a checksum as sha256sum does. */
async function checksumLine(file: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(file));
  return `${hash.digest('hex')}  ${basename(file)}\n`;
}

if (import.meta.main) {
  const { files } = await buildTarball(join(ROOT, 'dist'), new Date());
  console.log(Object.values(files).join('\n'));
}
