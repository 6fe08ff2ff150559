import { expect, test } from 'vitest';
import { urlCharacterProblem } from '../../src/settings/url_characters.ts';

test('a character of a password that breaks the address is reported with its code', () => {
  const problemOf = (password: string): string | undefined =>
    urlCharacterProblem(`postgres://user:${password}@localhost:5432/tankwatch`);
  for (const [character, code] of Object.entries({ '#': '%23', '/': '%2F', '?': '%3F' })) {
    for (const password of [`secret${character}`, `12${character}secret`, character]) {
      expect(problemOf(password), password).toContain(`has a ${character} in its user name or password`);
      expect(problemOf(password), password).toContain(`write it as ${code}`);
      expect(problemOf(password)).not.toContain('secret');
    }
  }
  expect(problemOf('50%off')).toBe('has a % in its user name or password that begins no code; write it as %25');
});

test('an address without such a character has no problem', () => {
  for (const url of [
    'postgres://user:pass%23word@localhost:5432/tankwatch',
    'postgres://user:p@ss!$&*(),;=:+~word@localhost/tankwatch',
    'postgres://localhost/tankwatch?application_name=a@b',
    'postgres:///tankwatch?host=/run/postgresql&user=a',
    'nats://localhost:4222',
    'smtp://user:password@mail.example.com:587',
    'nonsense',
  ])
    expect(urlCharacterProblem(url), url).toBeUndefined();
});
