export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The content of a mail, before it is rendered as text and HTML. */
export interface MailContent {
  language: Language;
  subject: string;
  paragraphs: readonly string[];
  action?: { label: string; url: string };
  /** Shown in small print. */
  footer: readonly string[];
}

export function renderText({ paragraphs, action, footer }: MailContent): string {
  const link = action ? [`${action.label}:\n${action.url}`] : [];
  const rest = footer.length > 0 ? [`-- \n${footer.join('\n')}`] : [];
  return `${[...paragraphs, ...link, ...rest].join('\n\n')}\n`;
}

export function renderHtml({ language, subject, paragraphs, action, footer }: MailContent): string {
  const link = action
    ? `<p><a href="${escapeHtml(action.url)}" style="${BUTTON}">${escapeHtml(action.label)}</a></p>`
    : '';
  return renderPage(
    language,
    subject,
    `${paragraphs.map(paragraph).join('\n')}\n${link}\n${footer.map(small).join('\n')}`,
  );
}

/** A complete HTML page that loads nothing, because mail programs block or warn about remote content. */
export function renderPage(language: Language, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="${BODY}">
${body}
</body>
</html>
`;
}

const BODY = 'font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 36em; margin: 2em auto; padding: 0 1em';
export const BUTTON =
  'display: inline-block; font: inherit; background: #14532d; color: #fff; border: 0; border-radius: 4px; padding: 0.6em 1.2em; text-decoration: none';

export const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;
const small = (text: string): string => `<p style="font-size: 13px; color: #595959">${escapeHtml(text)}</p>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
