import { createServer } from 'node:http';
import { EventLoopWatch } from '../src/health/event_loop_watch.ts';

/** A process that only answers. The machine causes its delays, not the program. */
// It ends with the process that started it, even if that process was killed.
process.stdin.resume().once('end', () => process.exit(0));
const watch = new EventLoopWatch();
createServer((request, response) => {
  const isScrape = request.url === '/metrics';
  response.end(isScrape ? `tankwatch_event_loop_delay_seconds{role="idle"} ${watch.longestSeconds}\n` : 'ok');
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'));
