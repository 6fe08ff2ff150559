import { expect, test } from 'vitest';
import { needsUserInfo, readPerson } from '../../src/oidc/person.ts';

const NO_GROUPS = { groupClaim: 'groups', groupRoles: {} };
const GROUPS = {
  groupClaim: 'groups',
  groupRoles: { Dispatch: ['dispatcher'], IT: ['administrator', 'viewer'] },
} as const;

test('an address is verified only if email_verified is the boolean true', () => {
  const read = (claims: object) => readPerson({ sub: '1', ...claims }, NO_GROUPS);
  expect(read({ email: ' Ana@example.com ', email_verified: true, name: ' Ana ' })).toEqual({
    subject: '1',
    email: 'Ana@example.com',
    isEmailVerified: true,
    name: 'Ana',
    roles: null,
  });
  for (const verified of [false, 'true', 1, undefined])
    expect(read({ email: 'ana@example.com', email_verified: verified })).toMatchObject({ isEmailVerified: false });
  for (const email of [undefined, 7, '', 'no address', 'a@b\u0000.example'])
    expect(read({ email, email_verified: true })).toMatchObject({ email: null, isEmailVerified: false });
});

test('a person has the roles of all groups, and claims whose groups cannot be read are refused', () => {
  const rolesOf = (claims: object) => readPerson({ sub: '1', ...claims }, GROUPS)?.roles;
  expect(rolesOf({ groups: ['IT', 'Dispatch', 'IT', 'Lunch'] })).toEqual(['viewer', 'dispatcher', 'administrator']);
  expect(rolesOf({ groups: 'Dispatch' })).toEqual(['dispatcher']);
  expect(rolesOf({ groups: [] })).toEqual([]);
  expect(rolesOf({ groups: ['__proto__', 'toString', 'dispatch'] })).toEqual([]);
  for (const claims of [
    {},
    { groups: null },
    { groups: { Dispatch: true } },
    { groups: ['Dispatch', 7] },
    { groups: ['Dispatch'], _claim_names: { groups: 'src1' } },
    { groups: ['Dispatch'], hasgroups: 'true' },
  ])
    expect(readPerson({ sub: '1', ...claims }, GROUPS)).toBeUndefined();
});

test('the userinfo endpoint is asked only for what the ID token lacks', () => {
  expect(needsUserInfo({ email: 'ana@example.com' }, NO_GROUPS)).toBe(false);
  expect(needsUserInfo({}, NO_GROUPS)).toBe(true);
  expect(needsUserInfo({ email: 'ana@example.com' }, GROUPS)).toBe(true);
  expect(needsUserInfo({ email: 'ana@example.com', groups: [] }, GROUPS)).toBe(false);
});
