/** Returns all forms in which a text may be written in a dump, a stream message or a log line. */
export function writtenForms(value: string): string[] {
  const bytes = Buffer.from(value);
  // Base64 depends on the position of the text in its group of three bytes. The first and last characters also depend on
  // the neighbours, so only the part between is searched for.
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1);
  });
  const escaped = value.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [...new Set([value, escaped, encodeURIComponent(value), bytes.toString('hex'), ...base64])];
}
