import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isObject } from '../src/values/json.ts';

/**
 * `node scripts/generated_clients.ts` generates clients from openapi.json with public generators, compiles them, and runs a small
 * program with each against the demo: it reads a page, sends a bulk, reads the feed, and makes a conditional change. It needs the npm
 * registry and, for each language, the programs of docs/integrators/interface.md#generate-a-client. It skips a language without them.
 */

const SOURCES = new URL('generated_clients/', import.meta.url).pathname;
const DOCUMENT = new URL('../openapi.json', import.meta.url).pathname;

/** The last versions that contain the generator. Later versions download it from a host that not every network can reach. */
const PACKAGES = {
  java: '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2',
  csharp: 'nswag@14.7.1',
};

/** What each program prints. */
const EXPECTED = [/^page 5 of \d+$/, /^bulk 200$/, /^feed \d+ true$/i, /^changed true$/i, /^refused 412$/];

/**
 * Converts a part of the document to OpenAPI 3.0, which these generators read. If a response has an object or a deleted object,
 * they see only the object.
 */
function asOpenApi30(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(asOpenApi30);
  if (!isObject(part)) return part;
  const { anyOf, type, const: only, contentMediaType: _, contentSchema: __, examples, webhooks: ___, ...rest } = part;
  const given = { ...rest, ...(examples !== undefined && !Array.isArray(examples) && { examples }) };
  const own = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, asOpenApi30(value)]));
  if ('openapi' in own) return { ...own, openapi: '3.0.3', info: { title: 'Tankwatch', version: '1' } };
  if (Array.isArray(anyOf)) {
    const [first, ...others] = anyOf.filter((schema) => !(isObject(schema) && schema['type'] === 'null'));
    const chosen = isObject(first) && '$ref' in first ? { allOf: [first] } : asOpenApi30(first);
    return { ...Object(chosen), ...own, ...(others.length + 1 < anyOf.length && { nullable: true }) };
  }
  if (Array.isArray(type)) {
    const choices = Array.isArray(own['enum']) && { enum: own['enum'].filter((value) => value !== null) };
    return { ...own, ...choices, type: type.find((name) => name !== 'null'), nullable: true };
  }
  if (only !== undefined && type !== undefined)
    return { ...own, type, ...(typeof only === 'string' && { enum: [only] }) };
  return {
    ...own,
    ...(type !== undefined && { type: asOpenApi30(type) }),
    ...(only !== undefined && { const: asOpenApi30(only) }),
  };
}

class SkippedError extends Error {}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const [code] = await Promise.race([
    once(child, 'close'),
    once(child, 'error').then(() => Promise.reject(new SkippedError(`${program} is not installed`))),
  ]);
  const reasons = output.split('\n').filter((line) => /error|exception/i.test(line));
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${reasons.slice(0, 10).join('\n').slice(0, 2_000)}`);
  return output;
}

/** The folder of an installed npm package. */
async function install(folder: string, name: keyof typeof PACKAGES): Promise<string> {
  const prefix = join(folder, `npm_${name}`);
  await mkdir(prefix);
  const options = ['--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', ['install', ...options, PACKAGES[name]], prefix).catch((error: unknown) => {
    throw new SkippedError(`${PACKAGES[name]} cannot be installed: ${String(error).slice(-300)}`);
  });
  return join(prefix, 'node_modules', PACKAGES[name].replace(/@[^@/]*$/, ''));
}

/** Classes that Debian does not package. They only contain annotations, except for those of times, which stay texts. */
const STUBS: Readonly<Record<string, string>> = {
  'io.swagger.annotations.ApiModel':
    'public @interface ApiModel { String value() default ""; String description() default ""; }',
  'io.swagger.annotations.ApiModelProperty':
    'public @interface ApiModelProperty { String value() default ""; String example() default ""; boolean required() default false; }',
  'javax.annotation.Nullable': 'public @interface Nullable {}',
  'com.fasterxml.jackson.datatype.jsr310.JavaTimeModule':
    'public class JavaTimeModule extends com.fasterxml.jackson.databind.module.SimpleModule {}',
};

async function java(folder: string, document: string): Promise<[string, string[]]> {
  const jar = join(await install(folder, 'java'), 'bin/openapi-generator.jar');
  const code = join(folder, 'java');
  const classes = join(folder, 'classes');
  const times = '--type-mappings=DateTime=String,OffsetDateTime=String,date=String,LocalDate=String';
  const input = ['-i', document, '-g', 'java', '--library', 'native', '-o', code, '--skip-validate-spec'];
  const options = ['-p', 'openApiNullable=false,hideGenerationTimestamp=true', times];
  await run(
    'java',
    ['--add-opens', 'java.base/java.util=ALL-UNNAMED', '-jar', jar, 'generate', ...input, ...options],
    folder,
  );
  const generated = join(code, 'src/main/java');
  for (const [name, text] of Object.entries(STUBS)) {
    const file = join(generated, `${name.replaceAll('.', '/')}.java`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `package ${name.slice(0, name.lastIndexOf('.'))};\n${text}\n`);
  }
  const jars = ['annotations', 'core', 'databind'].map((part) => `/usr/share/java/jackson-${part}.jar`);
  if (!jars.every(existsSync)) throw new SkippedError('libjackson2-databind-java is not installed');
  const files = (await readdir(generated, { recursive: true })).filter((name) => name.endsWith('.java'));
  const path = jars.join(':');
  const sources = files.map((name) => join(generated, name));
  await run(
    'javac',
    ['-nowarn', '-proc:none', '-d', classes, '-cp', path, ...sources, join(SOURCES, 'Main.java')],
    folder,
  );
  return ['java', ['-cp', `${path}:${classes}`, 'Main']];
}

async function csharp(folder: string, document: string): Promise<[string, string[]]> {
  const tool = join(await install(folder, 'csharp'), 'bin/binaries/Win');
  const options = [
    '/operationGenerationMode:SingleClientFromOperationId',
    '/generateOptionalParameters:true',
    '/namespace:Tankwatch',
  ];
  await run(
    'mono',
    [
      join(tool, 'NSwag.exe'),
      'openapi2csclient',
      `/input:${document}`,
      '/output:Client.cs',
      '/jsonLibrary:NewtonsoftJson',
      ...options,
    ],
    folder,
  );
  const json = join(tool, 'Newtonsoft.Json.dll');
  const references = [
    `-r:${json}`,
    '-r:System.Net.Http.dll',
    '-r:System.ComponentModel.DataAnnotations.dll',
    '-r:System.Runtime.Serialization.dll',
  ];
  await run(
    'mcs',
    ['-langversion:latest', '-out:program.exe', ...references, 'Client.cs', join(SOURCES, 'Program.cs')],
    folder,
  );
  await run('cp', [json, folder], folder);
  return ['mono', [join(folder, 'program.exe')]];
}

/** Starts the demo. Returns its address, a key with the scope manage, and a function that stops it. */
async function startDemo(): Promise<{ url: string; key: string; stop: () => Promise<void> }> {
  const demo = spawn(process.execPath, [new URL('../demo/main.ts', import.meta.url).pathname, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'close');
  for await (const line of createInterface({ input: demo.stdout })) {
    if (!line.startsWith('{')) continue;
    const { base_url: url, manage_key: key }: { base_url: string; manage_key: string } = JSON.parse(line);
    demo.stdout.resume();
    const stop = async (): Promise<void> => {
      demo.kill('SIGTERM');
      await ended;
    };
    return { url, key, stop };
  }
  throw new Error('the demo ended');
}

const LANGUAGES = { java, csharp };
const folder = await mkdtemp(join(tmpdir(), 'tankwatch-clients-'));
const demo = await startDemo();
try {
  const document = join(folder, 'openapi30.json');
  await writeFile(document, JSON.stringify(asOpenApi30(JSON.parse(await readFile(DOCUMENT, 'utf8')))));
  for (const [language, generate] of Object.entries(LANGUAGES))
    try {
      const [program, args] = await generate(folder, document);
      const lines = (await run(program, [...args, demo.url, demo.key], folder)).trimEnd().split('\n');
      const isExpected = lines.length === EXPECTED.length && EXPECTED.every((line, at) => line.test(lines[at] ?? ''));
      if (!isExpected) process.exitCode = 1;
      console.log(`${language}: ${isExpected ? 'works' : 'FAILED'}\n  ${lines.join('\n  ')}`);
    } catch (error) {
      if (!(error instanceof SkippedError)) process.exitCode = 1;
      console.log(`${language}: ${error instanceof SkippedError ? 'skipped' : 'FAILED'}: ${String(error)}`);
    }
} finally {
  await demo.stop();
  await rm(folder, { recursive: true });
}
