/** Parses slots and ranges of slots, such as `a0-a9,b0`, in this order. Undefined if the text is invalid. */
export function parseSlots(text: string): string[] | undefined {
  const slots: string[] = [];
  for (const part of text.split(',')) {
    const [, first, last = first] = /^([a-z0-9]{2})(?:-([a-z0-9]{2}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || last === undefined || last < first) return undefined;
    // A slot is a number with base 36, so a range counts through these numbers.
    for (let slot = Number.parseInt(first, 36); slot <= Number.parseInt(last, 36); slot++)
      slots.push(slot.toString(36).padStart(2, '0'));
  }
  return slots;
}
