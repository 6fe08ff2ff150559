import {
  type Block,
  type Fact,
  itemLine,
  type ListItem,
  type MailContent,
  oneLine,
  sentenceLine,
  type Tone,
} from './layout.ts';

/**
 * Mail programs differ more than browsers: Outlook for Windows lays out with tables only and ignores max-width, Gmail removes style sheets
 * and classes, and many block remote content. So everything is a table with inline styles, and nothing is loaded.
 */
export function renderHtml({ tag, subject, from, heading, tone, blocks, footer }: MailContent): string {
  const rows = [
    `<tr><td style="${TEXT}padding:20px 20px 0;border-top:5px solid ${COLORS[tone]};font-size:14px;color:${MUTED}">${text(from)}</td></tr>`,
    `<tr><td style="${TEXT}padding:4px 20px 8px;font-size:22px;line-height:28px;font-weight:bold">${text(heading)}</td></tr>`,
    ...blocks.map((block) => `<tr><td style="${TEXT}padding:8px 20px">${blockHtml(block)}</td></tr>`),
    `<tr><td style="${TEXT}padding:16px 20px 20px;font-size:13px;line-height:19px;color:${MUTED}">${footer.map((line) => text(sentenceLine(line))).join('<br>')}</td></tr>`,
  ];
  return `<!doctype html>
<html lang="${escapeHtml(tag)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light"><title>${escapeHtml(oneLine(subject))}</title></head>
<body style="margin:0;padding:0;background:${PAGE};-webkit-text-size-adjust:100%">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${PAGE}"><tr><td align="center" style="padding:16px 8px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="max-width:600px;background:#ffffff;border:1px solid ${LINE}">
${rows.join('\n')}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
}

/** The colors of the console in its light theme. Red is used for danger only; low is orange. */
const COLORS: Readonly<Record<Tone, string>> = {
  urgent: '#a3081c',
  warning: '#b8540a',
  good: '#00639b',
  neutral: '#52606e',
};
const SOFT_COLORS: Readonly<Record<Tone, string>> = {
  urgent: '#fdeff1',
  warning: '#fdf4e7',
  good: '#eaf3fd',
  neutral: '#f5f7fa',
};
const [PAGE, LINE, MUTED, LINK] = ['#f5f7fa', '#c9d1db', '#52606e', '#0b5cad'];
/** The style of each cell, because Outlook does not inherit fonts. It is short, because a digest has hundreds of cells. */
const TEXT = "font:16px/24px 'Segoe UI',Helvetica,Arial,sans-serif;color:#17212c;text-align:left;";
const TABLE = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"';

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return text(sentenceLine(block.text));
    case 'code':
      return `<span style="font:bold 32px/40px Consolas,Menlo,monospace;letter-spacing:4px">${text(block.text)}</span>`;
    case 'level':
      return levelHtml(block);
    case 'facts':
      return `${TABLE}>${block.facts.map(factHtml).join('')}</table>`;
    case 'advice':
      return `${TABLE} bgcolor="${SOFT_COLORS[block.tone]}"><tr><td style="${TEXT}padding:12px 16px;border-left:4px solid ${COLORS[block.tone]}"><b>${text(block.title)}</b><br>${text(sentenceLine(block.text))}</td></tr></table>`;
    case 'steps':
      return stepsHtml(block);
    case 'button':
      return `${TABLE.replace(' width="100%"', '')}><tr><td bgcolor="${LINK}" style="border-radius:6px"><a href="${escapeHtml(block.url)}" style="${TEXT}display:inline-block;padding:12px 24px;color:#ffffff;font-weight:bold;text-decoration:none">${text(block.label)}</a></td></tr></table>`;
    case 'link':
      return linked(block.label, block.url);
    case 'list':
      return listHtml(block);
    default:
      return block satisfies never;
  }
}

/** The numbers have their own column, because Outlook indents lists differently. */
function stepsHtml({ title, steps, tone }: Extract<Block, { kind: 'steps' }>): string {
  const bottomOf = (index: number): string => (index === steps.length - 1 ? '12px' : '6px');
  const rows = steps.map(
    (step, index) =>
      `<tr><td valign="top" style="${TEXT}padding:6px 8px ${bottomOf(index)} 16px;width:24px;font-weight:bold;color:${COLORS[tone]};border-left:4px solid ${COLORS[tone]}">${index + 1}.</td>` +
      `<td valign="top" style="${TEXT}padding:6px 16px ${bottomOf(index)} 0;font-weight:bold">${text(sentenceLine(step))}</td></tr>`,
  );
  return `${TABLE} bgcolor="${SOFT_COLORS[tone]}"><tr><td colspan="2" style="${TEXT}padding:12px 16px 4px;font-weight:bold;color:${COLORS[tone]};border-left:4px solid ${COLORS[tone]}">${text(title)}</td></tr>${rows.join('')}</table>`;
}

/** A bar of the level, with a dark line at the threshold. */
function levelHtml({ fillPercentage, thresholdPercentage, tone }: Extract<Block, { kind: 'level' }>): string {
  const fill = clampPercentage(fillPercentage);
  const threshold = clampPercentage(thresholdPercentage);
  const isBelow = fill < threshold;
  const parts = isBelow
    ? [barPart(fill, COLORS[tone]), barPart(threshold - fill, EMPTY, true), barPart(100 - threshold, EMPTY)]
    : [barPart(threshold, COLORS[tone], true), barPart(fill - threshold, COLORS[tone]), barPart(100 - fill, EMPTY)];
  return `${TABLE} aria-hidden="true" style="table-layout:fixed"><tr>${parts.join('')}</tr></table>`;
}

const EMPTY = '#e4e8e5';
const clampPercentage = (value: number): number => Math.min(100, Math.max(0, Math.round(value)));
const barPart = (width: number, color: string, hasMark = false): string =>
  width === 0
    ? ''
    : `<td width="${width}%" height="18" bgcolor="${color}" style="width:${width}%;height:18px;font-size:0;line-height:0${hasMark ? ';border-right:3px solid #17212c' : ''}">&nbsp;</td>`;

function factHtml({ label, value, url }: Fact): string {
  return `<tr><td valign="top" style="${TEXT}padding:6px 12px 6px 0;width:34%;color:${MUTED};font-size:15px;border-bottom:1px solid ${LINE}">${text(label)}</td><td valign="top" style="${TEXT}padding:6px 0;border-bottom:1px solid ${LINE}">${linked(value, url)}</td></tr>`;
}

function listHtml({ title, tone, items, more }: Extract<Block, { kind: 'list' }>): string {
  const head = `<tr><td colspan="2" bgcolor="${SOFT_COLORS[tone]}" style="${TEXT}padding:8px 12px;font-weight:bold;color:${COLORS[tone]};border-left:4px solid ${COLORS[tone]}">${text(title)}</td></tr>`;
  const rest =
    more === undefined
      ? ''
      : `<tr><td colspan="2" style="${TEXT}padding:8px 0 0;font-size:14px;color:${MUTED}">${text(more)}</td></tr>`;
  return `${TABLE}>${head}${items.map((item) => itemHtml(item, COLORS[tone])).join('')}${rest}</table>`;
}

/** An item has two rows, because a phone is too narrow for an address beside a level. */
function itemHtml({ title, url, mark, value, facts, details }: ListItem, color: string): string {
  const marked = mark === undefined ? '' : ` <span style="font-size:13px;color:${color}">● ${text(mark)}</span>`;
  const lines = details.map((parts) => parts.map((part) => linked(itemLine(part.text), part.url)).join('&nbsp;· '));
  const muted = lines.length === 0 ? '' : `<div style="color:${MUTED}">${lines.join('<br>')}</div>`;
  return (
    `<tr><td style="${TEXT}padding:10px 12px 0 0"><b>${linked(itemLine(title), url)}</b>${marked}</td>` +
    `<td style="${TEXT.replace('left', 'right')}padding:10px 0 0;white-space:nowrap"><b>${text(value)}</b></td></tr>` +
    `<tr><td colspan="2" style="${TEXT.replace('16px/24px', '14px/21px')}padding:2px 0 10px;border-bottom:1px solid ${LINE}">${facts.map(text).join('<br>')}${muted}</td></tr>`
  );
}

const linked = (label: string, url: string | undefined): string =>
  url === undefined ? text(label) : `<a href="${escapeHtml(url)}" style="color:${LINK}">${text(label)}</a>`;

/**
 * Escapes a text, and prevents line breaks inside `17.9 %`, `6:00 AM`, `(9 to 19)` and a phone number. A separator dot never starts a line.
 * This is done with markup and not with special spaces or hyphens, so that a copied number can still be searched for.
 */
const text = (plain: string): string =>
  escapeHtml(oneLine(plain))
    .replace(/(\d) (%|[AP]M\b|[ap]\. ?m\.)/g, '$1&nbsp;$2')
    .replaceAll(' · ', '&nbsp;· ')
    .replace(/\([^()]{1,14}\)|\+\d[\d ]{5,}\d/g, '<span style="white-space:nowrap">$&</span>');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (plain: string): string => plain.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** The style of a page: the colors of the console in both themes, and the shape of a mail. */
const PAGE_STYLE = `:root{color-scheme:light dark}
body{margin:0;padding:16px 8px;background:light-dark(#f5f7fa,#0f151c);color:light-dark(#17212c,#e6ecf2);font:16px/24px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main{max-width:560px;margin:5vh auto 0;padding:20px;box-sizing:border-box;background:light-dark(#fff,#17202a);border:1px solid light-dark(#c9d1db,#334150);border-top:5px solid light-dark(#0b5cad,#6cb4ff);overflow-wrap:anywhere}
h1{margin:0 0 12px;font-size:20px;line-height:28px}
a{color:light-dark(#0b5cad,#6cb4ff)}
button{font:inherit;font-weight:bold;min-height:48px;padding:8px 24px;border:0;border-radius:6px;background:light-dark(#0b5cad,#6cb4ff);color:light-dark(#fff,#0f151c)}`;

/** A complete HTML page for a browser, in the name of an organization. It loads nothing. */
export function renderPage(tag: string, from: string, body: string): string {
  return `<!doctype html>
<html lang="${escapeHtml(tag)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(from)}</title><style>${PAGE_STYLE}</style></head>
<body>
<main>
<h1>${escapeHtml(from)}</h1>
${body}
</main>
</body>
</html>
`;
}

export const paragraph = (plain: string): string => `<p>${escapeHtml(plain)}</p>`;
