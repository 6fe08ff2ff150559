import { parseArgs } from 'node:util';
import { isFreePort } from '../src/setup/first_free_port.ts';
import { UserError } from '../src/values/user_error.ts';
import { type RunningDemo, type Stop, startDemo } from './start.ts';
import { welcome } from './welcome.ts';

interface Arguments {
  isJson: boolean;
  storyMs: number;
}

/** Settings with which a visitor can choose ports. */
const PORT_SETTINGS = ['API_PORT', 'GATEWAY_HTTP_PORT', 'GATEWAY_MQTT_PORT'] as const;

/** Starts a whole installation and removes it when it is stopped, or when it cannot start. */
async function runDemo({ isJson, storyMs }: Arguments): Promise<void> {
  const stopped = new Promise((resolve) => {
    // `on`, not `once`: npm passes Ctrl-C on a second time, which must not end this before the servers have stopped.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  await assertPortsAreFree();
  const stops: Stop[] = [];
  const print = (line: string): void => {
    if (!isJson) console.log(line);
  };
  try {
    const demo: RunningDemo = await startDemo(stops, {
      storyMs,
      onProgress: print,
      onNews: (line) => print(`${new Date().toTimeString().slice(0, 8)}  ${line}`),
    });
    console.log(isJson ? JSON.stringify(demo) : welcome(demo));
    await stopped;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Checks the ports before anything is started. Otherwise a port in use would end the demo only after some seconds. */
async function assertPortsAreFree(): Promise<void> {
  for (const name of PORT_SETTINGS) {
    const port = Number(process.env[name] ?? 0);
    if (port > 0 && !(await isFreePort(port))) {
      throw new UserError(`port ${port} is in use; set ${name} to another port, or stop the program that uses it.`);
    }
  }
}

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, 'story-seconds': { type: 'string', default: '90' } },
  });
  const seconds = Number(values['story-seconds']);
  if (!(seconds >= 0 && seconds <= 86_400)) {
    throw new UserError(`--story-seconds must be a number from 0 to 86400, not "${values['story-seconds']}".`);
  }
  return { isJson: values.json, storyMs: seconds * 1_000 };
}

try {
  await runDemo(readArguments());
} catch (error) {
  console.error(error instanceof UserError ? `demo: ${error.message}` : error);
  process.exitCode = 1;
}
