import { spawn } from 'node:child_process';
import type { startDatabase } from '../engines/database.ts';
import { stopProcess } from '../src/setup/servers/server_process.ts';

export interface KillOptions {
  kills: number;
  tanks: number;
  log: (line: string) => void;
}

/**
 * Kills with kill -9, in turns, PostgreSQL and a process that works in its database, and starts them again. The process is stopped at
 * the end. `untilWorking` waits until the process works, and returns whether it does. Returns how often it was working at a kill.
 */
export async function killInTurns({
  database: { postgres, ownerUrl },
  script,
  kills,
  untilWorking,
  log,
}: {
  database: Awaited<ReturnType<typeof startDatabase>>;
  /** The path of the program, which gets the URL of the database. */
  script: string;
  kills: number;
  untilWorking: (kill: number) => Promise<boolean>;
  log: (line: string) => void;
}): Promise<number> {
  const start = () => spawn(process.execPath, [script, ownerUrl], { stdio: 'ignore' });
  let worker = start();
  let during = 0;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      if (await untilWorking(kill)) during++;
      const isPostgres = kill % 2 === 1;
      log(`kill ${kill} of ${kills}: ${isPostgres ? 'PostgreSQL' : 'the process that works'}`);
      if (isPostgres) {
        await postgres.kill();
        await postgres.restart();
      } else {
        await stopProcess(worker, 'SIGKILL');
        worker = start();
      }
    }
    return during;
  } finally {
    await stopProcess(worker, 'SIGKILL');
  }
}
