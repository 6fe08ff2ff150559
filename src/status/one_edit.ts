const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/**
 * Every text that is one slip away from a word: two neighboring letters swapped, or one letter missing, too many or wrong. About 54 for
 * each letter. The texts of a search are folded, so the letters of the alphabet and of the word itself suffice.
 */
export function oneEditAway(word: string): Set<string> {
  const letters = Array.from(word);
  const alphabet = new Set([...LETTERS, ...letters]);
  const found = new Set<string>();
  for (let at = 0; at <= letters.length; at += 1) {
    const before = letters.slice(0, at).join('');
    const [letter, next = ''] = letters.slice(at);
    const after = letters.slice(at + 1).join('');
    for (const other of alphabet) found.add(before + other + letters.slice(at).join(''));
    if (letter === undefined) continue;
    found.add(before + after);
    for (const other of alphabet) found.add(before + other + after);
    if (next !== '') found.add(before + next + letter + letters.slice(at + 2).join(''));
  }
  found.delete(word);
  return found;
}
