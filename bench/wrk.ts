import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../engines/programs.ts';

const run = promisify(execFile);

/** Sends requests over 32 connections for some seconds. Throws if a connection fails. */
export async function runWrk(
  url: string,
  { key, seconds, script }: { key: string; seconds: number; script?: string },
): Promise<{ perSecond: number; requests: number; refused: number }> {
  const options = ['-t1', '-c32', `-d${seconds}s`, '-H', `X-API-Key: ${key}`];
  const { stdout } = await run(findProgram('wrk'), [...options, ...(script === undefined ? [] : ['-s', script]), url]);
  if (stdout.includes('Socket errors')) throw new Error(`requests failed under load:\n${stdout}`);
  return {
    perSecond: numberAfter(stdout, /Requests\/sec:\s+([\d.]+)/),
    requests: numberAfter(stdout, /(\d+) requests in/),
    refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  };
}

export function numberAfter(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no figure in:\n${text}`);
  return Number(found);
}
