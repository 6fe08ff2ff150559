import { createHmac } from 'node:crypto';
import { isObject, parseJson } from '../src/values/json.ts';

/** A text that a phone of the demo has received. */
export interface TextRecord {
  received_at: string;
  to: string;
  text: string;
}

/** Reads the text of a request to a gateway (docs/operators/duty.md). Returns undefined if the request has no text. */
export function readText(body: string): TextRecord | undefined {
  const text = parseJson(body);
  if (!isObject(text) || typeof text['to'] !== 'string' || typeof text['text'] !== 'string') return undefined;
  return { received_at: new Date().toISOString(), to: text['to'], text: text['text'] };
}

/** Reports that a text has arrived, as a gateway does. */
export async function reportDelivered(body: string, secret: string): Promise<void> {
  const text = parseJson(body);
  if (!isObject(text) || typeof text['report_url'] !== 'string') return;
  const report = JSON.stringify({ reference: text['reference'], status: 'delivered' });
  const signature = `sha256=${createHmac('sha256', secret).update(report).digest('hex')}`;
  await fetch(text['report_url'], {
    method: 'POST',
    headers: { 'x-signature': signature, 'content-type': 'application/json' },
    body: report,
  });
}

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const linked = (text: string): string => escaped(text).replaceAll(/https?:\/\/\S+/g, '<a href="$&">$&</a>');

/** A page that shows the newest texts first. It loads itself again, so it needs no script. */
export const phonePage = (texts: readonly TextRecord[]): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3"><title>Phones of the demo</title>
<style>
body { max-width: 390px; margin: 0 auto; padding: 16px; background: #eef1f5; color: #17212c; font: 16px/1.4 system-ui, sans-serif }
article { margin: 12px 0; padding: 12px 16px; border-radius: 16px; background: #fff; overflow-wrap: anywhere; white-space: pre-line }
small { color: #52606e }
</style></head><body><h1>Phones of the demo</h1>
${texts.length === 0 ? '<p>No texts yet. The leak of the story sends the first.</p>' : ''}
${texts
  .toReversed()
  .map(
    ({ to, received_at: at, text }) =>
      `<article><small>${escaped(to)}, ${at.slice(11, 19)} UTC</small>\n${linked(text)}</article>`,
  )
  .join('\n')}
</body></html>`;
