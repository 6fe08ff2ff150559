/** The tone of a mail, which decides the color of its frame. */
export type Tone = 'urgent' | 'warning' | 'good' | 'neutral';

/** One line of a table: a label and its value. */
export interface Fact {
  label: string;
  value: string;
  /** The link of the value, such as a map. In the text version it follows the value, unless it is `tel:`. */
  url?: string | undefined;
}

export interface LinkedText {
  text: string;
  url?: string | undefined;
}

/** One tank in a list, with its address and its facts. */
export interface ListItem {
  title: string;
  /** The page of the tank. */
  url?: string | undefined;
  /** A short word after the title, such as "new". */
  mark?: string | undefined;
  /** The most important value, shown at the right. */
  value: string;
  /** The facts about the tank. */
  facts: readonly string[];
  /** The phone number and the address. The parts of one line are separated by a dot. */
  details: readonly (readonly LinkedText[])[];
}

/** The parts of a mail. Each is rendered as HTML and as text, so that both versions have the same content. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** A bar that shows the level. In the text version, only the facts contain the level. */
  | { kind: 'level'; fillPercentage: number; thresholdPercentage: number; tone: Tone }
  | { kind: 'facts'; facts: readonly Fact[] }
  /** Advice to the reader. */
  | { kind: 'advice'; title: string; text: string; tone: Tone }
  /** Advice to the reader as ordered steps. */
  | { kind: 'steps'; title: string; steps: readonly string[]; tone: Tone }
  /** In the text version, a button that dials is left out: the number is in the advice or in the facts. */
  | { kind: 'button'; label: string; url: string }
  /** Digits that a person types elsewhere. */
  | { kind: 'code'; text: string }
  /** A link that is less important than a button. */
  | { kind: 'link'; label: string; url: string }
  | { kind: 'list'; title: string; tone: Tone; items: readonly ListItem[]; more?: string | undefined };

/** The content of a mail, before it is rendered as text and HTML. */
export interface MailContent {
  /** The language tag of the mail, such as `es-MX`. */
  tag: string;
  subject: string;
  /** The name of the organization, above everything else. */
  from: string;
  heading: string;
  tone: Tone;
  blocks: readonly Block[];
  /** Shown in small print. */
  footer: readonly string[];
}

export function renderText({ heading, blocks, footer }: MailContent): string {
  const parts = [oneLine(heading), ...blocks.map(blockText).filter((text) => text !== '')];
  const rest = footer.length > 0 ? [`-- \n${footer.map(sentenceLine).join('\n')}`] : [];
  return `${[...parts, ...rest].join('\n\n')}\n`;
}

/**
 * Replaces line breaks by spaces. Names and addresses come from files of other programs, and a line break in one of them
 * must not begin a new line in the text or, worse, in a header.
 */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** One line with one full stop at the end of a sentence that ends with a time such as `6:00 a.m.` or a name such as "S. A.". */
export const sentenceLine = (text: string): string => oneLine(text).replace(/([^.])\.\.(?!\.)/g, '$1.');

function blockText(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return sentenceLine(block.text);
    case 'code':
      return oneLine(block.text);
    case 'level':
      return '';
    case 'facts':
      return block.facts
        .map(({ label, value, url }) => `${label}: ${oneLine(value)}${linkText(url, '\n  ')}`)
        .join('\n');
    case 'advice':
      return `${block.title}: ${sentenceLine(block.text)}`;
    case 'steps':
      return [`${block.title}:`, ...block.steps.map((step, index) => `${index + 1}. ${sentenceLine(step)}`)].join('\n');
    case 'button':
      return block.url.startsWith('tel:') ? '' : `${block.label}:\n${block.url}`;
    case 'link':
      return `${block.label}:\n${block.url}`;
    case 'list':
      return [
        `${oneLine(block.title)}\n${'-'.repeat(oneLine(block.title).length)}`,
        ...block.items.map(itemText),
        ...(block.more === undefined ? [] : [block.more]),
      ].join('\n');
    default:
      return block satisfies never;
  }
}

/** The longest text of a list item, because a list has many items, and Gmail hides the part of a mail beyond 100 KB. */
const MAX_ITEM_TEXT = 80;

/** A text of a list item on one line; a very long one is cut. */
export function itemLine(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_ITEM_TEXT ? `${line.slice(0, MAX_ITEM_TEXT).trimEnd()}…` : line;
}

function itemText({ title, url, mark, value, facts, details }: ListItem): string {
  const lines = details.map((parts) => {
    const links = parts.map((part) => linkText(part.url, '\n  ')).join('');
    return `${parts.map((part) => itemLine(part.text)).join(' · ')}${links}`;
  });
  const head = `* ${itemLine(title)}${mark === undefined ? '' : ` [${mark}]`}: ${oneLine(value)}`;
  const page = url === undefined ? [] : [url];
  return [head, ...[...facts.map(oneLine), ...lines, ...page].map((line) => `  ${line}`)].join('\n');
}

const linkText = (url: string | undefined, before: string): string =>
  url === undefined || url.startsWith('tel:') ? '' : `${before}${url}`;
