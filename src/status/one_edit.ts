const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/**
 * Returns all texts that differ from a word by one edit: two neighboring letters swapped, or one letter missing, added or wrong. There
 * are about 54 per letter. Searched texts are folded, so the letters a to z and those of the word suffice.
 */
export function oneEditAway(word: string): Set<string> {
  const letters = Array.from(word);
  const alphabet = new Set([...LETTERS, ...letters]);
  const found = new Set<string>();
  for (let index = 0; index <= letters.length; index++) {
    const before = letters.slice(0, index).join('');
    const [letter, next = ''] = letters.slice(index);
    const after = letters.slice(index + 1).join('');
    for (const other of alphabet) found.add(before + other + letters.slice(index).join(''));
    if (letter === undefined) continue;
    found.add(before + after);
    for (const other of alphabet) found.add(before + other + after);
    if (next !== '') found.add(before + next + letter + letters.slice(index + 2).join(''));
  }
  found.delete(word);
  return found;
}
